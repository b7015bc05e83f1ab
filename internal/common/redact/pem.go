package redact

import "bytes"

// privateKey matches a PEM block of a private key: at least 64 bytes behind its
// BEGIN line, all of them what a block may hold.
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

// endsBlock reports whether c is the last dash of a PEM block's END line: the
// fifth of the second run of five.
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
