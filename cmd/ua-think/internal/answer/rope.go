package answer

import "bytes"

// A rope is bytes in pieces: it grows without being copied.
type rope struct {
	pieces [][]byte
	size   int
}

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

func (r *rope) join() []byte {
	if len(r.pieces) == 1 {
		return r.pieces[0]
	}
	return bytes.Join(r.pieces, nil)
}
