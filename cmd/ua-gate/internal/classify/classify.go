// Package classify says what a shell command may do: it parses the command,
// walks every simple command in it, sees through programs that run programs,
// and gives the level of the highest part with the reason.
//
// A report depends on the command, on Options and (with Options.Resolve) on
// the symbolic links that stand in the way of its paths: never on the
// environment of the process or on what is installed.
//
// It is the only package that goes down into what a command holds: a script in a $(…) that
// expansion meets, a script or a command that a program runs, come to it as values.
package classify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/expansion"
	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/program"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
)

// Classify returns the report on one command. A nil o is Options{}.
func Classify(command string, o *machine.Options) finding.Report {
	if o == nil {
		o = &machine.Options{}
	}
	var w walker
	w.Options, w.Shell = o, cmp.Or(o.Shell, "bash")
	w.Walker, w.Lister = &w, &w
	var r finding.Report
	if w.Shell == "fish" {
		w.fish(command, &shell.Scope{Cwd: o.Cwd}, &r.Parts)
	} else {
		w.text(command, shell.Stream{}, &shell.Scope{Cwd: o.Cwd}, &r.Parts)
	}
	if w.Simple > machine.MaxSimple {
		w.Unread(&r.Parts, nil, "limit:simple",
			fmt.Sprintf("more than %d simple commands", machine.MaxSimple))
	}
	if w.Expanded > expansion.MaxExpanded {
		w.Unread(&r.Parts, nil, "limit:bytes",
			fmt.Sprintf("expands to more than %d bytes", expansion.MaxExpanded))
	}
	w.unreadSays(&r, command)
	r.Delegates = w.Delegates
	for part := range r.All() {
		if part.Level > r.Level || r.Row == "" {
			r.Level, r.Row, r.Reason = part.Level, part.Row, part.Reason
		}
	}
	r.NameAll()
	return r
}

// Walk classifies what a command runs.
func (w *walker) Walk(n program.Nested) shell.Stream {
	switch n.Kind {
	case program.Command:
		return w.run(n.Words, n.In, n.Sc, n.Parts)
	case program.FishScript:
		w.fish(n.Text, n.Sc, n.Parts)
		return shell.Stream{Open: true}
	}
	return w.text(n.Text, n.In, n.Sc, n.Parts)
}

// text classifies a script.
func (w *walker) text(text string, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	if w.Depth++; w.Depth > program.MaxDepth {
		w.Depth--
		w.Unread(parts, nil, "limit:depth", fmt.Sprintf("more than %d commands inside commands",
			program.MaxDepth))
		return shell.Stream{Open: true}
	}
	defer func() { w.Depth-- }()
	s, why := w.Parser.Parse(text, w.Shell)
	if why != nil {
		w.Unread(parts, nil, why.Row, why.Why)
		return shell.Stream{Open: true}
	}
	w.Errexit = w.Errexit || (strings.Contains(s.Text, "errexit") ||
		strings.Contains(s.Text, "set -") || strings.Contains(s.Text, "sh -")) && errexit.Match(s.Text)
	outer := w.Source
	if w.Source = ""; w.Depth == 1 {
		w.Source = s.Text
	}
	w.invisible(&s, parts)
	for _, name := range sc.Assigns(s.File) {
		if w.Functions[name] == nil {
			w.Define(name, &program.Function{})
		}
	}
	out := w.stmts(s.Stmts, in, sc, parts)
	w.Source = outer
	return out
}

// fish classifies a command for fish. What fish and bash read alike, simple commands with plain
// words, is judged as bash's. Nobody has read the rest: blocks, settings, substitutions of fish.
func (w *walker) fish(command string, sc *shell.Scope, parts *[]finding.Part) {
	s, why := w.Parser.Parse(command, w.Shell)
	if why != nil || s.Text != command || !shell.AsInFish(s.File) {
		w.Unread(parts, nil, "dialect:fish", "a script of fish, which is not read")
		return
	}
	w.text(command, shell.Stream{}, sc, parts)
}

// unreadSays is the rule for commands of which some part is code that no rule reads. A sandbox
// holds that to the workspace, but not what it may lose, read or arrange there. Its text stands in
// the command, so what does that mostly says so.
func (w *walker) unreadSays(r *finding.Report, command string) {
	unread := func(e judgement.Effect) bool { return e.Act == judgement.RunsUnread }
	looked := false
	var says finding.Part
	for part := range r.All() {
		if !slices.ContainsFunc(part.Effects, unread) {
			continue
		}
		if !looked {
			looked = true
			w.says(&says, w.written(command))
		}
		for _, e := range says.Effects {
			part.Add(e.Act, part.Row, part.Reason+", and the command says "+e.What)
		}
	}
}

// written returns a text together with what its escapes and its commands make of it: in "\n\trm"
// no word is rm, and in the file that printf writes one is.
func (w *walker) written(text string) string {
	text += " " + escapes.Replace(text)
	for i := range w.Written {
		text += " " + w.Written[i].Text
	}
	return text
}

// escapes stand for blanks and the like in many languages.
var escapes = strings.NewReplacer(`\n`, " ", `\t`, " ", `\r`, " ", `\f`, " ", `\v`, " ", `\b`, " ")

// says adds what the words of a text say by themselves.
func (w *walker) says(p *finding.Part, text string) {
	if word := lossWord(text); word != "" {
		p.Effects = append(p.Effects, judgement.Effect{Act: judgement.LosesFiles, What: word})
	}
	sc := &shell.Scope{Cwd: w.Cwd}
	for name := range strings.FieldsFuncSeq(text, program.PartsTexts) {
		if !strings.ContainsAny(name, "./") || !machine.PathLike(name) {
			continue
		}
		switch k := w.At(name, sc).Kind; {
		case k&table.PathHere == 0 || k&table.PathPublic != 0:
		case k&table.PathHidden != 0:
			p.Effects = append(p.Effects, judgement.Effect{Act: judgement.ReadsSecrets,
				What: match.Show(name)})
		case k&table.PathGuarded != 0:
			p.Effects = append(p.Effects, judgement.Effect{Act: judgement.WritesGuarded,
				What: match.Show(name)})
		}
	}
}

// lossWord returns the first word of a text that says that something is deleted or emptied, in
// small letters, or "". A name is its words: deleteTree and delete_tree both say delete.
func lossWord(text string) string {
	for _, mode := range []string{`"w"`, "'w'", `"wb"`, "'wb'", `"w+"`, "'w+'"} {
		if strings.Contains(text, mode) {
			return "that it opens files with " + mode
		}
	}
	git := strings.Contains(strings.ToLower(text), "git")
	for name := range strings.FieldsFuncSeq(text, func(c rune) bool { return !isLetter(c) }) {
		from := 0
		for i := 1; i <= len(name); i++ {
			if i < len(name) && (isSmall(name[i]) || !isSmall(name[i-1]) &&
				(i+1 == len(name) || !isSmall(name[i+1]))) {
				continue
			}
			word := strings.ToLower(name[from:i])
			if match.InList(lossWords, word) || git && match.InList(gitLossWords, word) {
				return word
			}
			from = i
		}
		if low := strings.ToLower(name); match.InList(lossWords, low) {
			return low
		}
	}
	return ""
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isSmall(c byte) bool { return c >= 'a' && c <= 'z' }

const (
	lossWords = ` rm rmdir rmtree remove removes delete deletes deltree del unlink erase truncate ` +
		`wipe destroy purge prune shred trash clobber overwrite discard recycle mv move rename ` +
		`drop clean reset `
	gitLossWords = ` checkout restore stash branch push gc reflog rebase worktree `
)
