// Package redact replaces secrets in a stream of bytes: keys of known formats,
// values that are assigned to names like "password", passwords in URLs, private
// keys, and given values. It finds them wherever the stream is split.
//
// A stream is searched for the first three bytes of all patterns at once, after
// Wu and Manber, A Fast Algorithm for Multi-Pattern Searching (1994): a table by
// pairs of bytes says how far to step on, two bytes in most places.
package redact

import (
	"slices"
	"sync"
)

// What a pattern's prefix begins.
const (
	aKey     = iota // what a rule describes
	aValue          // a given value
	aName           // a name that secrets are assigned to
	aURL            // a URL that may hold a password
	aBearer         // "Bearer TOKEN"
	aPrivate        // a PEM private key
)

// A pattern is a prefix and what has to follow it.
type pattern struct {
	begins int
	prefix string
	fold   bool   // match the prefix in any case
	rule   *rule  // of aKey
	value  string // of aValue
	kind   string
}

const (
	stepTwo = 255 // entries of next: no pattern starts here or at the next byte
	stepOne = 254
	buckets = 254
)

// A Set is all that one program redacts. Its tables are made when the first
// stream needs them.
type Set struct {
	values  map[string]string
	once    sync.Once
	next    [1 << 16]uint8 // by the second and third byte of a place: a step, or a bucket
	buckets [buckets][]*pattern
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
	for i := range s.next {
		s.next[i] = stepTwo
	}
	var all []*pattern
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
	all = append(all,
		&pattern{begins: aURL, prefix: "://", kind: "url_password"},
		&pattern{begins: aBearer, prefix: "bearer ", fold: true, kind: "bearer_token"},
		&pattern{begins: aPrivate, prefix: "-----BEGIN ", kind: "private_key"})
	for _, p := range all {
		for _, pair := range pairs(p, 0) {
			if s.next[pair] == stepTwo {
				s.next[pair] = stepOne
			}
		}
	}
	used := 0
	for _, p := range all {
		for _, pair := range pairs(p, 1) {
			if s.next[pair] >= stepOne {
				s.next[pair] = uint8(used % buckets)
				used++
			}
			b := s.next[pair]
			s.buckets[b] = append(s.buckets[b], p)
		}
	}
}

// pairs is the two bytes of the prefix from at on, in every case that matches.
func pairs(p *pattern, at int) (list []int) {
	for _, a := range cases(p.prefix[at], p.fold) {
		for _, b := range cases(p.prefix[at+1], p.fold) {
			list = append(list, int(a)<<8|int(b))
		}
	}
	return list
}

func cases(c byte, fold bool) []byte {
	if fold && c >= 'a' && c <= 'z' {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}

// find is the first place in w from i on where a pattern may start and its
// bucket. What is left behind that place, or less than three bytes when there is
// none, has to be looked at again with more behind it.
func (s *Set) find(w []byte, i int) (at int, bucket []*pattern) {
	for i+2 < len(w) {
		switch n := s.next[int(w[i+1])<<8|int(w[i+2])]; n {
		case stepTwo:
			i += 2
		case stepOne:
			i++
		default:
			for _, p := range s.buckets[n] {
				if c := w[i]; c == p.prefix[0] || p.fold && c|0x20 == p.prefix[0] {
					return i, s.buckets[n]
				}
			}
			i++
		}
	}
	return min(i, len(w)), nil
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
