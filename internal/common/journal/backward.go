package journal

import (
	"bytes"
	"io"
)

// Backward calls do with each line of a journal's first size bytes, the last
// one first, and its offset, until do returns false. The line has no newline and
// holds until do returns. It reads no more than it needs.
func Backward(j io.ReaderAt, size int64, do func(line []byte, at int64) bool) error {
	var rest []byte // what is read and not yet told: it begins at from
	from, chunk := size, int64(64<<10)
	for first := true; from > 0; first = false {
		n := min(chunk, from)
		b := make([]byte, n, n+int64(len(rest)))
		if _, err := j.ReadAt(b, from-n); err != nil {
			return err
		}
		rest, from = append(b, rest...), from-n
		if first {
			rest = bytes.TrimSuffix(rest, []byte{'\n'})
		}
		for i := bytes.LastIndexByte(rest, '\n'); i >= 0; i = bytes.LastIndexByte(rest, '\n') {
			if !do(rest[i+1:], from+int64(i)+1) {
				return nil
			}
			rest = rest[:i]
		}
		chunk = max(chunk, int64(len(rest))) // a long line is gathered in steps that double
	}
	if size > 0 {
		do(rest, 0)
	}
	return nil
}
