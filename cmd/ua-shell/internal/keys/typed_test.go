package keys

import (
	"strings"
	"testing"
	"time"
)

// TestTyped cuts what comes from a terminal everywhere: what is left of the pieces is what a
// person has typed.
func TestTyped(t *testing.T) {
	for in, typed := range map[string]string{
		"abc": "abc", "\x1b[?2026;2$yn": "n", "\x1b]52;c;eXl5\x1b\\n": "n", "\x1b]11;yy\an": "n",
		"\x1bP>|yyy\x1b\\\x1b[?62;22c\x1bOPn": "n", "\x1b]yy\x1b[1;1Rn": "n", "\x1b\x1b[?1;2cn": "n",
		"\x1b]lyy\ny\x1b\\n": "n", "\x1b]52;c;" + strings.Repeat("y", 5000) + "\an": "n",
		"\x1bOA\x1bO5An": "n", "\x1b_yy\x1b\\n": "n",
	} {
		for at := range min(len(in), 100) {
			var s Stream
			now := time.Now()
			got := string(s.Typed([]byte(in[:at]), now)) + string(s.Typed([]byte(in[at:]), now))
			begins := strings.Contains(in[at:], "\x1b") // behind it nothing is taken
			if got != typed && (got != "" || !begins) {
				t.Errorf("%.100q at %d: %q is left", in, at, got)
			}
		}
	}
	var s Stream
	now := time.Now()
	if got := s.Typed([]byte("\x1b]yy"), now); len(got) > 0 {
		t.Errorf("%q", got)
	}
	if got := s.Typed([]byte("y\x03n"), now); string(got) != "\x03" {
		t.Errorf("Ctrl-C: %q", got)
	}
	s.Typed([]byte("\x1b]"), now)
	if got := s.Typed([]byte("y"), now.Add(2*within)); string(got) != "y" {
		t.Errorf("a key after a while: %q", got)
	}
}
