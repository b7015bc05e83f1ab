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
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/internal/common/verdict"
)

// Limits of what is looked at. A command beyond one of them is at least
// destructive, since nobody has read it.
const (
	MaxBytes  = 10_000 // bytes in a command
	MaxSimple = 200    // simple commands, those inside others included
	MaxDepth  = 16     // commands inside commands
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

	parser *syntax.Parser
	table  *Table
}

// embedded is the table that comes with the program.
func (o *Options) embedded() *Table {
	if o.table == nil {
		o.table = lazyTable(rowsText)
	}
	return o.table
}

// parse is the script's syntax tree.
func (o *Options) parse(script string) (*syntax.File, error) {
	if o.parser == nil {
		lang := syntax.LangBash
		if o.Shell == "zsh" {
			lang = syntax.LangZsh
		}
		o.parser = syntax.NewParser(syntax.Variant(lang))
	}
	return o.parser.Parse(strings.NewReader(script), "")
}

// A Part is one simple command, or a fact that raises the level beside them: a
// redirection, an assignment, a pipe rule, a parse error. Such a part has no
// Words and so no pattern matches it.
type Part struct {
	Text   string        // the part as written, or as it will reach the next program
	Line   int           // where it begins, from 1; 0 if it isn't in the command as written
	Col    int           // in bytes, from 1
	Words  []Word        // the words of a simple command, the program's first
	Name   string        // program and sub-commands: "git push", "rm"; what a session grant is keyed by
	Level  verdict.Level // of this part, without Parts
	Row    string        // the table row or rule that decided: "git push --force", "path:secret", "pipe:shell"
	Reason string        // in words, for a person or a model
	Path   string        // the path that decided, if one did
	Parts  []Part        // what this part runs or holds: sub-shells, wrapped commands, substitutions
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
