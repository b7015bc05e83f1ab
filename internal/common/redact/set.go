// Package redact replaces secrets in a stream of bytes: keys of known formats,
// values that are assigned to names like "password", passwords in URLs, private
// keys, and given values. It finds them wherever the stream is split.
//
// Of each pattern three bytes that are rare in text are looked for, its anchor.
// Since every second pair of bytes is part of any three, the search looks up
// only those pairs in a table, and no look-up waits for the one before.
package redact

import (
	"encoding/binary"
	"slices"
	"sync"
)

// What a pattern's prefix begins.
const (
	aKey     = iota // what a rule describes
	aValue          // a given value
	aName           // a name that secrets are assigned to
	aURL            // a URL that may hold a password
	aPrivate        // a PEM private key
)

// A pattern is a prefix and what has to follow it.
type pattern struct {
	begins int
	prefix string
	anchor int    // where in prefix its anchor is, at most maxAnchor
	fold   bool   // match the prefix in any case
	rule   *rule  // of aKey
	value  string // of aValue
	kind   string
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
	pairs   [1 << 16]uint8  // by two bytes, little-endian: first, second
	maybe   [1 << 10]uint64 // a bit by hash of three bytes: may be an anchor
	anchors map[uint32][]*pattern
	classes [256]class
}

// MinValue is the length of the shortest value that a Set takes: shorter ones
// stand in too much ordinary text.
const MinValue = 8

// NewSet returns a Set that redacts the known formats and values, which map a
// value to its kind.
func NewSet(values map[string]string) *Set { return &Set{values: values} }

func (s *Set) compile() {
	for i := range s.classes {
		s.classes[i] = members(byte(i))
	}
	s.anchors = map[uint32][]*pattern{}
	s.all = s.patterns()
	short := slices.Clone(s.all) // the shortest first: they have the least choice
	slices.SortStableFunc(short, func(a, b *pattern) int { return len(a.prefix) - len(b.prefix) })
	for _, p := range short {
		p.anchor = s.rarest(p.prefix)
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

// eachAnchor calls do with the pattern's anchor in every case that matches.
func (p *pattern) eachAnchor(do func(a, b, c byte)) {
	for _, a := range cases(p.prefix[p.anchor], p.fold) {
		for _, b := range cases(p.prefix[p.anchor+1], p.fold) {
			for _, c := range cases(p.prefix[p.anchor+2], p.fold) {
				do(a, b, c)
			}
		}
	}
}

// patterns is all that is looked for. Of patterns with the same anchor the
// earlier one counts.
func (s *Set) patterns() (all []*pattern) {
	for v, kind := range s.values {
		if len(v) >= MinValue {
			all = append(all, &pattern{begins: aValue, prefix: v[:MinValue], value: v, kind: kind})
		}
	}
	slices.SortFunc(all, func(a, b *pattern) int { return len(b.value) - len(a.value) })
	for i := range rules {
		r := &rules[i]
		all = append(all, &pattern{begins: aKey, prefix: r.prefix, rule: r, kind: r.kind})
	}
	for _, w := range words {
		all = append(all, &pattern{begins: aName, prefix: w, fold: true, kind: "assigned_secret"})
	}
	return append(all,
		&pattern{begins: aURL, prefix: "://", kind: "url_password"},
		&pattern{begins: aPrivate, prefix: "-----BEGIN ", kind: "private_key"})
}

func hash(key uint32) uint32 { return key * 2654435761 >> 16 }

func cases(c byte, fold bool) []byte {
	if fold && c >= 'a' && c <= 'z' {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}

// rarest is where the three bytes of prefix start whose pairs add the least to
// what has to be looked up: pairs that are in the table already add nothing.
func (s *Set) rarest(prefix string) (at int) {
	least := -1
	for i := 0; i+3 <= min(len(prefix), maxAnchor+3); i++ {
		cost := s.cost(prefix[i], prefix[i+1]) + s.cost(prefix[i+1], prefix[i+2])
		if least < 0 || cost < least {
			at, least = i, cost
		}
	}
	return at
}

func (s *Set) cost(a, b byte) int {
	switch {
	case s.pairs[int(a)|int(b)<<8] != 0:
		return 0
	case a >= 'a' && a <= 'z' && b >= 'a' && b <= 'z':
		return 1 << (bigrams[a-'a'][b-'a'] - '0')
	case a == ' ' || b == ' ' || a == b: // also a row of dashes
		return 1 << 8
	}
	return 1 << 4
}

// find is the first place in w from i on where an anchor stands, and its
// patterns. With none it is the first place that more of w is needed to tell.
func (s *Set) find(w []byte, i int) (at int, list []*pattern) {
	for j := i; ; {
		for j+16 <= len(w) {
			a, b := binary.LittleEndian.Uint64(w[j:]), binary.LittleEndian.Uint64(w[j+8:])
			if s.pairs[uint16(a)]|s.pairs[uint16(a>>16)]|s.pairs[uint16(a>>32)]|s.pairs[a>>48] != 0 {
				break
			}
			j += 8
			if s.pairs[uint16(b)]|s.pairs[uint16(b>>16)]|s.pairs[uint16(b>>32)]|s.pairs[b>>48] != 0 {
				break
			}
			j += 8
		}
		for end := min(j+8, len(w)); j+2 <= end; j += 2 {
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
		if j+2 > len(w) {
			return max(i, len(w)-2), nil
		}
	}
}

// anchor is the patterns whose anchor stands at the place, which has three bytes.
func (s *Set) anchor(w []byte, at int) []*pattern {
	key := uint32(w[at]) | uint32(w[at+1])<<8 | uint32(w[at+2])<<16
	if h := hash(key); s.maybe[h>>6]&(1<<(h&63)) == 0 {
		return nil
	}
	return s.anchors[key]
}

// starts says whether w starts with the pattern's prefix: no, wait when it ends
// before that is known, or yes.
func (p *pattern) starts(w []byte) outcome {
	for i := range len(p.prefix) {
		if i == len(w) {
			return wait
		}
		c := w[i]
		if p.fold && c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != p.prefix[i] {
			return no
		}
	}
	return yes
}
