// Package scrub turns what a command wrote into what a terminal would show, and makes
// text harmless that pretends to be something other than output.
package scrub

import "bytes"

// The states of an ANSI: where in a control sequence (ECMA-48) the stream is.
const (
	ground   = iota
	escape   // behind ESC
	interm   // behind ESC and an intermediate byte
	csi      // in a control sequence
	text     // in a control string: OSC, DCS, SOS, PM, APC
	textESC  // behind ESC in a control string
	maxAside = 4096
)

// An ANSI removes control sequences and control strings from a stream.
type ANSI struct {
	state int
	aside int // bytes of the sequence so far
	Count int // sequences taken out
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
		if a.aside++; a.aside > maxAside {
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
		case c == '[' && a.state == escape:
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
		switch c {
		case 0x07:
			a.state = ground
		case 0x1b:
			a.state = textESC
		case '\n':
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
