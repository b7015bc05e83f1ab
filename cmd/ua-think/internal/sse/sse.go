// Package sse splits a stream of bytes into server-sent events, by the rules
// of the WHATWG HTML standard (§9.2.6), and into lines.
package sse

import (
	"bytes"
	"fmt"
	"io"
)

// An Event is one event of a stream. Its slices hold until the next call.
type Event struct {
	Name []byte // of the field "event", empty for the default
	Data []byte // the data lines, joined by "\n"
	Cut  bool   // the stream ended before the event's blank line
}

// TooLong is the error for an event or line over the limit, in bytes.
type TooLong int

func (n TooLong) Error() string {
	return fmt.Sprintf("an event of the stream is longer than %d bytes", int(n))
}

// A Reader reads events from a stream. Data that came in one line is not
// copied: it is a slice of the buffer.
type Reader struct {
	r    io.Reader
	max  int
	buf  []byte
	from int   // where the current event starts in buf
	at   int   // where the next line starts
	scan int   // no line end stands before this
	end  int   // where the bytes in buf end
	err  error // of r

	begun  bool // the byte order mark has been looked for
	skipLF bool // the last line ended in CR: a LF that follows belongs to it
	joined []byte
}

const start = 16 << 10

// NewReader returns a Reader of r that takes events of up to max bytes.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{r: r, max: max, buf: make([]byte, start)}
}

// Next returns the next event that has data. The error is io.EOF at the end,
// TooLong, or the reader's own; an event that was cut short by the end, or by
// an error, comes first.
func (r *Reader) Next() (Event, error) {
	r.drop()
	var ev Event
	var name, data span
	lines := 0
	for {
		line, err := r.line()
		if err != nil {
			if _, long := err.(TooLong); long || lines == 0 {
				return ev, err
			}
			ev.Cut = true
			return r.event(ev, name, data, lines), nil
		}
		if line.len() == 0 {
			if lines > 0 {
				return r.event(ev, name, data, lines), nil
			}
			r.from, name = r.at, span{}
			continue
		}
		switch field, value := r.split(line); field {
		case "event":
			name = value
		case "data":
			if lines++; lines == 1 {
				data = value
				break
			}
			if lines == 2 {
				r.joined = append(r.joined[:0], r.bytes(data)...)
			}
			r.joined = append(append(r.joined, '\n'), r.bytes(value)...)
		}
	}
}

// Line returns the next line without its end, for streams of one JSON value a
// line. A last line without an end counts.
func (r *Reader) Line() ([]byte, error) {
	r.drop()
	line, err := r.line()
	return r.bytes(line), err
}

// A span is a part of buf, counted from the start of the event.
type span struct{ from, to int }

func (s span) len() int { return s.to - s.from }

func (r *Reader) bytes(s span) []byte { return r.buf[r.from+s.from : r.from+s.to] }

func (r *Reader) event(ev Event, name, data span, lines int) Event {
	ev.Name, ev.Data = r.bytes(name), r.bytes(data)
	if lines > 1 {
		ev.Data = r.joined
	}
	return ev
}

// split parts a line into its field's name and value; a comment has neither.
func (r *Reader) split(line span) (string, span) {
	b := r.bytes(line)
	i := bytes.IndexByte(b, ':')
	value := span{line.to, line.to}
	if i < 0 {
		i = len(b)
	} else {
		value.from = line.from + i + 1
		if i+1 < len(b) && b[i+1] == ' ' {
			value.from++
		}
	}
	switch string(b[:i]) {
	case "data":
		return "data", value
	case "event":
		return "event", value
	}
	return "", value
}

// drop lets go of the last event, and of a buffer that one long event grew.
func (r *Reader) drop() {
	r.from = r.at
	if len(r.buf) > 1<<20 && r.end-r.from < start {
		buf := make([]byte, start)
		r.move(buf)
	}
	if cap(r.joined) > 1<<20 {
		r.joined = nil
	}
}

// move puts what is left of buf at the start of to.
func (r *Reader) move(to []byte) {
	n := copy(to, r.buf[r.from:r.end])
	r.at -= r.from
	r.scan -= r.from
	r.buf, r.from, r.end = to, 0, n
}

// line returns the next line, which ends in LF, CR, CRLF or the stream's end.
func (r *Reader) line() (span, error) {
	for {
		if r.skipLF && r.at < r.end {
			if r.skipLF = false; r.buf[r.at] == '\n' {
				r.skip(1)
			}
		}
		if !r.begun && (r.end-r.at >= 3 || r.err != nil) {
			r.begun = true
			if bytes.HasPrefix(r.buf[r.at:r.end], []byte("\ufeff")) {
				r.skip(3)
			}
		}
		if i := r.lineEnd(); i >= 0 && r.begun {
			line := span{r.at - r.from, i - r.from}
			r.skipLF = r.buf[i] == '\r'
			r.at, r.scan = i+1, i+1
			return line, nil
		}
		if r.err != nil {
			if r.at == r.end {
				return span{}, r.err
			}
			line := span{r.at - r.from, r.end - r.from}
			r.at, r.scan = r.end, r.end
			return line, nil
		}
		if err := r.fill(); err != nil {
			return span{}, err
		}
	}
}

// skip passes over n bytes that belong to no line.
func (r *Reader) skip(n int) {
	if r.from == r.at {
		r.from += n
	}
	r.at += n
	r.scan = max(r.scan, r.at)
}

// lineEnd returns where the first CR or LF stands after at, or -1.
func (r *Reader) lineEnd() int {
	b := r.buf[r.scan:r.end]
	i := bytes.IndexByte(b, '\n')
	if i >= 0 {
		b = b[:i]
	}
	if j := bytes.IndexByte(b, '\r'); j >= 0 {
		i = j
	}
	if i < 0 {
		if r.begun {
			r.scan = r.end
		}
		return -1
	}
	return r.scan + i
}

// fill reads more bytes, making room first.
func (r *Reader) fill() error {
	if r.end-r.from > r.max {
		return TooLong(r.max)
	}
	if r.end == len(r.buf) {
		to := r.buf
		if r.end-r.from > len(r.buf)/2 {
			to = make([]byte, 2*len(r.buf))
		}
		r.move(to)
	}
	for range 100 {
		n, err := r.r.Read(r.buf[r.end:])
		r.end += n
		r.err = err
		if n > 0 || err != nil {
			return nil
		}
	}
	r.err = io.ErrNoProgress
	return nil
}
