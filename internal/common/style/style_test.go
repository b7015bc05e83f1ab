package style

import (
	"os/exec"
	"strings"
	"testing"
)

// The rule for colours says what terminfo does, where that knows the terminal.
func TestColours(t *testing.T) {
	for name, want := range map[string]bool{"xterm": true, "xterm-256color": true, "linux": true,
		"screen": true, "tmux-256color": true, "st": true, "konsole-vt100": true, "putty-m1": true,
		"foot": true, "vte": true, "xterm-mono": false, "linux-m": false, "ansi-m": false,
		"cons25-m": false, "vt100": false, "vt220": false, "vt420": false, "vt52": false, "sun": false,
		"dumb": false, "unknown": false, "lpr": false, "wsvt25m": true, "minitel": false} {
		if got := colours(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
		if out, err := exec.Command("infocmp", "-1", name).Output(); err == nil &&
			strings.Contains(string(out), "colors#") != want {
			t.Errorf("terminfo has %s otherwise", name)
		}
	}
}
