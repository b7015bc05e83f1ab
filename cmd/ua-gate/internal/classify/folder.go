package classify

import (
	"os"
	"path"
	"slices"
	"strings"
)

// cd is cd, pushd and popd.
func (a *argv) cd() {
	to := first(a.operands, "")
	switch {
	case a.name == "popd" || a.name == "pushd" && len(a.operands) == 0:
		a.sc.pop(a.name == "pushd", len(a.words) > 0)
	case a.name == "pushd" && strings.HasPrefix(to.text, "+"):
		a.sc.stack, a.sc.cwd = nil, "" // it turns the list around
	case a.name == "pushd":
		a.sc.stack = append(slices.Clone(a.sc.stack), a.sc.cwd)
		a.sc.cd(to)
	case len(a.operands) == 0:
		a.sc.cd(lit("~"))
	default:
		stay := a.sc.cwd
		if a.sc.unsure {
			stay = a.sc.stay
		}
		a.sc.cd(to)
		a.sc.stay, a.sc.unsure = stay, !a.w.stands(to, a.sc)
	}
}

// stands reports whether a folder that the scope has gone to is surely there: it is one above,
// the command has made it, or it is found.
func (w *walker) stands(to word, sc *scope) bool {
	at := w.at(".", sc).abs
	if inList(" . .. / ~ ~/ - ", to.text) || strings.HasPrefix(to.text, "../") || w.errexit ||
		slices.Contains(w.made, at) || temporary(to) {
		return true
	}
	if !w.o.Resolve || !to.plain() {
		return false
	}
	if strings.HasPrefix(at, "~") {
		at = w.o.Home + at[1:]
	}
	folder, err := os.Stat(at)
	return err == nil && folder.IsDir()
}

// errexit finds what makes a script end at the first command that fails.
var errexit = regex{text: `\bset -\w*e|\berrexit\b|^#!\S*sh -\w*e`}

// stayed holds the part for what it deletes where the shell still is if a cd has failed.
func (a *argv) stayed(val word) {
	if !a.sc.unsure || strings.HasPrefix(val.text, "/") || strings.HasPrefix(val.text, "~") {
		return
	}
	here := *a.sc
	here.cwd, here.unsure = a.sc.stay, false
	if a.wipes(a.w.at(val.text, &here)) {
		a.p.hold("path:cd", a.name+" deletes "+show(val.text)+" here if cd fails: join them with &&")
	}
}

// cd moves the scope to a folder.
func (s *scope) cd(to word) {
	from := s.cwd
	switch {
	case to.text == "-":
		s.cwd = s.before
	case temporary(to):
		s.cwd = to.text
	case !to.plain() || to.glob:
		s.cwd = ""
	case strings.HasPrefix(to.text, "/") || strings.HasPrefix(to.text, "~"):
		s.cwd = path.Clean(to.text)
	default:
		s.cwd = path.Join(s.cwd, to.text)
	}
	s.before = from
}

// pop moves the scope to the folder that the last pushd left, which changes places with this one
// or is taken from the list. Where the list is empty the shell stays where it is.
func (s *scope) pop(swaps, numbered bool) {
	last := len(s.stack) - 1
	switch {
	case numbered:
		s.stack, s.cwd = nil, ""
	case last < 0:
	case swaps:
		s.stack = slices.Clone(s.stack)
		s.cwd, s.stack[last] = s.stack[last], s.cwd
	default:
		s.cwd, s.stack = s.stack[last], s.stack[:last]
	}
}
