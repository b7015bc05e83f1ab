package redact

import "bytes"

// The longest parts that are looked at before a decision.
const (
	maxName   = 48
	maxSpace  = 8
	maxDotted = 256 // of a key up to its dot
	maxValue  = 64  // of a value that is assigned
	maxURL    = 512
)

// An outcome is what is known of a place in the stream.
type outcome int

const (
	no   outcome = iota
	wait         // more of the stream is needed
	yes
)

// A match is a secret: w[start:end], and all bytes of the class skip that follow.
type match struct {
	outcome    outcome
	kind       string
	start, end int
	skip       class
}

// matchAt reports whether the pattern, whose start is at index at, and what follows make
// a secret. final says that the stream ends, so that nothing can be waited for.
func (p *pattern) matchAt(w []byte, at int, final bool) match {
	rest := at + len(p.start)
	switch p.form {
	case assignment:
		return p.assigned(w, at, rest, final)
	case address:
		return urlPassword(w, rest)
	case pemBlock:
		return privateKey(w, at, rest)
	case givenValue:
		return given(p.value, w, at)
	}
	return p.keyAt(w, at, rest, final)
}

// upTo returns the index after at most n bytes of the class from i on.
func upTo(w []byte, i, n int, c class) int {
	for end := min(len(w), i+n); i < end && is(w[i], c); {
		i++
	}
	return i
}

// keyAt matches a key. It looks at no more bytes than it needs to decide. What follows
// them is skipped together with the key.
func (r *row) keyAt(w []byte, at, rest int, final bool) match {
	if r.form != partKey && at > 0 && isWord(w[at-1]) {
		return match{}
	}
	most := r.min
	switch {
	case r.max > 0:
		most = r.max + 1
	case r.form == dottedKey:
		most = maxDotted
	}
	end := upTo(w, rest, most, r.then)
	switch n := end - rest; {
	case end == len(w) && n < most && !final:
		return match{outcome: wait}
	case n < r.min || r.max > 0 && n > r.max:
		return match{}
	case r.form == dottedKey && bytes.IndexByte(w[rest:end], '.') <= 0,
		r.form == uuidKey && !isUUID(w[rest:end]):
		return match{}
	}
	m := match{outcome: yes, start: at, end: end}
	if r.max == 0 {
		m.skip = r.then
	}
	return m
}

// isUUID reports whether w is hexadecimal digits in the form 8-4-4-4-12.
func isUUID(w []byte) bool {
	for i, c := range w {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') ||
			!dash && !is(c, hexadecimal) && (c < 'A' || c > 'F') {
			return false
		}
	}
	return len(w) == 36
}

// given matches a value that the caller gave.
func given(v string, w []byte, at int) match {
	n := min(len(v), len(w)-at)
	switch {
	case string(w[at:at+n]) != v[:n]:
		return match{}
	case n < len(v):
		return match{outcome: wait}
	}
	return match{outcome: yes, start: at, end: at + n}
}

// A class is a set of bytes.
type class uint16

const (
	alnum       class = 1 << iota // A-Z a-z 0-9
	upper                         // A-Z 0-9
	hexadecimal                   // 0-9 a-f
	word                          // alnum _ -
	dotted                        // alnum _ - .
	base64                        // alnum + / = _ -
	password                      // what a password in a URL may hold
	pem                           // the body of a PEM block, also with "\n" spelled out
	value                         // what a value that is assigned may hold
	digit                         // 0-9
)

// signs are the bytes of each class that are no letters and digits.
var signs = map[class]string{
	word:     "_-",
	dotted:   "_-.",
	base64:   "+/=_-",
	password: "!#$%&()*+,-.:;=?[\\]^_`{|}~",
	pem:      "+/=-\n\r\t \\:,.",
	value:    "+/=_-.~!@#$%^&*?:{<",
}

// classes are the classes of each byte.
var classes = func() (table [256]class) {
	for c := range table {
		switch {
		case c >= '0' && c <= '9':
			table[c] = alnum | upper | hexadecimal | word | dotted | base64 | password | pem | value | digit
		case c >= 'A' && c <= 'Z':
			table[c] = alnum | upper | word | dotted | base64 | password | pem | value
		case c >= 'a' && c <= 'z':
			table[c] = alnum | word | dotted | base64 | password | pem | value
			if c <= 'f' {
				table[c] |= hexadecimal
			}
		}
	}
	for class, bytes := range signs {
		for _, c := range []byte(bytes) {
			table[c] |= class
		}
	}
	return table
}()

// is reports whether c belongs to the class.
func is(c byte, k class) bool { return classes[c]&k != 0 }

// isWord reports whether c can be in the middle of a word. What begins right after such a
// byte is no key.
func isWord(c byte) bool { return is(c, alnum) || c == '_' }

// privateKey matches a PEM block with a private key (RFC 7468): at least 64 bytes after
// its BEGIN line, all of which a block may contain.
func privateKey(w []byte, at, rest int) match {
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
	switch n := upTo(w, from, body, pem); {
	case n == from+body:
		return match{outcome: yes, start: at, end: from, skip: pem}
	case n == len(w):
		return match{outcome: wait}
	}
	return match{}
}

// endsBlock reports whether c is the last dash of a PEM block's END line: the fifth dash
// of the second run of five.
func (s *Stream) endsBlock(c byte) bool {
	switch {
	case c == '-':
		s.dashes++
	case s.dashes < 5:
		s.dashes = 0
	default:
		s.dashes = 5
	}
	return s.dashes == 10
}
