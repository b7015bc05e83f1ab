// Package scrub turns what a command wrote into what a terminal would show, and makes
// text harmless that pretends to be something other than output.
package scrub

import (
	"bytes"
	"unicode/utf8"
)

// The states of an ANSI: where in a control sequence (ECMA-48) the stream is.
const (
	ground   = iota
	escape   // behind ESC
	interm   // behind ESC and an intermediate byte
	csi      // in a control sequence, or behind SS3
	text     // in a control string: OSC, DCS, SOS, PM, APC
	textESC  // behind ESC in a control string
	maxAside = 4096
)

// An ANSI removes control sequences and control strings from a stream.
type ANSI struct {
	state int
	aside int // bytes of the sequence so far
	Count int // sequences taken out

	// Keys says that the stream comes from a terminal: no sequence in it is broken, so each goes
	// on to its end.
	Keys bool
}

// Strip returns p without the bytes of sequences, in p's own memory. A sequence may
// continue in the next piece. One that is longer than any real one ends, so that broken
// output is not lost.
func (a *ANSI) Strip(p []byte) []byte {
	if a.state == ground && bytes.IndexByte(p, 0x1b) < 0 {
		return p
	}
	out := p[:0]
	for i := 0; i < len(p); i++ {
		if a.state == ground {
			n := bytes.IndexByte(p[i:], 0x1b)
			if n < 0 {
				return append(out, p[i:]...)
			}
			out = append(out, p[i:i+n]...)
			i += n
			a.state, a.aside = escape, 0
			a.Count++
			continue
		}
		if a.aside++; a.aside > maxAside && !a.Keys {
			a.state = ground
		}
		if !a.step(p[i]) {
			i--
		}
	}
	return out
}

// step takes one byte inside a sequence. It returns false if the byte does not belong to
// the sequence.
func (a *ANSI) step(c byte) bool {
	switch a.state {
	case escape, interm:
		switch {
		case (c == '[' || c == 'O') && a.state == escape:
			a.state = csi
		case a.state == escape && (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_'):
			a.state = text
		case c >= 0x20 && c < 0x30:
			a.state = interm
		default:
			a.state = ground
			return c >= 0x30 && c < 0x7f
		}
	case csi:
		if c >= 0x40 && c < 0x7f {
			a.state = ground
		} else if c < 0x20 || c >= 0x7f {
			a.state = ground
			return false
		}
	// A control string ends with BEL or ST. One that is cut off ends with its line.
	case text:
		switch {
		case c == 0x07:
			a.state = ground
		case c == 0x1b:
			a.state = textESC
		case c == '\n' && !a.Keys:
			a.state = ground
			return false
		}
	// ESC \ is ST, and any other ESC begins another sequence.
	case textESC:
		if a.state = ground; c != '\\' {
			a.state = escape
			return a.step(c)
		}
	default:
		return false
	}
	return true
}

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
