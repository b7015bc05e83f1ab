package redact

import (
	"bytes"
	"math"
	"strings"
)

// The longest parts of what is looked at before a verdict.
const (
	maxName  = 48
	maxSpace = 8
	maxRun   = 512
)

// verify says whether what stands behind the prefix of p makes a secret.
func (s *Stream) verify(p *pattern, w []byte, at int, final bool) match {
	rest := at + len(p.prefix)
	switch p.begins {
	case aKey:
		return s.key(p.rule, w, at, rest, final)
	case aValue:
		return value(p.value, w, at)
	case aName:
		return s.assigned(p, w, at, rest, final)
	case aURL:
		return s.url(w, rest)
	}
	return s.private(w, at, rest)
}

// run is where the bytes of the class end that stand at from, looking at no
// more than maxRun of them.
func (s *Stream) run(w []byte, from int, c class) int {
	end := min(len(w), from+maxRun)
	for i := from; i < end; i++ {
		if s.set.classes[w[i]]&c == 0 {
			return i
		}
	}
	return end
}

// decide gives a verdict on w[from:end], which ran to the end of w, to maxRun,
// or to a byte of another class.
func decide(end int, w []byte, from int, final bool, c class, secret func([]byte) bool) match {
	if end == len(w) && end < from+maxRun && !final {
		return match{outcome: wait}
	}
	if !secret(w[from:end]) {
		return match{}
	}
	m := match{outcome: yes, start: from, end: end}
	if end == from+maxRun {
		m.skip = c
	}
	return m
}

// key matches a rule.
func (s *Stream) key(r *rule, w []byte, at, rest int, final bool) match {
	if r.prefix[0] != ':' && at > 0 && isWord(w[at-1]) {
		return match{}
	}
	m := decide(s.run(w, rest, r.then), w, rest, final, r.then, r.takes)
	m.start = at
	return m
}

// takes says whether v, all of the class, may follow the prefix.
func (r *rule) takes(v []byte) bool {
	return len(v) >= r.min && (r.max == 0 || len(v) <= r.max) && (r.kind != "jwt" || bytes.IndexByte(v, '.') > 0)
}

// fits says whether the rule matches the text at the place, where its prefix stands.
func (r *rule) fits(text []byte, at int) bool {
	if r.prefix[0] != ':' && at > 0 && isWord(text[at-1]) {
		return false
	}
	rest := text[at+len(r.prefix):]
	n := 0
	for n < len(rest) && members(rest[n])&r.then != 0 {
		n++
	}
	return r.takes(rest[:n])
}

func isWord(c byte) bool { return members(c)&alnum != 0 || c == '_' }

// value matches a given value.
func value(v string, w []byte, at int) match {
	n := min(len(v), len(w)-at)
	switch {
	case string(w[at:at+n]) != v[:n]:
		return match{}
	case n < len(v):
		return match{outcome: wait}
	}
	return match{outcome: yes, start: at, end: at + n}
}

// url matches the password of USER:PASSWORD@ behind "://".
func (s *Stream) url(w []byte, rest int) match {
	end := s.run(w, rest, password)
	if end == len(w) && end < rest+maxRun {
		return match{outcome: wait}
	}
	colon := bytes.IndexByte(w[rest:end], ':')
	if end == len(w) || w[end] != '@' || colon < 0 || rest+colon+1 == end {
		return match{}
	}
	switch secret := w[rest+colon+1 : end]; string(secret) {
	case "pass", "password", "PASSWORD", "secret", "xyz", "xxx", "pw", "pwd":
		return match{}
	default:
		if bytes.IndexByte([]byte("${%*["), secret[0]) >= 0 {
			return match{}
		}
	}
	return match{outcome: yes, start: rest + colon + 1, end: end}
}

// private matches a PEM block of a private key: at least 64 bytes behind its
// BEGIN line, all of them what a block may hold.
func (s *Stream) private(w []byte, at, rest int) match {
	const label, body = 48, 64
	head := w[rest:min(len(w), rest+label)]
	end := bytes.Index(head, []byte("-----"))
	if end < 0 {
		if len(head) < label {
			return match{outcome: wait}
		}
		return match{}
	}
	if !bytes.Contains(head[:end], []byte("PRIVATE KEY")) {
		return match{}
	}
	from := rest + end + len("-----")
	if n := s.run(w, from, pem); n >= from+body {
		return match{outcome: yes, start: at, end: from, skip: pem}
	} else if n == len(w) {
		return match{outcome: wait}
	}
	return match{}
}

// entropy is the Shannon entropy of v in bits a byte.
func entropy(v []byte) (bits float64) {
	var count [256]int
	for _, c := range v {
		count[c]++
	}
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(v))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

func digits(v []byte) (n int) {
	for _, c := range v {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}

// Known is the kind of the first key of a documented format in text, or "".
func Known(text string) string {
	for i := range rules {
		r := &rules[i]
		for at := 0; ; {
			j := strings.Index(text[at:], r.prefix)
			if j < 0 {
				break
			}
			if at += j; r.fits([]byte(text), at) {
				return r.kind
			}
			at += len(r.prefix)
		}
	}
	return ""
}
