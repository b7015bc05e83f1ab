package classify

import (
	"slices"
	"strconv"
	"strings"
)

// positions are the parameters that hold a script's or a function's arguments.
var positions = [...]string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "@", "*"}

// arguments gives the positional parameters their values.
func (s *scope) arguments(words []word) {
	s.positions(words, false)
}

// positions is arguments for set, which may not run: what they were stays possible then.
func (s *scope) positions(words []word, may bool) {
	if s.vars == nil {
		s.vars = map[string]value{}
	}
	given := make([]string, 0, len(words))
	var from flow
	known := true
	for _, wd := range words {
		given = append(given, wd.text)
		from |= wd.from
		known = known && wd.known()
	}
	for n := range 9 {
		v := value{}
		if n < len(words) && known {
			v = value{text: words[n].text, from: words[n].from}
		} else if n < len(words) {
			v = value{text: hole, from: from, older: plainTexts(words)}
		}
		if old, was := s.vars[positions[n]]; may && was && old.text != v.text {
			v.older = append(append(v.older, old.text), old.older...)
			v.older = v.older[:min(len(v.older), maxOlder)]
		}
		s.vars[positions[n]] = v
	}
	all := value{text: strings.Join(given, " "), from: from, list: given}
	if !known || len(given) > maxElements {
		all = value{text: hole, from: from}
	}
	if old, was := s.vars["@"]; may && was {
		if all.lists = append(slices.Clone(old.lists), old.list); len(all.lists) > maxOlder ||
			old.list == nil || all.list == nil {
			all = value{text: hole, from: from | old.from, older: all.older}
		}
	}
	s.vars["@"], s.vars["*"] = all, all
}

// shift drops the first n parameters, where they are known.
func (s *scope) shift(n int) {
	all, ok := s.vars["@"]
	if !ok || all.list == nil {
		return
	}
	if n < 0 || n > len(all.list) {
		s.maybe++ // it fails, or nobody knows how many it drops
		defer func() { s.maybe-- }()
	}
	rest := make([]word, 0, len(all.list))
	for _, text := range all.list[max(0, min(n, len(all.list))):] {
		rest = append(rest, word{text: text, from: all.from})
	}
	if s.maybe > 0 { // it may be done once more, or not at all
		older := all.list[:min(len(all.list), maxOlder)]
		for _, name := range positions {
			s.vars[name] = value{text: hole, from: all.from, older: older}
		}
		return
	}
	s.arguments(rest)
}

// shift is the builtin that drops parameters: one, or as many as it is told.
func (a *argv) shift() {
	n, err := strconv.Atoi(first(a.operands, "1").text)
	if err != nil {
		n = -1
	}
	a.sc.shift(n)
}

// plainTexts returns the words of which the whole text is known.
func plainTexts(words []word) (texts []string) {
	for _, wd := range words {
		if wd.plain() && len(texts) < maxOlder {
			texts = append(texts, wd.text)
		}
	}
	return texts
}
