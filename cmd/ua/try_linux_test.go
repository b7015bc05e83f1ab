package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestAskTry answers the question at the end of a run with a try, each way.
func TestAskTry(t *testing.T) {
	scripttest.NeedTries(t)
	for _, c := range []struct {
		keys, state string
		applied     bool
	}{
		{"v y", "applied", true}, {"q", "kept", false}, {"n", "", false}, {"v v no", "", false},
		{"what? ? a yes", "applied", true}, {"\x04", "kept", false},
	} {
		x := onTerminal(t, "call: echo new >made\n---\ntext: done", "--ask", "--try", "task")
		for _, key := range strings.Fields(c.keys) {
			x.expect("[?] help > ")
			x.seen = strings.Replace(x.seen, "[?] help > ", "", 1)
			if key != "\x04" {
				key += "\n"
			}
			x.tty.WriteString(key)
			if key == "v\n" {
				x.expect("+new")
				x.seen = strings.Replace(x.seen, "+new", "", 1)
			}
		}
		for key, words := range map[string]string{"what?": "what? is not an answer", "?": "throw away"} {
			if slices.Contains(strings.Fields(c.keys), key) && !strings.Contains(x.seen, words) {
				t.Errorf("after %q: no %q in %s", c.keys, words, x.seen)
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

// TestAskInATry: on a terminal a command that the policy lets go in a try is not asked
// about there, and is without a try.
func TestAskInATry(t *testing.T) {
	scripttest.NeedTries(t)
	for _, try := range []bool{true, false} {
		args := []string{"--ask", "task"}
		if try {
			args = append([]string{"--try"}, args...)
		}
		t.Setenv("XDG_CONFIG_HOME", t.TempDir())
		os.Mkdir(filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "ua"), 0o700)
		os.WriteFile(filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "ua", "policy.toml"),
			[]byte("[levels.try]\ndestructive = \"allow\"\n"), 0o600)
		x := onTerminal(t, "call: echo x >made; rm -r folder\n---\ntext: done", args...)
		want, not := "[y] apply", "[y] run"
		if !try {
			want, not = not, want
		}
		x.expect(want)
		if strings.Contains(x.seen, not) {
			t.Errorf("try %v: %s", try, x.seen)
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
