// Package plain knows the commands that run unasked where nothing holds them: in the hook of
// another agent, whose shell runs without a sandbox of ours. It says yes to what stands whole in
// Usage, and no to all that it does not know: an expansion, an assignment, a function, a loop,
// code, a program or an option that is not listed.
package plain

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Reads reports whether the command is made of plain readers alone. Path is the variable PATH of
// the shell that runs it. Whether a path may be read is not judged here.
func Reads(command, path string) bool {
	// The parser skips some of these.
	if strings.ContainsFunc(command, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' }) {
		return false
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	f, err := parser.Parse(strings.NewReader(command), "")
	if err != nil || len(f.Stmts) == 0 || len(f.Last) > 0 {
		return false
	}
	for _, s := range f.Stmts {
		if !statement(s, path) {
			return false
		}
	}
	return true
}

// statement reports whether a statement is a plain reader, or pipes and lists of them. A comment
// is none, because zsh may run it.
func statement(s *syntax.Stmt, path string) bool {
	if s.Background || s.Coprocess || s.Disown || len(s.Comments) > 0 {
		return false
	}
	for _, r := range s.Redirs {
		if !harmless(r) {
			return false
		}
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		known := c.Op == syntax.AndStmt || c.Op == syntax.OrStmt || c.Op == syntax.Pipe
		return known && statement(c.X, path) && statement(c.Y, path)
	case *syntax.CallExpr:
		return len(c.Assigns) == 0 && call(c.Args, path)
	}
	return false
}

// harmless reports whether a redirection drops output or joins the two outputs.
func harmless(r *syntax.Redirect) bool {
	w, ok := read(r.Word)
	from := ""
	if r.N != nil {
		from = r.N.Value
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut:
		return ok && w.text == "/dev/null" && (from == "" || from == "1" || from == "2")
	case syntax.DplOut:
		return ok && (from == "2" && w.text == "1" || from != "2" && w.text == "2")
	}
	return false
}

// call reports whether the words of a simple command fit a line of Usage.
func call(args []*syntax.Word, path string) bool {
	words := make([]word, len(args))
	for i, a := range args {
		var ok bool
		if words[i], ok = read(a); !ok {
			return false
		}
	}
	name := words[0].text
	if last := len(words) - 1; name == "[" && words[last].text == "]" {
		name, words = "test", words[:last]
	} else if words[0].glob {
		return false
	}
	for _, u := range usages()[name] {
		if u.fits(words[1:]) {
			return strings.Contains(builtins, " "+name+" ") || fromSystem(name, path)
		}
	}
	return false
}

// fromSystem reports whether a shell finds the program first in a folder of the system.
func fromSystem(name, path string) bool {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			return false
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			return strings.Contains(system, " "+filepath.Clean(dir)+" ")
		}
	}
	return false
}

// A word is the literal value of one.
type word struct {
	text string
	glob bool // it may become other words, or several
	at   int  // where the first character of a glob is
}

// read returns a word that every shell reads as this one text. No file that a glob finds may be
// taken for an option: it begins with a letter or the like, or is the value of a long option.
func read(w *syntax.Word) (r word, ok bool) {
	var b strings.Builder
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if i == 0 && len(w.Parts) == 1 && p.Value == "!" {
				return word{text: "!"}, true
			}
			if !r.bare(&b, p.Value) {
				return r, false
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return r, false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if p.Dollar {
				return r, false
			}
			for _, inner := range p.Parts {
				if lit, is := inner.(*syntax.Lit); !is || !quoted(&b, lit.Value) {
					return r, false
				}
			}
		default:
			return r, false
		}
	}
	r.text = b.String()
	return r, !r.glob || r.text == "[" || r.at > 0 && !strings.ContainsAny(r.text[:1], "-+") ||
		strings.HasPrefix(r.text, "--") && strings.Contains(r.text[:r.at], "=")
}

// bare appends what an unquoted text stands for. It fails for a character with a meaning to a
// shell, except for those of globs and a tilde in front of a slash.
func (r *word) bare(b *strings.Builder, s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		first := b.Len() == 0
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			strings.IndexByte("_./-+,:@%", c) >= 0, c == '=' && !first,
			c == '~' && first && (i+1 == len(s) || s[i+1] == '/'):
		case strings.IndexByte("*?[]", c) >= 0:
			if !r.glob && c != ']' {
				r.glob, r.at = true, b.Len()
			}
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

// quoted appends what a text between double quotes stands for.
func quoted(b *strings.Builder, s string) bool {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '$' || s[i] == '`':
			return false
		case s[i] != '\\':
		case i+1 == len(s) || s[i+1] == '\n':
			return false
		case strings.IndexByte("\"\\$`", s[i+1]) >= 0:
			i++
		}
		b.WriteByte(s[i])
	}
	return true
}

// usages returns the lines of Usage by the command's name.
var usages = sync.OnceValue(func() map[string][]usage {
	lines := map[string][]usage{}
	joined := strings.ReplaceAll(strings.TrimSpace(Usage), "\n    ", " ")
	for line := range strings.Lines(joined) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		lines[name] = append(lines[name], parse(rest))
	}
	return lines
})
