package scrub

import (
	"bytes"
	"unicode/utf8"
)

// maxLine is how long a line may get, in bytes, before Fold returns it unfinished.
const maxLine = 64 << 10

// A Fold keeps what the carriage returns of a line have not overwritten, so that only the
// last state of a progress bar is left.
type Fold struct {
	line  []byte // the line that is not finished
	Count int    // overwritten states
}

// Append appends to dst the lines that are complete once p has come.
func (f *Fold) Append(dst, p []byte) []byte {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			f.line = f.last(append(f.line, p...))
			if len(f.line) > maxLine {
				dst, f.line = append(dst, f.line...), f.line[:0]
			}
			return dst
		}
		if len(f.line) == 0 && bytes.IndexByte(p[:end], '\r') < 0 {
			dst = append(dst, p[:end+1]...)
		} else {
			f.line = f.last(append(f.line, p[:end]...))
			dst = append(append(dst, bytes.TrimRight(f.line, "\r")...), '\n')
			f.line = f.line[:0]
		}
		p = p[end+1:]
	}
	return dst
}

// last returns the line without what its carriage returns overwrite. Those at its end may
// belong to the end of the line, so they stay.
func (f *Fold) last(line []byte) []byte {
	body := len(bytes.TrimRight(line, "\r"))
	at := bytes.LastIndexByte(line[:body], '\r')
	if at < 0 {
		return line
	}
	f.Count += bytes.Count(line[:at+1], []byte{'\r'})
	return line[:copy(line, line[at+1:])]
}

// Flush appends the rest to dst.
func (f *Fold) Flush(dst []byte) []byte {
	dst = append(dst, bytes.TrimRight(f.line, "\r")...)
	f.line = nil
	return dst
}

// back returns b without its last character, as after a backspace. It stops at the start
// of a line.
func back(b []byte) []byte {
	r, n := utf8.DecodeLastRune(b)
	if r == '\n' {
		return b
	}
	return b[:len(b)-n]
}
