// Package redact replaces secrets in a stream of bytes: keys of known formats,
// values that are assigned to names like "password", passwords in URLs, private
// keys, and given values. It finds them wherever the stream is split.
//
// Of each row three bytes that are rare in text are looked for, its anchor. Since
// every second pair of bytes is part of any three, the search looks up only those
// pairs in a table: ordinary text passes at about a gigabyte a second.
package redact

import (
	"slices"
	"strings"
	"sync"
)

// A pattern is a row, or a value that was given.
type pattern struct {
	*row
	anchor int    // where in start its anchor is, at most maxAnchor
	value  string // of givenValue; start is its first bytes
}

const maxAnchor = 12

// What a pair of bytes can be.
const (
	first  = 1 << iota // of an anchor, its first two
	second             // of an anchor, its last two
)

// A Set is all that one program redacts. Its tables are made when the first
// stream needs them.
type Set struct {
	values  map[string]string
	once    sync.Once
	all     []*pattern
	pairs   [1 << 16]uint8 // by two bytes, little-endian: first, second
	anchors map[uint32][]*pattern
	maybe   [1 << 10]uint64 // a bit by hash of three bytes: may be an anchor
}

// MinValue is the length of the shortest value that a Set takes: shorter ones
// stand in too much ordinary text.
const MinValue = 8

// NewSet returns a Set that redacts the known formats and values, which map a
// value to its kind.
func NewSet(values map[string]string) *Set { return &Set{values: values} }

// Known returns the kind of the first key of a documented format in text, or "".
func Known(text string) string {
	by := keysByFirst()
	for at := range len(text) {
		inWord := at > 0 && isWord(text[at-1])
		for i := by.first[text[at]]; i != 0; i = by.next[i-1] {
			r := &rows[i-1]
			if inWord && r.form != partKey || !strings.HasPrefix(text[at:], r.start) {
				continue
			}
			if m := r.keyAt([]byte(text), at, at+len(r.start), true); m.outcome == yes {
				return r.kind
			}
		}
	}
	return ""
}

// A byFirst is the rows of keys that begin with the same byte, one after the other:
// the first one by the byte, the next one by the row. Each is counted from 1.
type byFirst struct {
	first [256]uint16
	next  [len(rows)]uint16
}

var keysByFirst = sync.OnceValue(func() *byFirst {
	by := new(byFirst)
	for i := len(rows) - 1; i >= 0; i-- {
		if r := &rows[i]; r.form <= uuidKey {
			by.next[i], by.first[r.start[0]] = by.first[r.start[0]], uint16(i+1)
		}
	}
	return by
})

func (s *Set) compile() {
	s.all = s.patterns()
	s.anchors = make(map[uint32][]*pattern, 3*len(s.all))
	short := slices.Clone(s.all) // the shortest first: they have the least choice
	slices.SortStableFunc(short, func(a, b *pattern) int { return len(a.start) - len(b.start) })
	for _, p := range short {
		p.anchor = s.rarest(p.start)
		p.eachAnchor(func(a, b, c byte) {
			s.pairs[int(a)|int(b)<<8] |= first
			s.pairs[int(b)|int(c)<<8] |= second
		})
	}
	for _, p := range s.all {
		p.eachAnchor(func(a, b, c byte) {
			key := uint32(a) | uint32(b)<<8 | uint32(c)<<16
			h := hash(key)
			s.maybe[h>>6] |= 1 << (h & 63)
			s.anchors[key] = append(s.anchors[key], p)
		})
	}
}

// patterns returns all that is looked for: the values, the longest first, and the rows.
func (s *Set) patterns() []*pattern {
	all := make([]*pattern, 0, len(s.values)+len(rows))
	for v, kind := range s.values {
		if len(v) >= MinValue {
			r := &row{kind: kind, start: v[:MinValue], form: givenValue}
			all = append(all, &pattern{row: r, value: v})
		}
	}
	slices.SortFunc(all, func(a, b *pattern) int { return len(b.value) - len(a.value) })
	own := make([]pattern, len(rows))
	for i := range rows {
		own[i].row = &rows[i]
		all = append(all, &own[i])
	}
	return all
}

// eachAnchor calls do with the pattern's anchor in every case that matches.
func (p *pattern) eachAnchor(do func(a, b, c byte)) {
	first, second, third := p.cases(p.anchor), p.cases(p.anchor+1), p.cases(p.anchor+2)
	for i, a := range first {
		for j, b := range second {
			for k, c := range third {
				again := i > 0 && a == first[0] || j > 0 && b == second[0] || k > 0 && c == third[0]
				if !again {
					do(a, b, c)
				}
			}
		}
	}
}

// cases returns the byte at the place of the start, in both cases that match, or twice.
func (p *pattern) cases(at int) [2]byte {
	c := p.start[at]
	if p.form == assignment && c >= 'a' && c <= 'z' {
		return [2]byte{c, c - 'a' + 'A'}
	}
	return [2]byte{c, c}
}

func hash(key uint32) uint32 { return key * 2654435761 >> 16 }

// rarest returns where the three bytes of start begin whose pairs are the rarest in
// text. Pairs that are looked for already add nothing.
func (s *Set) rarest(start string) (at int) {
	least := -1
	for i := 0; i+3 <= min(len(start), maxAnchor+3); i++ {
		cost := s.cost(start[i], start[i+1]) + s.cost(start[i+1], start[i+2])
		if least < 0 || cost < least {
			at, least = i, cost
		}
	}
	return at
}

// letters are the small letters, those that English has most of first.
const letters = "etaoinsrhldcumfpgwybvkxjqz"

// cost says how often the pair stands in text, roughly.
func (s *Set) cost(a, b byte) int {
	switch {
	case s.pairs[int(a)|int(b)<<8] != 0:
		return 0
	case a == b && !is(a, alnum): // a row of dashes
		return 900
	}
	return weight(a) * weight(b)
}

func weight(c byte) int {
	switch {
	case c == ' ':
		return 30
	case c >= 'a' && c <= 'z':
		return 27 - strings.IndexByte(letters, c)
	}
	return 3
}

// find returns the first place in w from i on where an anchor stands, and its
// patterns. With none it is the first place that more of w is needed to tell.
func (s *Set) find(w []byte, i int) (at int, list []*pattern) {
	j := i
	for ; j+2 <= len(w); j += 2 {
		is := s.pairs[int(w[j])|int(w[j+1])<<8]
		if is == 0 {
			continue
		}
		if is&second != 0 && j > i {
			if list := s.anchor(w, j-1); list != nil {
				return j - 1, list
			}
		}
		if is&first != 0 && j+3 <= len(w) {
			if list := s.anchor(w, j); list != nil {
				return j, list
			}
		}
	}
	return max(i, len(w)-2), nil
}

// anchor returns the patterns whose anchor stands at the place, which has three bytes.
func (s *Set) anchor(w []byte, at int) []*pattern {
	key := uint32(w[at]) | uint32(w[at+1])<<8 | uint32(w[at+2])<<16
	if h := hash(key); s.maybe[h>>6]&(1<<(h&63)) == 0 {
		return nil
	}
	return s.anchors[key]
}

// starts reports whether w starts with the pattern's start: no, wait when it ends
// before that is known, or yes.
func (p *pattern) starts(w []byte) outcome {
	for i := range len(p.start) {
		if i == len(w) {
			return wait
		}
		c := w[i]
		if p.form == assignment && c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != p.start[i] {
			return no
		}
	}
	return yes
}
