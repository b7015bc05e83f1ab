// Package sse splits a stream of bytes into server-sent events (WHATWG HTML standard,
// section 9.2.6) and into lines.
package sse

import (
	"bufio"
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

// A Reader reads events from a stream.
type Reader struct {
	r          *bufio.Reader
	max        int
	size       int    // of the event so far
	whole      []byte // a line
	rest       []byte // of what r has given, behind a CR
	more       bool   // there is such a rest
	begun      bool   // the byte order mark has been looked for
	err        error  // of r
	name, data []byte // of the event
}

// NewReader returns a Reader of r that accepts events of up to max bytes.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 16<<10), max: max}
}

// Next returns the next event that has data. An event that the end of the stream, or an
// error, cut short is returned with Cut set. The error is io.EOF at the end, TooLong, or
// the error of the underlying reader.
func (r *Reader) Next() (ev Event, err error) {
	r.begin()
	lines, bare := 0, false // bare: JSON without the name of a field
	for {
		line, err := r.line()
		_, long := err.(TooLong)
		switch {
		case long || err != nil && lines == 0:
			return ev, err
		case lines > 0 && (err != nil || len(line) == 0):
			return Event{r.name, r.data, err != nil}, nil
		case len(line) == 0: // it ends an event, and one without data is dropped
			r.begin()
			continue
		}
		switch field, value := split(line, bare); field {
		case "event":
			r.name = append(r.name[:0], value...)
		case "error":
			r.name = append(r.name[:0], field...)
			fallthrough
		case "{":
			bare = field == "{"
			fallthrough
		case "data":
			if lines++; lines > 1 {
				r.data = append(r.data, '\n')
			}
			r.data = append(r.data, value...)
		}
	}
}

// begin makes r ready for another event, without the buffers of a long one.
func (r *Reader) begin() {
	if r.size, r.name, r.data = 0, r.name[:0], r.data[:0]; cap(r.data) > 1<<20 {
		r.data, r.whole = nil, nil
	}
}

// Line returns the next line that is not blank as the data of an event, for streams with one
// JSON value a line. A last line without an end counts too.
func (r *Reader) Line() (Event, error) {
	for {
		r.size = 0
		line, err := r.line()
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return Event{Data: line, Cut: r.err != nil}, err
		}
	}
}

// line returns the next line. It ends with LF, CR, CRLF or the end of the stream; of one that
// ends with a CR alone more may be known only at the next LF.
func (r *Reader) line() (line []byte, err error) {
	if !r.more {
		if r.rest, err = r.read(); err != nil {
			return nil, err
		}
	}
	line, r.rest, r.more = bytes.Cut(r.rest, []byte{'\r'})
	return line, nil
}

// read returns the next bytes up to an LF or the end of the stream, without the line's end.
func (r *Reader) read() (text []byte, err error) {
	if r.err != nil {
		return nil, r.err
	}
	r.whole = r.whole[:0]
	for err = bufio.ErrBufferFull; err == bufio.ErrBufferFull; {
		text, err = r.r.ReadSlice('\n')
		if r.size += len(text); r.size > r.max {
			return nil, TooLong(r.max)
		}
		r.whole = append(r.whole, text...)
	}
	if text, r.err = r.whole, err; err != nil && len(text) == 0 {
		return nil, err
	}
	if !r.begun {
		r.begun, text = true, bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\r'}), nil
}

// split splits a line into the name of its field and the value. Comments and fields of no
// interest have the name "". Servers send errors as JSON without any field, here named "{",
// and in a field of their own, "error".
func split(line []byte, bare bool) (field string, value []byte) {
	if bare || line[0] == '{' || line[0] == '<' {
		return "{", line
	}
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data":
		return "data", value
	case "event":
		return "event", value
	case "error":
		return "error", value
	}
	return "", value
}
