package scrub

import "unicode/utf8"

// back returns b without its last character, as after a backspace. It stops at the start
// of a line.
func back(b []byte) []byte {
	r, n := utf8.DecodeLastRune(b)
	if r == '\n' {
		return b
	}
	return b[:len(b)-n]
}
