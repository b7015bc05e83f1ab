package classify

import (
	"maps"
	"strings"
)

// A flow is what bytes may carry from where they come to where they go.
type flow uint16

// passing are the flows that go on only through programs known to pass them on.
const passing = fromVar | fromEndless | fromTemp

const (
	fromNet     flow = 1 << iota // another machine's answer
	fromDecode                   // what a decoder made readable
	fromSecret                   // a secret
	fromText                     // what a text tool made: tr, rev, sed, printf
	fromPipe                     // anything at all
	fromNames                    // the names of secret files
	fromVar                      // the value of a secret variable
	fromEndless                  // bytes without end
	fromTemp                     // the name that mktemp gave, and nothing else
	fromOutside                  // names of files outside the workspace
)

// A stream is what a command finds on its standard input or leaves on its
// output.
type stream struct {
	bits  flow
	text  string // all of it, if known
	known bool
	open  bool   // there is something: not the input that ua-gate's user has
	here  bool   // it stands in the command itself, as a here-document
	file  string // the one file that it is, as named
}

// with returns the stream with more on it, of unknown text.
func (s stream) with(t stream) stream {
	return stream{bits: (s.bits | t.bits) &^ fromTemp, open: true}
}

// scriptFrom is the rule for a program that runs what it reads: the level and
// the reason.
func (w *walker) scriptFrom(p *Part, from flow, what string) {
	switch {
	case from&fromNet != 0 && from&fromDecode == 0:
		p.raise(network, "pipe:net", what+" runs what comes from the network")
		p.Unread = true
	case from&fromDecode != 0:
		p.raise(denied, "pipe:decoded", what+" runs what a decoder makes")
	default:
		p.raise(destructive, "pipe:shell", what+" runs what it reads")
	}
}

// scriptInput is scriptFrom for a program that runs its standard input, which
// nobody has read unless its text is known.
func (w *walker) scriptInput(p *Part, in stream, what string) {
	w.scriptFrom(p, in.bits, what)
	p.Unread = p.Unread || !in.known
}

// leak is the rule for a part that talks to the network: no secret may reach
// it.
func (w *walker) leak(p *Part, from flow) {
	if from&fromSecret != 0 && p.Level >= network && p.Level < denied {
		p.raise(denied, "pipe:secret", "a secret goes to the network")
	}
}

// scope is what a list of commands knows: variables, functions, the folder.
type scope struct {
	vars  map[string]value
	funcs map[string]*function

	aliases map[string]string
	traps   []*trapped
	cwd     string   // "" is unknown
	before  string   // the folder before the last cd
	stack   []string // the folders that pushd left
	maybe   int      // above 0, what stands here may not run, or run again
}

func (s *scope) sub() *scope {
	c := *s
	c.vars = make(map[string]value, len(s.vars))
	for k, v := range s.vars {
		c.vars[k] = v
	}
	if s.funcs != nil {
		c.funcs = maps.Clone(s.funcs)
	}
	return &c
}

// set is an assignment that is met. One that may not happen leaves the value of
// before possible.
func (s *scope) set(name string, v value) {
	old, was := s.vars[name]
	if old.fixed {
		return
	}
	if len(v.text) > maxValue {
		v.text = hole
	}
	if s.maybe > 0 && (!was || old.text != v.text) {
		v.older = append([]string{hole}, old.older...)
		if was {
			v.older = append(v.older, old.text)
		}
		v.older = v.older[:min(len(v.older), maxOlder)]
		v.from |= old.from
	}
	if s.vars == nil {
		s.vars = map[string]value{}
	}
	s.vars[name] = v
}

// forget makes a variable's value unknown.
func (s *scope) forget(name string, from flow) {
	name, _, _ = strings.Cut(name, "[")
	if s.vars == nil {
		s.vars = map[string]value{}
	}
	old := s.vars[name]
	s.vars[name] = value{text: hole, from: from | old.from, cmd: true, older: old.older}
}
