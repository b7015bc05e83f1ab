package classify

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A function is one that the command defines.
type function struct {
	name   string
	decl   *syntax.FuncDecl
	scope  *scope // what is known where it is defined
	source string // the text that its positions refer to
	called bool   // some call has been judged
	body   string // its text, once somebody has asked for it
	began  *scope // what was known when the outermost call of it began
	sure   bool   // it is defined whenever what follows runs, and never taken away
}

// function notes a definition. The body is judged at each call, with its
// arguments, and once without any if nothing calls it: it may run by another way,
// as a trap or in a shell that gets it by the environment.
func (w *walker) function(c *syntax.FuncDecl, sc *scope, parts *[]Part) {
	if c.Name == nil && len(c.Names) == 0 { // zsh calls it where it stands
		w.invoke(&function{name: "()", decl: c, scope: sc.sub(), source: w.source}, nil, stream{},
			sc, parts)
		return
	}
	if c.Name == nil {
		for _, name := range c.Names {
			one := *c
			one.Name = name
			w.function(&one, sc, parts)
		}
		return
	}
	f := &function{name: c.Name.Value, decl: c, scope: sc.sub(), source: w.source}
	f.sure = sc.maybe == 0 && w.forks == 0 && !strings.Contains(w.source, "unset") &&
		!strings.Contains(w.source, "unfunction")
	w.functions = append(w.functions, f)
	if sc.funcs == nil {
		sc.funcs = map[string]*function{}
	}
	sc.funcs[f.name] = f
}

// uncalled judges the functions that nothing calls.
func (w *walker) uncalled(parts *[]Part) {
	for i := 0; i < len(w.functions); i++ {
		f := w.functions[i]
		if f.called {
			continue
		}
		f.called = true
		sc := f.scope.sub()
		sc.maybe = 1
		for name, v := range sc.vars {
			sc.vars[name] = value{text: hole, from: v.from}
		}
		for n := range 10 {
			sc.vars[strconv.Itoa(n)] = value{text: hole}
		}
		w.body(f, stream{bits: fromPipe, open: true}, sc, parts)
	}
}

// invoke judges a call of a function: its body, with the call's words as its
// arguments. Variables that the body sets stay set.
func (w *walker) invoke(f *function, words []word, in stream, sc *scope, parts *[]Part) stream {
	again := 0
	for _, name := range w.calling {
		if name == f.name {
			again++
		}
	}
	switch {
	case again == 0:
	case allKnown(words) && len(words) > 0 && again < maxOlder && !anyPattern(words),
		w.forks == 0 && again == 1 && len(w.calling) < maxOlder && f.began != nil &&
			!f.began.same(sc):
		again = 0 // other words or variables: its body is judged with them
	case again >= maxOlder:
		w.fact(parts, nil, runsHidden, "function:itself", f.name+" calls itself too often")
	}
	for _, name := range w.calling {
		if again > 0 && name == f.name {
			// In the background it may fill the machine; in the foreground it ends
			// with the stack at worst.
			if w.forks > 1 || w.forks > 0 && len(words) == 0 && f.multiplies() {
				w.fact(parts, nil, never, "function:itself", f.name+" calls itself")
			} else if w.forks > 0 {
				w.fact(parts, nil, runsHidden, "function:itself", f.name+" calls itself")
			}
			return stream{open: true}
		}
	}
	f.called = true
	if !slices.Contains(w.calling, f.name) {
		f.began = sc.sub()
	}
	outer := map[string]value{}
	for _, name := range positions {
		if v, ok := sc.vars[name]; ok {
			outer[name] = v
		}
	}
	sc.arguments(words)
	w.frames = append(w.frames, frame{sc: sc, maybe: sc.maybe})
	out := w.body(f, in, sc, parts)
	w.frames[len(w.frames)-1].leave()
	w.frames = w.frames[:len(w.frames)-1]
	for _, name := range positions {
		delete(sc.vars, name)
	}
	maps.Copy(sc.vars, outer)
	return out
}

// multiplies reports whether the function's body calls it more than once.
func (f *function) multiplies() bool {
	calls := 0
	syntax.Walk(f.decl.Body, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[0].Lit() == f.name {
			calls++
		}
		return true
	})
	return calls > 1
}

// anyPattern reports whether one of the words may stand for the names of several files.
func anyPattern(words []word) bool {
	return slices.ContainsFunc(words, func(wd word) bool { return patterned(wd.text) })
}

// body judges what a function does.
func (w *walker) body(f *function, in stream, sc *scope, parts *[]Part) stream {
	if w.nested++; w.nested > maxNested {
		w.nested--
		w.unread(parts, nil, "limit:depth", "too many functions inside functions")
		return stream{open: true}
	}
	outer := w.source
	w.source = f.source
	w.calling = append(w.calling, f.name)
	out := w.stmt(f.decl.Body, in, sc, parts)
	w.calling = w.calling[:len(w.calling)-1]
	w.source = outer
	w.nested--
	return out
}

// doubtFunctions is the rule for a builtin that takes functions away: what it names, or all
// if that is not known, may be the program of that name again.
func (s *scope) doubtFunctions(names []word) {
	for name, f := range s.funcs {
		for _, wd := range names {
			if wd.text == name || !wd.known() {
				f.sure = false
			}
		}
	}
}
