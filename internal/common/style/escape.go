package style

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// An Escaper passes what is written to it to a terminal, and shows every byte that could
// drive the terminal instead of sending it: control characters as in Printable, and bytes
// that are not UTF-8 as \xNN. Newline and tab stay, and a CR before a newline is dropped.
// A character that is split over two writes is put together.
type Escaper struct {
	w    io.Writer
	rest []byte // the start of a character, or a CR
}

// NewEscaper returns an Escaper that writes to w.
func NewEscaper(w io.Writer) *Escaper { return &Escaper{w: w} }

// Write passes p on. It writes all of p, or returns an error.
func (e *Escaper) Write(p []byte) (int, error) {
	text := append(e.rest, p...)
	var out []byte
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			if !utf8.FullRune(text) {
				break // the rest of it may come
			}
			out = fmt.Appendf(out, `\x%02x`, text[0])
		} else if r == '\r' && len(text) == 1 {
			break // it may begin the end of a line
		} else if !bytes.HasPrefix(text, []byte("\r\n")) {
			out = append(out, Printable(string(text[:n]))...)
		}
		text = text[n:]
	}
	e.rest = append([]byte(nil), text...)
	if len(out) > 0 {
		if _, err := e.w.Write(out); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Flush writes what is left of a character that was never completed.
func (e *Escaper) Flush() error {
	var out []byte
	for _, c := range e.rest {
		out = fmt.Appendf(out, `\x%02x`, c)
	}
	e.rest = nil
	_, err := e.w.Write(out)
	return err
}
