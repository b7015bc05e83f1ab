// Package plain knows the commands that run unasked where nothing holds them: in the hook of
// another agent, whose shell runs without a sandbox of ours. It says yes to what stands whole in
// Usage, and no to all that it does not know: a function, code, a program or an option that is
// not listed, an expansion where it could be an option.
package plain

import (
	_ "embed"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Usage says which commands run unasked where nothing holds them, a line for each, and with
// which words. ua-readers(7) prints it, and explains its words.
//
//go:embed usage.txt
var Usage string

// A reading is a command while it is judged.
type reading struct {
	path  string          // PATH of the shell that runs it
	dirs  []string        // in which its parts may run; none where that is not known
	vars  map[string]word // those of the loops around
	fed   bool            // what is read comes from a command that prints names (names)
	below bool            // what find finds lies below the folder in which it runs

	literal map[string]bool // variables that are set once, to a text that stands there
	steps   int             // commands that have been judged
}

// maxSteps is how many commands are judged, each loop's at each turn, and maxDirs in how many
// folders.
const (
	maxSteps = 2000
	maxDirs  = 64
)

// Reads reports whether the command, which runs in dir, is made of plain readers alone. Path is
// the variable PATH of the shell that runs it. Whether a path may be read is not judged here.
func Reads(command, path, dir string) bool {
	// The parser skips some of these.
	if strings.ContainsFunc(command, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' }) {
		return false
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	f, err := parser.Parse(strings.NewReader(command), "")
	if err != nil || len(f.Stmts) == 0 {
		return false
	}
	r := reading{path: path, dirs: []string{dir}, vars: map[string]word{}, literal: map[string]bool{}}
	known := true
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Comment: // zsh may run it
			known = false
		case *syntax.CallExpr:
			r.moves(n)
			for _, arg := range n.Args {
				if n.Args[0].Lit() == "read" {
					r.sets(arg.Lit(), false)
				}
			}
		case *syntax.WordIter:
			r.sets(n.Name.Value, false)
		case *syntax.Assign:
			if n.Name != nil {
				r.sets(n.Name.Value, isText(n.Value))
			}
		}
		return known
	})
	return known && r.statements(f.Stmts)
}

// sets notes whether a variable, as far as it has been seen, is only set to a text.
func (r *reading) sets(name string, text bool) {
	_, again := r.literal[name]
	r.literal[name] = text && !again
}

// moves notes in which folder the commands may run behind a call: any of them, since what runs
// in a shell of its own is not told apart.
func (r *reading) moves(c *syntax.CallExpr) {
	if len(c.Args) == 0 || !slices.Contains([]string{"cd", "pushd", "popd"}, c.Args[0].Lit()) {
		return
	}
	to, ok := word{}, false
	if len(c.Args) == 2 {
		to, ok = r.word(c.Args[1])
	}
	if !ok || to.glob || to.open || strings.ContainsAny(to.text, hole+"~") {
		r.dirs = nil
	}
	for _, dir := range r.dirs {
		r.dirs = append(r.dirs, join(dir, to.text))
	}
	if len(r.dirs) > maxDirs {
		r.dirs = nil
	}
}

// join returns a folder as seen from another.
func join(dir, to string) string {
	if filepath.IsAbs(to) {
		return to
	}
	return filepath.Join(dir, to)
}

// statements reports whether each of the statements is plain.
func (r *reading) statements(list []*syntax.Stmt) bool {
	return !slices.ContainsFunc(list, func(s *syntax.Stmt) bool { return !r.statement(s) })
}

// statement reports whether a statement is a plain reader, or pipes, lists and loops of them.
func (r *reading) statement(s *syntax.Stmt) bool {
	if r.steps++; s.Background || s.Coprocess || s.Disown || r.steps > maxSteps ||
		slices.ContainsFunc(s.Redirs, func(d *syntax.Redirect) bool { return !r.harmless(d) }) {
		return false
	}
	if takesInput(s) {
		defer func(fed bool) { r.fed = fed }(r.fed)
		r.fed = false
	}
	switch c := s.Cmd.(type) {
	case nil: // $(< file)
		return true
	case *syntax.BinaryCmd:
		known := c.Op == syntax.AndStmt || c.Op == syntax.OrStmt || c.Op == syntax.Pipe
		if !known || !r.statement(c.X) {
			return false
		}
		defer func(fed bool) { r.fed = fed }(r.fed)
		r.fed = c.Op == syntax.Pipe && names(c.X)
		return r.statement(c.Y)
	case *syntax.CallExpr:
		return r.simple(c)
	case *syntax.Subshell:
		return r.statements(c.Stmts)
	case *syntax.Block:
		return r.statements(c.Stmts)
	case *syntax.TimeClause:
		return c.Stmt != nil && r.statement(c.Stmt)
	case *syntax.WhileClause:
		return r.statements(c.Cond) && r.statements(c.Do)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			if !r.statements(c.Cond) || !r.statements(c.Then) {
				return false
			}
		}
		return true
	case *syntax.ForClause:
		return r.loop(c)
	case *syntax.CaseClause:
		ok := r.known(c.Word)
		for _, item := range c.Items {
			for _, pattern := range item.Patterns {
				ok = ok && r.known(pattern)
			}
			ok = ok && r.statements(item.Stmts)
		}
		return ok
	case *syntax.TestClause:
		return r.test(c.X)
	}
	return false
}

// harmless reports whether a redirection reads, drops output or joins the two outputs.
func (r *reading) harmless(d *syntax.Redirect) bool {
	if d.Hdoc != nil {
		return r.quoted(&word{}, &strings.Builder{}, d.Hdoc.Parts)
	}
	w, ok := r.word(d.Word)
	from := ""
	if d.N != nil {
		from = d.N.Value
	}
	switch d.Op {
	case syntax.WordHdoc:
		return ok
	case syntax.RdrIn: // not from a socket
		known := w.text == "/dev/null" ||
			!strings.HasPrefix(w.text, hole) && !strings.HasPrefix(w.text, "/dev/")
		return ok && !w.hides() && from == "" && !w.open && w.text != "" && known
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll:
		return ok && w.text == "/dev/null" && (from == "" || from == "1" || from == "2")
	case syntax.DplOut:
		return ok && (from == "2" && w.text == "1" || from != "2" && w.text == "2")
	}
	return false
}

// variableForm is the form of the names that a command may give to variables.
var variableForm = form(`^(?:[a-z][a-z0-9_]*|BASE|DIR|FILE|SRC|ROOT|COUNT|NAME|BRANCH|PID)$`)

// shellVariables are those among them that mean something to zsh.
const shellVariables = " aliases argv builtins cdpath commands fignore fpath functions galiases " +
	"histchars keymap mailpath manpath mapfile module_path modules nameddirs options parameters " +
	"path patchars prompt psvar saliases status terminfo termcap userdirs watch widgets auto_resume "

// variable reports whether the command may give the variable a value: nobody else looks at it.
func (r *reading) variable(name string) bool {
	_, taken := r.vars[name]
	_, exported := os.LookupEnv(name) // as http_proxy may be
	return !taken && !exported && variableForm().MatchString(name) &&
		!strings.Contains(shellVariables, " "+name+" ")
}

// loop reports whether a loop over words is plain with each of them.
func (r *reading) loop(c *syntax.ForClause) bool {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || !iter.InPos.IsValid() || !r.variable(iter.Name.Value) {
		return false
	}
	defer delete(r.vars, iter.Name.Value)
	for _, item := range iter.Items {
		w, ok := r.word(item)
		if w.open {
			w = word{text: hole, any: w.any}
		}
		w.any = w.hides()
		if r.vars[iter.Name.Value] = w; !ok || !r.statements(c.Do) {
			return false
		}
	}
	return true
}

// known reports whether a word's expansions are plain.
func (r *reading) known(w *syntax.Word) bool {
	_, ok := r.word(w)
	return w == nil || ok
}

// test reports whether a test between two brackets calculates nothing: numbers may be code.
func (r *reading) test(x syntax.TestExpr) bool {
	switch x := x.(type) {
	case *syntax.Word:
		return r.known(x)
	case *syntax.ParenTest:
		return r.test(x.X)
	case *syntax.UnaryTest:
		switch x.Op {
		case syntax.TsNot, syntax.TsEmpStr, syntax.TsNempStr, syntax.TsExists, syntax.TsRegFile,
			syntax.TsDirect, syntax.TsSmbLink, syntax.TsRead, syntax.TsWrite, syntax.TsExec,
			syntax.TsNoEmpty:
			return r.test(x.X)
		}
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.AndTest, syntax.OrTest, syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch,
			syntax.TsReMatch:
			return r.test(x.X) && r.test(x.Y)
		}
	}
	return false
}

// settings are the variables that a command may get.
const settings = " LANG LC_ALL LC_CTYPE LC_COLLATE LC_NUMERIC LC_TIME TZ NO_COLOR COLUMNS "

// simple reports whether a simple command is plain: it sets variables that nobody else looks at,
// or its words fit a line of Usage.
func (r *reading) simple(c *syntax.CallExpr) bool {
	for _, a := range c.Assigns {
		w := word{}
		if a.Append || a.Index != nil || a.Array != nil || a.Naked || !r.known(a.Value) {
			return false
		}
		if a.Value != nil {
			w, _ = r.word(a.Value)
		}
		own := len(c.Args) == 0 && r.variable(a.Name.Value) ||
			len(c.Args) > 0 && a.Name.Value == "IFS" && c.Args[0].Lit() == "read"
		if !own && (!strings.Contains(settings, " "+a.Name.Value+" ") || !isKind("NAME", w)) {
			return false
		}
	}
	words := make([]word, len(c.Args))
	for i, a := range c.Args {
		var ok bool
		if words[i], ok = r.word(a); !ok {
			return false
		}
	}
	return len(words) == 0 || r.call(words)
}

// call reports whether the words of a command fit a line of Usage.
func (r *reading) call(words []word) bool {
	r.steps++
	name := words[0].text
	if last := len(words) - 1; name == "[" && words[last].text == "]" {
		name, words = "test", words[:last]
	} else if words[0].glob || words[0].open {
		return false
	}
	words = words[1:]
	dirs := r.dirs
	for name == "git" && len(words) > 1 && !words[0].glob && !words[0].open {
		if words[0].text == "-C" && isKind("DIR", words[1]) && !strings.Contains(words[1].text, hole) {
			dirs = slices.Clone(dirs)
			for i, dir := range dirs {
				dirs[i] = join(dir, words[1].text)
			}
			words = words[2:]
		} else if words[0].text == "--no-pager" {
			words = words[1:]
		} else {
			break
		}
	}
	if name == "git" && (len(dirs) == 0 || slices.ContainsFunc(dirs, startsPrograms)) {
		return false
	}
	fits := func(u usage) bool { return u.fits(r, words) }
	return slices.ContainsFunc(usages(name), fits) &&
		(strings.Contains(builtins, " "+name+" ") || fromSystem(name, r.path))
}

// builtins are those of these commands that every shell has in itself. Each other one is a
// program, which has to come from one of the system's own folders.
const builtins = " alias cd command echo false help history jobs printf pwd read test " +
	"true type ulimit "

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

// usages returns the lines of Usage for a command, which alone are parsed.
func usages(name string) (list []usage) {
	joined := strings.ReplaceAll(strings.TrimSpace(Usage), "\n    ", " ")
	for line := range strings.Lines(joined) {
		if !strings.Contains(line, name) {
			continue
		}
		m := namesForm().FindString(line)
		if slices.Contains(strings.Split(strings.TrimSpace(m), ", "), name) {
			u := parse(strings.TrimSpace(line[len(m):]))
			u.name = name
			list = append(list, u)
		}
	}
	return list
}

// namesForm is the form of the names in front of a line of Usage.
var namesForm = form(`^(?:\S+, )*\S+ ?`)

// form returns a form that is compiled when a hook first asks for it, not at each start.
func form(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
