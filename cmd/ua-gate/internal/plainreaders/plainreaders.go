// Package plainreaders knows the commands that run as they are where nothing holds them: in the
// hook of another agent, whose shell runs without a sandbox of ours. They are simple commands of
// literal words, each of which stands in Usage. What else reads runs in a sandbox, or is asked
// about.
package plainreaders

import (
	_ "embed"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Usage says which commands run as they are, a line for each, and with which words. Its first
// part tells of the machine, which looks otherwise from inside of a sandbox. ua-readers(7)
// prints it, and explains its words.
//
//go:embed usage.txt
var Usage string

// A Shell runs commands.
type Shell struct {
	Path  string // its variable PATH
	Dir   string // its folder
	Home  string // that of its user
	Files bool   // files may be named, since no sandbox reads them
}

// A reader is a shell while its command is read.
type reader struct {
	Shell
	dirs []string // in which it may be, since a cd may fail
}

// maxDirs bounds these folders.
const maxDirs = 32

// Reads reports whether the command is made of plain readers alone. Whether a path may be read is
// not judged here.
func (sh Shell) Reads(command string) bool {
	f := parse(command)
	if f == nil {
		return false
	}
	known := true
	syntax.Walk(f, func(n syntax.Node) bool {
		if _, is := n.(*syntax.Comment); is { // zsh may run it
			known = false
		}
		return known
	})
	r := reader{sh, []string{sh.Dir}}
	bad := func(s *syntax.Stmt) bool { return !r.statement(s) }
	return known && !slices.ContainsFunc(f.Stmts, bad)
}

// OfMachine reports whether a program, whose name is the first word, tells of the machine, so that
// it would tell something else in a sandbox.
func OfMachine(name string) bool {
	name, _, _ = strings.Cut(name, " ")
	ofMachine, _, _ := strings.Cut(Usage, "\n\n")
	return len(usages(ofMachine, name)) > 0
}

// Cut splits a command behind what it begins with: cd to a literal folder, which lasts in some
// shells of agents.
func Cut(command string) (cd, rest string) {
	f := parse(command)
	if f == nil {
		return "", command
	}
	s, next := f.Stmts[0], f.Stmts[min(1, len(f.Stmts)-1)]
	for {
		c, is := s.Cmd.(*syntax.BinaryCmd)
		if s.Negated || s.Background || len(s.Redirs) > 0 || is && c.Op != syntax.AndStmt {
			return "", command
		}
		if !is {
			break
		}
		s, next = c.X, c.Y
	}
	c, is := s.Cmd.(*syntax.CallExpr)
	if !is || s == next || len(c.Args) != 2 || len(c.Assigns) > 0 || c.Args[0].Lit() != "cd" {
		return "", command
	}
	if _, ok := literal(c.Args[1]); !ok {
		return "", command
	}
	at := next.Pos().Offset()
	if strings.Contains(command[:at], "#") {
		return "", command
	}
	return command[:at], command[at:]
}

// parse returns the command as bash reads it, or nil, also for characters that the parser skips.
func parse(command string) *syntax.File {
	if strings.ContainsFunc(command, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' }) {
		return nil
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	f, err := parser.Parse(strings.NewReader(command), "")
	if err != nil || len(f.Stmts) == 0 {
		return nil
	}
	return f
}

// statement reports whether a statement is a plain reader, or a pipe or list of them.
func (r *reader) statement(s *syntax.Stmt) bool {
	if s.Background || s.Coprocess || s.Disown ||
		slices.ContainsFunc(s.Redirs, func(d *syntax.Redirect) bool { return !harmless(d) }) {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		known := c.Op == syntax.AndStmt || c.Op == syntax.OrStmt || c.Op == syntax.Pipe
		return known && r.statement(c.X) && r.statement(c.Y)
	case *syntax.CallExpr:
		return len(c.Assigns) == 0 && len(c.Args) > 0 && r.call(c.Args)
	}
	return false
}

// harmless reports whether a redirection drops output, or joins the two outputs.
func harmless(d *syntax.Redirect) bool {
	to, ok := literal(d.Word)
	from := "1"
	if d.N != nil {
		from = d.N.Value
	}
	switch d.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll:
		return ok && to == "/dev/null" && (from == "1" || from == "2")
	case syntax.DplOut:
		return ok && (from == "2" && to == "1" || from == "1" && to == "2")
	}
	return false
}

// literal returns a word in which every shell expands nothing but a tilde.
func literal(w *syntax.Word) (text string, ok bool) {
	if w == nil {
		return "", false
	}
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if !bare(&b, p.Value) {
				return "", false
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, part := range p.Parts {
				lit, is := part.(*syntax.Lit)
				if !is || p.Dollar || strings.ContainsAny(escape.ReplaceAllString(lit.Value, ""), "\\$`") {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// escape stays as it is between double quotes, as \t does.
var escape = regexp.MustCompile(`\\[a-z]`)

// bare appends what an unquoted text stands for. It fails for a character with a meaning to a
// shell, except for a tilde in front of a slash.
func bare(b *strings.Builder, s string) bool {
	for i := 0; i < len(s); i++ {
		c, first := s[i], b.Len() == 0
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			strings.IndexByte("_./-+,:@%", c) >= 0, c == '=' && !first,
			c == '~' && first && (i+1 == len(s) || s[i+1] == '/'):
		case c == '\\' && i+1 < len(s) && s[i+1] >= ' ' && s[i+1] < 0x7f:
			i++
			c = s[i]
		default:
			return false
		}
		b.WriteByte(c)
	}
	return true
}

// call reports whether the words of a command fit a line of Usage.
func (r *reader) call(args []*syntax.Word) bool {
	words := make([]string, len(args))
	for i, a := range args {
		var ok bool
		if words[i], ok = literal(a); !ok {
			return false
		}
	}
	name := words[0]
	fits := func(u usage) bool { return u.fits(words[1:], r.file) }
	if !slices.ContainsFunc(usages(Usage, name), fits) {
		return false
	}
	if name == "cd" {
		for _, dir := range r.dirs {
			r.dirs = append(r.dirs, r.at(dir, words[1]))
		}
	}
	return len(r.dirs) <= maxDirs &&
		(strings.Contains(builtins, " "+name+" ") || fromSystem(name, r.Path))
}

// file reports whether a word may name a file: neither a device, nor what is not there before it
// is named, wherever the shell may be.
func (r *reader) file(name string) bool {
	bad := func(dir string) bool {
		return special.MatchString(r.at(dir, name)) || special.MatchString(filepath.Join(dir, name))
	}
	return r.Files && !special.MatchString(name) && !slices.ContainsFunc(r.dirs, bad)
}

// at returns the path that a word names, seen from a folder.
func (r *reader) at(dir, name string) string {
	if rest, home := strings.CutPrefix(name, "~"); home {
		return filepath.Join(r.Home, rest)
	} else if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// special finds a path of the kernel's own files, and one that begins with two slashes.
var special = regexp.MustCompile(`^/(?:dev|proc|sys|net)?/`)

// builtins are those of these commands that every shell has in itself. Each other one is a
// program, which has to come from one of the system's own folders.
const builtins = " cd command echo history jobs pwd type ulimit "

// system are the folders of the system's own programs.
const system = " /bin /sbin /usr/bin /usr/sbin /usr/local/bin /opt/homebrew/bin" +
	" /run/current-system/sw/bin /nix/var/nix/profiles/default/bin "

// fromSystem reports whether a shell finds the program first in a folder of the system, if at all.
func fromSystem(name, path string) bool {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			return false
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			return strings.Contains(system, " "+filepath.Clean(dir)+" ")
		}
	}
	return path != ""
}
