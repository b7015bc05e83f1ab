package classify

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
	guessed bool     // a variable whose name is not known has got a value
	doubted string   // the variables, as " x y ", that may change at any time; * is all
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

// alternatives yields the scope as it may be as well: with one variable after another of those
// that the node names at each of its other values.
func (s *scope) alternatives(node syntax.Node) iter.Seq[*scope] {
	return func(yield func(*scope) bool) {
		names, all := variablesIn(node)
		for _, name := range sortedKeys(s.vars) {
			if !all && !names[name] {
				continue
			}
			for _, v := range s.vars[name].others() {
				other := s.sub()
				other.vars[name] = v
				if !yield(other) {
					return
				}
			}
		}
	}
}

// variablesIn returns the names of the variables in the node, and whether it names others by
// their values.
func variablesIn(node syntax.Node) (names map[string]bool, all bool) {
	names = map[string]bool{}
	syntax.Walk(node, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok {
			all = all || p.Excl || p.Param == nil || p.Flags != nil
			if p.Param != nil {
				names[p.Param.Value] = true
			}
		}
		return true
	})
	return names, all
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
	if s.doubts(name) {
		v.older = append([]string{hole}, v.older...)
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

// doubtOf returns what makes the text of a variable doubtful.
func (s *scope) doubtOf(v value) flow {
	if s.guessed && !v.cmd {
		return fromDoubt
	}
	return 0
}

// child returns the scope of a shell that is started: it has only the variables that are exported.
func (s *scope) child() *scope {
	c := s.sub()
	for name, v := range c.vars {
		v.from |= fromDoubt
		c.vars[name] = v
	}
	return c
}

// doubts reports whether the variable may change without an assignment that names it.
func (s *scope) doubts(name string) bool {
	return s.doubted != "" && (inList(s.doubted, name) || inList(s.doubted, "*"))
}

// doubt notes that the variable may change at any time: by another name or by a trap.
func (s *scope) doubt(name string) {
	if name == "" || strings.Contains(name, hole) {
		name = "*"
	}
	if !inList(s.doubted, name) {
		s.doubted += " " + name + " "
	}
	if name != "*" {
		if old := s.vars[name]; old.fixed {
			old.fixed = false
			s.vars[name] = old
		}
		s.forget(name, 0)
		return
	}
	for name := range s.vars {
		s.forget(name, 0)
	}
}

// forget makes a variable's value unknown.
func (s *scope) forget(name string, from flow) {
	name, _, _ = strings.Cut(name, "[")
	if s.vars == nil {
		s.vars = map[string]value{}
	}
	old := s.vars[name]
	s.guessed = s.guessed || strings.Contains(name, hole)
	if old.fixed {
		return
	}
	s.vars[name] = value{text: hole, from: from | old.from, cmd: true, older: old.older}
}

// unset forgets variables that are taken away.
func (s *scope) unset(names []word) {
	for _, name := range names {
		if name.text == "IFS" {
			s.set("IFS", value{text: " \t\n"}) // as which it then counts
		} else if _, was := s.vars[name.text]; was {
			s.forget(name.text, 0)
		}
	}
}

// same reports whether nothing is known of the scope that differs from the other one.
func (s *scope) same(other *scope) bool {
	if s.cwd != other.cwd || len(s.vars) != len(other.vars) || len(s.funcs) != len(other.funcs) {
		return false
	}
	for name, v := range s.vars {
		if !v.same(other.vars[name]) {
			return false
		}
	}
	for name, f := range s.funcs {
		if other.funcs[name] != f {
			return false
		}
	}
	return true
}

// join adds what the variables held before commands that may not have run.
func (s *scope) join(before map[string]value) {
	for name, v := range s.vars {
		if len(s.vars) == len(before) {
			break
		}
		if _, was := before[name]; !was && v.from&fromDoubt == 0 {
			v.from |= fromDoubt
			s.vars[name] = v
		}
	}
	for name, old := range before {
		v, is := s.vars[name]
		switch {
		case !is || v.same(old) || v.fixed:
			continue
		case v.list != nil && old.list != nil:
			v.lists = append(append(slices.Clone(v.lists), old.list), old.lists...)
			if len(v.lists) > maxOlder {
				v.list, v.lists, v.text = nil, nil, hole
			}
		default:
			if v.text != old.text {
				v.older = append(slices.Clone(v.older), old.text)
			}
			v.older = append(v.older, old.older...)
			v.older = v.older[:min(len(v.older), maxOlder)]
			v.list = nil
		}
		v.from |= old.from
		s.vars[name] = v
	}
}
