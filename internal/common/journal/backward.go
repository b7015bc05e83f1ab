package journal

import (
	"bytes"
	"io"

	"ua/internal/common/event"
)

// Backward calls do with each line of a journal's first size bytes and its offset, the
// last line first, until do returns false. The line has no newline and is valid until do
// returns. Backward reads no more than it needs. A line longer than event.MaxLine is
// given as nil.
func Backward(j io.ReaderAt, size int64, do func(line []byte, at int64) bool) error {
	var rest []byte // what is read and not yet told: it begins at from
	long := false   // behind rest there was more of its last line
	from, chunk := size, int64(64<<10)
	tell := func(at int) bool {
		line := rest[at:]
		if long || len(line) > event.MaxLine {
			line, long = nil, false
		}
		return do(line, from+int64(at))
	}
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
			if !tell(i + 1) {
				return nil
			}
			rest = rest[:i]
		}
		if len(rest) > event.MaxLine {
			rest, long = nil, true
		}
		chunk = max(chunk, int64(len(rest))) // a long line is gathered in steps that double
	}
	if size > 0 {
		tell(0)
	}
	return nil
}
