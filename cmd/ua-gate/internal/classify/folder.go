package classify

import (
	"cmp"
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
		a.goes(to)
	case len(a.operands) == 0:
		a.sc.cd(lit("~"))
	default:
		a.goes(to)
	}
}

// goes moves the scope to a folder, and notes where the shell still is if that is not there: the
// command has not made it, and it is not found.
func (a *argv) goes(to word) {
	stay, there := cmp.Or(a.sc.stay, a.sc.cwd), a.w.errexit || temporary(to) ||
		strings.Trim(to.text, "./~-") == ""
	a.sc.cd(to)
	at := a.w.at(".", a.sc)
	if there = there || slices.Contains(a.w.made, at.abs); !there && a.w.o.Resolve && to.plain() {
		folder, err := os.Stat(a.w.file(at.abs))
		there = err == nil && folder.IsDir()
	}
	if a.sc.stay = stay; there {
		a.sc.stay = ""
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
