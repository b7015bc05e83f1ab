// Package finding is what is found in a command: its parts, what each of them does, why, and how
// high that is. Patterns of a policy choose among parts.
package finding

import (
	"iter"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/internal/common/verdict"
)

// A Report is what is known of a whole command.
type Report struct {
	Level     verdict.Level // the highest of the parts
	Row       string        // of the first part with that level
	Reason    string        // of that part
	Parts     []Part        // in the order of the text; empty for a command that does nothing
	Delegates bool          // it starts ua or one of ua's programs
}

// All yields every part, those inside others included, outer ones first.
func (r *Report) All() iter.Seq[*Part] {
	return func(yield func(*Part) bool) { all(r.Parts, yield) }
}

func all(parts []Part, yield func(*Part) bool) bool {
	for i := range parts {
		if !yield(&parts[i]) || !all(parts[i].Parts, yield) {
			return false
		}
	}
	return true
}

// A Part is one simple command, or a fact that raises the level beside them: a
// redirection, an assignment, a pipe rule, a parse error. Such a part has no
// Words and so no pattern matches it.
type Part struct {
	Text  string // the part as written, or as it will reach the next program
	Line  int    // where it begins, from 1; 0 if it isn't in the command as written
	Col   int    // in bytes, from 1
	Words []Word // the words of a simple command, the program's first
	// program and sub-commands: "git push", "rm"; what a session grant is keyed by
	Name  string
	Level verdict.Level // of this part, without Parts
	// the table row or rule that decided: "git push --force", "path:secret", "pipe:shell"
	Row    string
	Reason string // in words, for a person or a model
	Path   string // the path that decided, if one did
	// places outside the workspace that it writes or deletes, as far as they are known: absolute
	Outside []string
	Secrets []string // those outside the workspace that it reads, likewise
	Unread  bool     // it runs commands that nobody has read, so a rule can't tell which
	Held    bool     // it wipes what nobody gets back: only a person's yes lets it run
	Parts   []Part   // what this part runs or holds: sub-shells, wrapped commands, substitutions

	Effects []judgement.Effect // all that it does, without Parts
}

// A Word is what became of one word of a command.
type Word struct {
	Text  string // its value, as far as it is known
	Known bool   // whether Text is the whole value
	Multi bool   // it may become several words, or none
}

// Does returns what a level means, after a program's name.
func Does(l verdict.Level) string {
	switch l {
	case verdict.ReadOnly:
		return "only reads"
	case verdict.BuildTest:
		return "builds or tests"
	case verdict.Write:
		return "writes files"
	case verdict.Destructive:
		return "may lose what can't be made again"
	case verdict.Network:
		return "talks to other machines"
	case verdict.Privileged:
		return "needs or changes rights"
	}
	return "never runs"
}

// Add adds an effect to the part: what is done, the row or rule that knows it, and the reason.
// A fact from beside the program (a path, a variable, a pipe) is never hidden by what
// the program itself is: then it becomes a part of its own, without words.
func (p *Part) Add(act judgement.Act, row, reason string) { p.AddBy(act, row, reason, "") }

// AddBy is add for a fact about a path.
func (p *Part) AddBy(act judgement.Act, row, reason, path string) {
	effect := judgement.Effect{Act: act, What: path, How: row, Why: reason}
	level := act.Level()
	fact := level >= verdict.Destructive && beside(row)
	switch {
	case level > p.Level || p.Row == "" || level == p.Level && fact && !beside(p.Row):
		if p.Level >= verdict.Destructive && beside(p.Row) {
			p.Parts = append(p.Parts, Part{Level: p.Level, Row: p.Row, Reason: p.Reason,
				Path: p.Path, Effects: p.Effects})
			p.Effects = nil
		}
		p.Level, p.Row, p.Reason, p.Path = level, row, reason, path
	case fact && row != p.Row:
		p.Parts = append(p.Parts, Part{Level: level, Row: row, Reason: reason, Path: path,
			Effects: []judgement.Effect{effect}})
		return
	}
	if act != judgement.ReadsFiles || len(p.Effects) == 0 {
		p.Effects = append(p.Effects, effect)
	}
}

// beside reports whether the row is a fact beside the program.
func beside(row string) bool {
	fact, _, found := strings.Cut(row, ":")
	return found && (fact == "path" || fact == "env" || fact == "pipe" || fact == "word" ||
		fact == "limit")
}

// AddHidden adds that the part may run commands which do not stand in it.
func (p *Part) AddHidden(row, reason string) { p.Add(judgement.RunsHidden, row, reason) }

// AddUnread adds that the part runs commands which nobody has read.
func (p *Part) AddUnread(row, reason string) {
	p.AddHidden(row, reason)
	p.Unread = true
}

// Hold notes that the part wipes what nobody gets back: it never runs unless somebody says so,
// though its level is the one of what loses a file.
func (p *Part) Hold(row, reason string) {
	p.Add(judgement.LosesAll, row, reason)
	p.Held = true
}

// Highest returns the highest level of the part and those inside it.
func (p *Part) Highest() verdict.Level { return max(p.Level, Highest(p.Parts)) }

// Highest returns the level of the parts with all that is in them.
func Highest(parts []Part) (l verdict.Level) {
	for i := range parts {
		l = max(l, parts[i].Level, Highest(parts[i].Parts))
	}
	return l
}

// NameAll has the reason say what all parts of its level do: programs of which no more is to be
// said than the level in one go, "find, xargs and grep only read", and others one after the other.
func (r *Report) NameAll() {
	if r.Reason == "" {
		r.Reason = "no program runs"
	}
	if len(r.Parts) == 0 || len(r.Parts) == 1 && len(r.Parts[0].Parts) == 0 {
		return
	}
	one := Does(r.Level)
	var names, reasons []string
	for part := range r.All() {
		plain := part.Name != "" && part.Reason == part.Name+" "+one
		switch {
		case part.Level != r.Level || part.Reason == "":
		case plain && !slices.Contains(names, part.Name):
			if names = append(names, part.Name); len(names) == 1 {
				reasons = append(reasons, match.Hole)
			}
		case !plain && !slices.Contains(reasons, part.Reason):
			reasons = append(reasons, part.Reason)
		}
	}
	all := strings.Join(names, "")
	if last := len(names) - 1; last > 0 {
		if last > 3 {
			last, names = 3, append(names[:3], "others")
		}
		one = plural.Replace(one)
		all = strings.Join(names[:last], ", ") + " and " + names[last]
	}
	if len(reasons) > 3 {
		reasons = append(reasons[:2], "and more of the kind")
	}
	if len(reasons) > 0 {
		r.Reason = strings.Replace(strings.Join(reasons, "; "), match.Hole, all+" "+one, 1)
	}
}

// plural has several programs do what does says of one.
var plural = strings.NewReplacer("reads", "read", "builds", "build", "tests", "test", "writes",
	"write", "talks", "talk", "needs", "need", "changes", "change")
