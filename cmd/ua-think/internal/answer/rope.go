package answer

import "bytes"

// A rope holds bytes in pieces, so that it can grow without being copied.
type rope struct {
	pieces [][]byte
	size   int
}

// add appends s. Pieces grow with the rope, from 256 bytes to 64 KiB.
func (r *rope) add(s string) {
	r.size += len(s)
	if n := len(r.pieces) - 1; n >= 0 {
		last := r.pieces[n]
		fits := min(cap(last)-len(last), len(s))
		r.pieces[n] = append(last, s[:fits]...)
		s = s[fits:]
	}
	if len(s) > 0 {
		room := max(len(s), min(max(r.size, 256), 64<<10))
		r.pieces = append(r.pieces, append(make([]byte, 0, room), s...))
	}
}

// join returns the bytes as one slice, without a copy if they are one piece.
func (r *rope) join() []byte {
	if len(r.pieces) == 1 {
		return r.pieces[0]
	}
	return bytes.Join(r.pieces, nil)
}
