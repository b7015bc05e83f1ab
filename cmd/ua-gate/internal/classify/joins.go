package classify

import (
	"slices"
	"strings"
)

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

// same reports whether the value may hold just what the other one may.
func (v value) same(other value) bool {
	return v.text == other.text && v.from == other.from && slices.Equal(v.older, other.older) &&
		slices.Equal(v.list, other.list) && slices.EqualFunc(v.lists, other.lists, slices.Equal)
}

// others returns what the variable may hold as well, one by one.
func (v value) others() (all []value) {
	for _, text := range v.older {
		all = append(all, value{text: text, from: v.from, exact: true, list: v.list})
	}
	for _, list := range v.lists {
		text := v.text
		if text != hole {
			text = strings.Join(list, " ")
		}
		all = append(all, value{text: text, from: v.from, list: list,
			older: list[:min(len(list), maxOlder)]})
	}
	return all
}

// join adds what the variables held before commands that may not have run.
func (s *scope) join(before map[string]value) {
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
