package redact

import "bytes"

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
