package classify

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// scope is what a list of commands knows: variables and the folder.
type scope struct {
	vars   map[string]value
	script *assignments // what the script assigns, by whatever way
	cwd    string       // "" is unknown
	before string       // the folder before the last cd
	stack  []string     // the folders that pushd left
	stay   string       // where it still is if a cd before has failed; "" if none may have
	maybe  int          // above 0, what stands here may not run, or run again
	chain  int          // above 0, it may not run, and then nothing behind it does
}

// sub returns the scope of what runs beside, or in a shell of its own.
func (s *scope) sub() *scope {
	c := *s
	c.vars = maps.Clone(s.vars)
	return &c
}

// beside returns the scope of what runs in a subshell.
func (s *scope) beside() *scope {
	c := s.sub()
	c.maybe++
	return c
}

// child returns the scope of a shell that is started: it has only the variables that are exported,
// and a script of its own.
func (s *scope) child() *scope {
	c := s.sub()
	c.script = nil
	for name, v := range c.vars {
		v.maybe = true
		c.vars[name] = v
	}
	return c
}

// maxOlder bounds how many values of a variable are kept apart.
const maxOlder = 8

// get returns the value of a variable, and whether the command has set it.
func (s *scope) get(name string) (value, bool) {
	if v, ok := s.vars[name]; ok && name != "_" {
		return v, true
	}
	if name == "*" {
		name = "@"
	}
	if name != "0" && name != "" && strings.Trim(name, "0123456789") == "" {
		all := s.vars["@"]
		return value{text: hole, from: all.from, maybe: true, cmd: all.cmd,
			others: all.list[:min(len(all.list), maxOlder)]}, true
	}
	v := s.implicit(name)
	if s.script != nil && s.script.times[name] > 0 && (s.maybe > 0 || s.script.times[name] > 1) {
		v.maybe = true
		v.others = s.script.texts[name]
	}
	return v, false
}

// maxValue bounds how much of a value of a variable is known.
const maxValue = 2000

// set is an assignment that is met.
func (s *scope) set(name string, v value) {
	if len(v.text) > maxValue {
		v.text = hole
	}
	if !s.script.sure(name) || s.maybe > 0 {
		old := s.vars[name]
		if v.maybe = true; old.text == hole {
			v.from = v.from.joined(old.from)
		}
		v.from |= old.from &^ fromFilter
		for _, text := range append(old.others, old.text) {
			v.others = another(v.others, text, v.text)
		}
		if s.script != nil {
			for _, text := range s.script.texts[name] {
				v.others = another(v.others, text, v.text)
			}
		}
	}
	s.put(name, v)
}

// another adds a text to the others that a variable may hold.
func another(others []string, text, now string) []string {
	if text == "" || text == hole || text == now || len(others) >= maxOlder ||
		slices.Contains(others, text) {
		return others
	}
	return append(slices.Clip(others), text)
}

func (s *scope) put(name string, v value) {
	if s.vars == nil {
		s.vars = map[string]value{}
	}
	s.vars[name] = v
}

// forget makes a variable's value unknown.
func (s *scope) forget(name string, from flow) {
	name, _, _ = strings.Cut(name, "[")
	if strings.Contains(name, hole) && s.script != nil {
		s.script.all = true
	}
	s.set(name, value{text: hole, from: from, cmd: true})
}

// lose makes all variables unknown: a text that nobody has read may have changed them.
func (s *scope) lose() {
	if s.script != nil {
		s.script.all = true
	}
	for name, v := range s.vars {
		v.maybe = true
		s.vars[name] = v
	}
}

// maxElements bounds how many elements of an array are known, and how many arguments.
const maxElements = 200

// array gives a variable words of which nobody knows which are taken later.
func (s *scope) array(name string, words []word) {
	v := value{text: hole, from: fromAll(words), maybe: true}
	for _, wd := range words {
		v.cmd = v.cmd || !wd.plain()
		if wd.plain() && len(v.list) < maxElements {
			v.list = append(v.list, wd.text)
		}
	}
	if old := s.vars[name]; len(old.list) > 0 {
		v.from, v.list = v.from.joined(old.from), append(slices.Clip(old.list), v.list...)
		v.list = v.list[:min(len(v.list), maxElements)]
	}
	s.put(name, v)
}

// others returns the scope as it may be as well: with one variable after another of those that the
// node names at each of the other texts that it may hold.
func (s *scope) others(node syntax.Node) (all []*scope) {
	seen := map[string]bool{}
	syntax.Walk(node, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		if !ok || p.Param == nil || seen[p.Param.Value] {
			return true
		}
		seen[p.Param.Value] = true
		v, _ := s.get(p.Param.Value)
		list := v.others
		if p.Index != nil {
			list = v.list[:min(len(v.list), maxOlder)]
		}
		for _, text := range list {
			other := s.sub()
			other.put(p.Param.Value, value{text: text, from: v.from, maybe: true})
			all = append(all, other)
		}
		return true
	})
	return all
}

// otherTexts returns what a word may be as well, by the other texts of its variables.
func (w *expander) otherTexts(src *syntax.Word, now word, sc *scope) (texts []string) {
	if !now.maybe || src == nil {
		return nil
	}
	for _, other := range sc.others(src) {
		var unused []Part
		texts = another(texts, w.single(src, other, &unused).text, now.text)
	}
	return texts
}
