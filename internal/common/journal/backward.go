package journal

import (
	"bytes"
	"io"
)

// Backward calls do with each line of a journal's first size bytes, the last
// one first, and its offset, until do returns false. The line has no newline and
// holds until do returns. It reads no more than it needs.
func Backward(j io.ReaderAt, size int64, do func(line []byte, at int64) bool) error {
	var tail []byte // what is read and not yet told: the bytes [from, from+len(tail))
	from, chunk := size, int64(64<<10)
	for {
		for {
			end := len(tail)
			if end > 0 && from+int64(end) == size && tail[end-1] == '\n' {
				end--
			}
			i := bytes.LastIndexByte(tail[:end], '\n')
			if i < 0 && (from > 0 || len(tail) == 0) {
				break
			}
			if !do(tail[i+1:end], from+int64(i)+1) || i < 0 {
				return nil
			}
			tail = tail[:i]
		}
		if from == 0 {
			return nil
		}
		n := min(chunk, from)
		b := make([]byte, n, n+int64(len(tail)))
		if _, err := j.ReadAt(b, from-n); err != nil {
			return err
		}
		tail, from = append(b, tail...), from-n
		if len(tail) > int(chunk) {
			chunk = int64(len(tail)) // a long line is gathered in steps that double
		}
	}
}
