package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/scripttest"
)

// TestAskTry answers the question at the end of a run with a try, each way.
func TestAskTry(t *testing.T) {
	for _, c := range []struct {
		keys, state string
		applied     bool
	}{
		{"d a", "applied", true}, {"k", "kept", false}, {"x", "", false}, {"d d x", "", false},
		{"what? a", "applied", true}, {"\x04", "kept", false},
	} {
		x := onTerminal(t, "call: echo new >made\n---\ntext: done", "--ask", "--try", "task")
		for _, key := range strings.Fields(c.keys) {
			x.expect("[x] drop: ")
			x.seen = strings.Replace(x.seen, "[x] drop: ", "", 1)
			if key != "\x04" {
				key += "\n"
			}
			x.tty.WriteString(key)
			if key == "d\n" {
				x.expect("+new")
				x.seen = strings.Replace(x.seen, "+new", "", 1)
			}
		}
		if status := x.end(); status != 0 {
			t.Errorf("after %q: status %d\n%s", c.keys, status, x.seen)
		}
		if _, err := os.Stat(filepath.Join(x.dir, "made")); (err == nil) != c.applied {
			t.Errorf("after %q: %v\n%s", c.keys, err, x.seen)
		}
		if state := x.tries(); !strings.Contains(state, c.state) || c.state == "" && state != "" {
			t.Errorf("after %q: %q is left", c.keys, state)
		}
	}
}

// tries is what ua try ls prints of the terminal's user.
func (x *terminal) tries() string {
	x.t.Helper()
	cmd := exec.Command(filepath.Join(scripttest.Bin(x.t), "ua-try"), "ls")
	cmd.Env = x.cmd.Env
	out, err := cmd.Output()
	if err != nil {
		x.t.Fatal(err)
	}
	return string(out)
}
