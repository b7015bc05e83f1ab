package appender

import (
	"bytes"
	"io"
	"slices"

	"ua/internal/common/event"
)

// inputMax is how many bytes of input are read at once.
const inputMax = 256 << 10

// A source returns a stream in runs of whole lines.
type source struct {
	in       io.Reader
	read     int64  // bytes of in
	unread   []byte // of them, those behind the last run
	skipping bool   // the rest begins inside a line that was too long
	err      error  // ends the stream behind the rest
}

// next reads the next line, and those that have arrived with it, into buf. It returns
// them with their newlines and with their offset in the stream. The last line of the
// stream may have no newline. Of a line longer than event.MaxLine it returns a beginning
// that is itself too long.
func (s *source) next(buf []byte) (run []byte, at int64, err error) {
	if cap(buf) == 0 {
		buf = make([]byte, 0, inputMax) // slices.Grow clears it, and so touches all its pages
	}
	for s.skipping && s.err == nil {
		s.skip(buf[:cap(buf)])
	}
	at = s.read - int64(len(s.unread))
	buf = append(buf[:0], s.unread...)
	s.unread = s.unread[:0]
	for from := 0; ; {
		// Only what is new can hold the first newline.
		end := from + bytes.LastIndexByte(buf[from:], '\n') + 1
		switch {
		case end > from:
			s.unread = append(s.unread, buf[end:]...)
			return buf[:end], at, nil
		case len(buf) > event.MaxLine:
			s.skipping = true
			return buf, at, nil
		case s.err == io.EOF && len(buf) > 0:
			return buf, at, nil
		case s.err != nil:
			return nil, at, s.err
		}
		from, buf = len(buf), slices.Grow(buf, inputMax)
		buf = buf[:from+s.take(buf[from:from+inputMax])]
	}
}

// take reads more.
func (s *source) take(b []byte) (n int) {
	n, s.err = s.in.Read(b)
	s.read += int64(n)
	return n
}

// skip reads to the end of a line that was too long.
func (s *source) skip(b []byte) {
	b = b[:s.take(b)]
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		s.unread, s.skipping = append(s.unread, b[i+1:]...), false
	}
}
