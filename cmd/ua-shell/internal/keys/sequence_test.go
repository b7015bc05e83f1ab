package keys

import (
	"strings"
	"testing"
	"time"
)

// TestSequence cuts what comes from a terminal everywhere: what is left of each piece is what a
// person has typed.
func TestSequence(t *testing.T) {
	for in, typed := range map[string]string{
		"abc": "abc", "\x1b[?2026;2$yn": "n", "\x1b]52;c;eXl5\x1b\\n": "n", "\x1b]11;yy\an": "n",
		"\x1bP>|yyy\x1b\\\x1b[?62;22c\x1bOPn": "n", "\x1b]yy\x03n": "\x03n", "\x1b]yy\x1b[1;1Rn": "n",
		"\x1b\x1b[?1;2cn": "n",
	} {
		for at := range in {
			var s Sequence
			now := time.Now()
			s.Rest([]byte(in[:at]), now)
			if n := s.Rest([]byte(in[at:]), now); at > 0 && n > 0 && !strings.HasSuffix(in[at+n:], typed) ||
				strings.HasPrefix(in[at+n:], "y") || in[at+n:] != "" && in[at+n] == 'c' && at > 3 {
				t.Errorf("%q at %d: %q is left", in, at, in[at+n:])
			}
		}
	}
	var s Sequence
	now := time.Now()
	s.Rest([]byte("\x1b]"), now)
	if n := s.Rest([]byte("y"), now.Add(2*within)); n != 0 {
		t.Error("a key after a while is lost")
	}
}
