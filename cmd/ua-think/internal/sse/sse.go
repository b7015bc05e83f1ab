// Package sse splits a stream of bytes into server-sent events (WHATWG HTML standard,
// section 9.2.6) and into lines.
package sse

import (
	"bytes"
	"fmt"
	"io"
)

// An Event is one event of a stream. Its slices are valid until the next call of Next.
type Event struct {
	Name []byte // of the field "event", empty for the default
	Data []byte // the data lines, joined by "\n"
	Cut  bool   // the stream ended before the event's blank line
}

// TooLong is the error for an event or a line above the limit, which is its value in
// bytes.
type TooLong int

// Error returns the message with the limit.
func (n TooLong) Error() string {
	return fmt.Sprintf("an event of the stream is longer than %d bytes", int(n))
}

// A Reader reads events from a stream. Data that came in one line is not copied: it is a
// slice of the reader's buffer.
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

// start is the size of the buffer, in bytes, until an event needs more.
const start = 16 << 10

// NewReader returns a Reader of r that accepts events of up to max bytes.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{r: r, max: max, buf: make([]byte, start)}
}

// Next returns the next event that has data. An event that the end of the stream, or an
// error, cut short is returned with Cut set. The error is io.EOF at the end, TooLong, or
// the error of the underlying reader.
func (r *Reader) Next() (Event, error) {
	r.drop()
	var ev Event
	var name, data span
	lines, bare := 0, false // bare: JSON without the name of a field
	for {
		line, err := r.line()
		if err != nil {
			if _, long := err.(TooLong); long || lines == 0 {
				return ev, err
			}
			ev.Cut = true
			return r.event(ev, name, data, lines), nil
		}
		// An empty line ends an event, and one without data is dropped.
		if line.len() == 0 {
			if lines > 0 {
				return r.event(ev, name, data, lines), nil
			}
			r.from, name = r.at, span{}
			continue
		}
		switch field, value := r.split(line, bare); field {
		case "event":
			name = value
		case "error":
			name = span{line.from, line.from + len(field)}
			fallthrough
		case "{":
			bare = field == "{"
			fallthrough
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

// Line returns the next line that is not blank as the data of an event, for streams with one
// JSON value a line. A last line without an end counts too.
func (r *Reader) Line() (Event, error) {
	for {
		r.drop()
		line, err := r.line()
		if text := r.bytes(line); err != nil || len(bytes.TrimSpace(text)) > 0 {
			return Event{Data: text, Cut: r.err != nil}, err
		}
	}
}

// A span is a part of buf. It counts from the start of the event, so that it stays right
// when the buffer moves.
type span struct{ from, to int }

func (s span) len() int { return s.to - s.from }

func (r *Reader) bytes(s span) []byte { return r.buf[r.from+s.from : r.from+s.to] }

// event returns the event that the spans describe. Data of several lines was joined.
func (r *Reader) event(ev Event, name, data span, lines int) Event {
	ev.Name, ev.Data = r.bytes(name), r.bytes(data)
	if lines > 1 {
		ev.Data = r.joined
	}
	return ev
}

// split splits a line into the name of its field and the value. Comments and fields of no
// interest have the name "". Servers send errors as JSON without any field, here named "{",
// and in a field of their own, "error".
func (r *Reader) split(line span, bare bool) (string, span) {
	b := r.bytes(line)
	if bare || b[0] == '{' || b[0] == '<' {
		return "{", line
	}
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
	case "error":
		return "error", value
	}
	return "", value
}

// drop discards the last event, and a large buffer that one long event has left.
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

// move copies the rest of buf to the start of to.
func (r *Reader) move(to []byte) {
	n := copy(to, r.buf[r.from:r.end])
	r.at -= r.from
	r.scan -= r.from
	r.buf, r.from, r.end = to, 0, n
}

// line returns the next line. A line ends with LF, CR, CRLF or the end of the stream.
func (r *Reader) line() (span, error) {
	for {
		// After a CR at the end of the buffer the LF may come later.
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

// skip skips n bytes that belong to no line.
func (r *Reader) skip(n int) {
	if r.from == r.at {
		r.from += n
	}
	r.at += n
	r.scan = max(r.scan, r.at)
}

// lineEnd returns the index of the first CR or LF after at, or -1. It searches each byte
// once.
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

// fill reads more bytes. It makes room first: by moving what is left to the front, or by
// doubling the buffer if that is more than half.
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
