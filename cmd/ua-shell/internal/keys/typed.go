package keys

import (
	"bytes"
	"time"

	"ua/internal/common/scrub"
)

// within is how long the pieces of one sequence may take to come. A person who has
// pressed Alt and a bracket is heard again after that time.
const within = time.Second

// A Stream follows where control sequences among keys begin and end. A read may end inside of
// one, and the rest of an answer is no key. The zero value is ready for use.
type Stream struct {
	ansi scrub.ANSI
	last time.Time // when something came
}

// Typed returns the characters among the keys that came at a time, up to the first sequence that
// begins among them; or Ctrl-C alone, which ends whatever was typed.
func (s *Stream) Typed(p []byte, now time.Time) []byte {
	interrupt := bytes.IndexByte(p, CtrlC) >= 0
	if interrupt || now.Sub(s.last) > within {
		s.ansi = scrub.ANSI{Keys: true}
	}
	if s.last = now; interrupt {
		return []byte{CtrlC}
	}
	p = bytes.Clone(p)
	at := bytes.IndexByte(p, 0x1b)
	if at < 0 {
		return s.ansi.Strip(p)
	}
	typed := s.ansi.Strip(p[:at])
	s.ansi.Strip(p[at:])
	return typed
}
