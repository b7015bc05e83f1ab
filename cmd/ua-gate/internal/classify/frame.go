package classify

import (
	"maps"
	"slices"
)

// A frame is the variables that a call of a function has for itself: what they were before is
// what they are when it is over (bash(1), FUNCTIONS).
type frame struct {
	sc     *scope
	maybe  int // that of the scope when the call began
	before []localVariable
	ended  []map[string]value // the variables where it may have returned
}

// A localVariable is one that local or declare has made the function's own.
type localVariable struct {
	name  string
	value value
	was   bool // it was set
	maybe bool // what made it so may not have run
}

// local notes that a declaration makes the variable the function's own.
func (w *walker) local(name string, sc *scope) {
	if len(w.frames) == 0 {
		return
	}
	f := &w.frames[len(w.frames)-1]
	if f.sc != sc || slices.ContainsFunc(f.before, func(l localVariable) bool {
		return l.name == name && !l.maybe
	}) {
		return // in a subshell, which changes nothing here, or not for the first time
	}
	v, was := sc.vars[name]
	f.before = append(f.before, localVariable{name, v, was, sc.maybe > f.maybe})
}

// returns notes that the call may end here.
func (w *walker) returns(sc *scope) {
	if n := len(w.frames); n > 0 && w.frames[n-1].sc == sc {
		f := &w.frames[n-1]
		if len(f.ended) < maxOlder {
			f.ended = append(f.ended, maps.Clone(sc.vars))
		} else {
			sc.guessed = true
		}
	}
}

// leave gives the variables back their values of before.
func (f *frame) leave() {
	for _, vars := range f.ended {
		f.sc.join(vars)
	}
	for _, l := range slices.Backward(f.before) {
		now := f.sc.vars[l.name]
		switch {
		case l.maybe && !now.same(l.value):
			f.sc.forget(l.name, now.from|l.value.from)
		case l.was:
			f.sc.vars[l.name] = l.value
		default:
			delete(f.sc.vars, l.name)
		}
	}
}
