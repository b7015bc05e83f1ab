// Package classify says what a shell command may do: it parses the command,
// walks every simple command in it, sees through programs that run programs,
// and gives the level of the highest part with the reason.
//
// A report depends on the command, on Options and (with Options.Resolve) on
// the symbolic links that stand in the way of its paths: never on the
// environment of the process or on what is installed.
package classify

import (
	"iter"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/internal/common/verdict"
)

// Options are what a report depends on besides the command. They hold the parser
// and the table between commands, so two goroutines can't share them.
type Options struct {
	Cwd       string   // the folder in which the command starts; "" is unknown
	Home      string   // the user's home; "" is unknown
	Shell     string   // what will run it: bash (also ""), sh, zsh or fish
	Overlay   *Table   // the user's rows, asked before the embedded table; may be nil
	Workspace []string // folders that count as inside besides Cwd and the temporary ones
	Resolve   bool     // follow the symbolic links that exist

	parser    scriptParser
	table     *Table
	present   place     // that of Cwd,
	presentOf [2]string // as these Cwd and Home say
}

// embedded returns the table that comes with the program.
func (o *Options) embedded() *Table {
	if o.table == nil {
		o.table = lazyTable(rowsText)
	}
	return o.table
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

// A Report is what is known of a whole command.
type Report struct {
	Level     verdict.Level // the highest of the parts
	Row       string        // of the first part with that level
	Reason    string        // of that part
	Parts     []Part        // in the order of the text; empty for a command that does nothing
	Delegates bool          // it starts ua or one of ua's programs
}

// A Word is what became of one word of a command.
type Word struct {
	Text  string // its value, as far as it is known
	Known bool   // whether Text is the whole value
	Multi bool   // it may become several words, or none
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

// does returns what a level means, after a program's name.
func does(l verdict.Level) string {
	switch l {
	case readOnly:
		return "only reads"
	case buildTest:
		return "builds or tests"
	case write:
		return "writes files"
	case destructive:
		return "may lose what can't be made again"
	case network:
		return "talks to other machines"
	case privileged:
		return "needs or changes rights"
	}
	return "never runs"
}
