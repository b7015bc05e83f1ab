// Package redact replaces secrets in a stream of bytes: keys of known formats, values
// assigned to names like "password", passwords in URLs, private keys, and given values.
// It finds them wherever the stream is split.
//
// The search looks for three bytes of each row that are rare in text, its anchor. Any
// three bytes contain one of every second pair of bytes, so the search looks up only
// those pairs in a table. Ordinary text passes at about a gigabyte a second.
package redact

import (
	"iter"
	"slices"
	"strings"
	"sync"
)

// A pattern is a row of the table, or a value that the caller gave.
type pattern struct {
	*row
	anchor int    // where in start its anchor is, at most maxAnchor
	value  string // of givenValue; start is its first bytes
}

// maxAnchor is the largest index of an anchor in a pattern's start.
const maxAnchor = 12

// What a pair of bytes can be in an anchor.
const (
	first  = 1 << iota // of an anchor, its first two
	second             // of an anchor, its last two
)

// A Set is all that a program redacts. Its tables are made when the first stream needs
// them: one that is long, goes on, or may hold a secret.
type Set struct {
	values  map[string]string
	once    sync.Once
	all     []pattern
	pairs   [1 << 16]uint8 // by two bytes, little-endian: first, second
	anchors []anchor
	maybe   [1 << 10]uint64 // a bit by hash of three bytes: may be an anchor
	lists   [1 << 10]uint32 // by hash of three bytes: the first of their anchors
}

// An anchor is three bytes for which the search looks, and a pattern that they belong to.
// Anchors are counted from 1, so that 0 is none.
type anchor struct {
	key     uint32
	pattern *pattern
	next    uint32 // of the same hash
}

// MinValue is the length of the shortest value that a Set takes, in bytes. Shorter ones
// occur in too much ordinary text.
const MinValue = 8

// NewSet returns a Set that redacts the known formats and the values. The map has the
// kind of each value.
func NewSet(values map[string]string) *Set { return &Set{values: values} }

// Known returns the kind of the first key of a documented format in text, or "".
func Known(text string) string {
	rows := formats()
	for i := range rows {
		r := &rows[i]
		if r.form > uuidKey || len(text) < len(r.start)+r.min {
			continue
		}
		for at := 0; ; at++ {
			n := strings.Index(text[at:], r.start)
			if n < 0 {
				break
			}
			at += n
			if r.keyAt([]byte(text), at, at+len(r.start), true).outcome == yes {
				return r.kind
			}
		}
	}
	return ""
}

// anyStart reports whether the text holds the start of a pattern, without which there is
// no secret in it. It needs no tables.
func (s *Set) anyStart(text string) bool {
	for v := range s.values {
		if len(v) >= MinValue && strings.Contains(text, v[:MinValue]) {
			return true
		}
	}
	low, rows := strings.ToLower(text), formats()
	for i := range rows {
		in := text
		if rows[i].form == assignment { // its start is in lower case, and matches any
			in = low
		}
		if strings.Contains(in, rows[i].start) {
			return true
		}
	}
	return false
}

// compile makes the tables of the search. Most programs that redact do so once, so it
// allocates little.
func (s *Set) compile() {
	s.all = s.patterns()
	longest := 0
	for i := range s.all {
		longest = max(longest, len(s.all[i].start))
	}
	for size := range longest + 1 { // the shortest first: they have the least choice
		for i := range s.all {
			p := &s.all[i]
			if len(p.start) != size {
				continue
			}
			p.anchor = s.rarest(p.start)
			p.eachAnchor(func(a, b, c byte) {
				s.pairs[int(a)|int(b)<<8] |= first
				s.pairs[int(b)|int(c)<<8] |= second
			})
		}
	}
	s.anchors = make([]anchor, 0, 2*len(s.all))
	for i := range s.all { // from the last, so that each list begins with the first
		p := &s.all[len(s.all)-1-i]
		p.eachAnchor(func(a, b, c byte) {
			key := anchorKey(a, b, c)
			h := hash(key)
			s.maybe[h>>6] |= 1 << (h & 63)
			list := &s.lists[h%uint32(len(s.lists))]
			s.anchors = append(s.anchors, anchor{key, p, *list})
			*list = uint32(len(s.anchors))
		})
	}
}

// patterns returns all patterns: the values, the longest first, and the rows.
func (s *Set) patterns() []pattern {
	rows := formats()
	all := make([]pattern, 0, len(s.values)+len(rows))
	for v, kind := range s.values {
		if len(v) >= MinValue {
			r := &row{kind: kind, start: v[:MinValue], form: givenValue}
			all = append(all, pattern{row: r, value: v})
		}
	}
	slices.SortFunc(all, func(a, b pattern) int { return len(b.value) - len(a.value) })
	for i := range rows {
		all = append(all, pattern{row: &rows[i]})
	}
	return all
}

// eachAnchor calls do with the pattern's anchor, in upper and lower case if both match.
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

// cases returns the byte at that index of the start in both cases, or twice the same.
func (p *pattern) cases(at int) [2]byte {
	c := p.start[at]
	if p.form == assignment && c >= 'a' && c <= 'z' {
		return [2]byte{c, c - 'a' + 'A'}
	}
	return [2]byte{c, c}
}

// anchorKey returns the three bytes of an anchor as one number.
func anchorKey(a, b, c byte) uint32 { return uint32(a) | uint32(b)<<8 | uint32(c)<<16 }

// hash returns a hash of 16 bits of the three bytes of an anchor.
func hash(key uint32) uint32 { return key * 2654435761 >> 16 }

// rarest returns the index of the three bytes of start whose pairs are rarest in text.
// Pairs that are looked for already cost nothing.
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

// weights say roughly how often a small letter occurs in English, from 2 to 27.
var weights = [...]int{
	'e': 27, 't': 26, 'a': 25, 'o': 24, 'i': 23, 'n': 22, 's': 21, 'r': 20, 'h': 19,
	'l': 18, 'd': 17, 'c': 16, 'u': 15, 'm': 14, 'f': 13, 'p': 12, 'g': 11, 'w': 10,
	'y': 9, 'b': 8, 'v': 7, 'k': 6, 'x': 5, 'j': 4, 'q': 3, 'z': 2,
}

// cost says roughly how often the pair occurs in text.
func (s *Set) cost(a, b byte) int {
	switch {
	case s.pairs[int(a)|int(b)<<8] != 0:
		return 0
	case a == b && !is(a, alnum): // a row of dashes
		return 900
	}
	return weight(a) * weight(b)
}

// weight says roughly how often the byte occurs in text.
func weight(c byte) int {
	switch {
	case c == ' ':
		return 30
	case c >= 'a' && c <= 'z':
		return weights[c]
	}
	return 3
}

// find returns the first place in w from i on with an anchor, and the first of the
// anchors there. If there is none, the place is the first one for which more of w is
// needed.
func (s *Set) find(w []byte, i int) (at int, anchor uint32) {
	j := i
	for ; j+2 <= len(w); j += 2 {
		is := s.pairs[int(w[j])|int(w[j+1])<<8]
		if is == 0 {
			continue
		}
		if is&second != 0 && j > i {
			if anchor := s.anchor(w, j-1); anchor != 0 {
				return j - 1, anchor
			}
		}
		if is&first != 0 && j+3 <= len(w) {
			if anchor := s.anchor(w, j); anchor != 0 {
				return j, anchor
			}
		}
	}
	return max(i, len(w)-2), 0
}

// anchor returns the first anchor at index at, where w has three bytes.
func (s *Set) anchor(w []byte, at int) uint32 {
	key := anchorKey(w[at], w[at+1], w[at+2])
	h := hash(key)
	if s.maybe[h>>6]&(1<<(h&63)) == 0 {
		return 0
	}
	return s.same(s.lists[h%uint32(len(s.lists))], key)
}

// of yields the patterns of an anchor that anchor returned.
func (s *Set) of(i uint32) iter.Seq[*pattern] {
	return func(yield func(*pattern) bool) {
		for key := s.anchors[i-1].key; i != 0 && yield(s.anchors[i-1].pattern); {
			i = s.same(s.anchors[i-1].next, key)
		}
	}
}

// same returns the first anchor with the key, from i on in a list.
func (s *Set) same(i, key uint32) uint32 {
	for i != 0 && s.anchors[i-1].key != key {
		i = s.anchors[i-1].next
	}
	return i
}

// starts reports whether w begins with the pattern's start. It is wait if w ends before
// that is known.
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
