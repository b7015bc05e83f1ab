package keys

import "time"

// within is how long the pieces of one sequence may take to come. A person who has
// pressed Alt and a bracket is heard again after that time.
const within = time.Second

// A Sequence follows where control sequences from a terminal begin and end (ECMA-48). A
// read may end inside of one, and the rest of an answer is no key. The zero value is
// ready for use.
type Sequence struct {
	state sequenceState
	last  time.Time // when something came
}

// A sequenceState is the place in a sequence.
type sequenceState int

const (
	outside sequenceState = iota
	escaped               // behind ESC
	control               // in ESC [
	single                // behind ESC O
	text                  // in a string: ESC ] P _ ^ X
	ending                // behind ESC in a string
)

// Rest takes the bytes that came at a time. It returns how many of them still belong to a
// sequence that began before.
func (s *Sequence) Rest(p []byte, now time.Time) (n int) {
	if now.Sub(s.last) > within {
		s.state = outside
	}
	s.last = now
	began := s.state != outside
	for i, c := range p {
		before := s.state
		s.step(c)
		if began && (s.state == outside || c == 0x1b && before != text) {
			began = false
			if n = i; s.state == outside && c != CtrlC {
				n++
			}
		}
	}
	if began {
		n = len(p)
	}
	return n
}

// step takes one byte.
func (s *Sequence) step(c byte) {
	switch {
	case c == CtrlC:
		s.state = outside
	case s.state == ending && c == '\\':
		s.state = outside
	case s.state == escaped || s.state == ending:
		s.state = begins(c)
	case c == 0x1b && s.state == text:
		s.state = ending
	case c == 0x1b:
		s.state = escaped
	case s.state == control && (c < 0x20 || c >= 0x40 && c <= 0x7e), s.state == single,
		s.state == text && c == 7:
		s.state = outside
	}
}

// begins returns the state after ESC and this byte.
func begins(c byte) sequenceState {
	switch c {
	case '[':
		return control
	case 'O':
		return single
	case ']', 'P', '_', '^', 'X':
		return text
	case 0x1b:
		return escaped
	}
	return outside
}
