package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"ua/internal/common/tty"
	"ua/internal/test/scripttest"
)

// TestTooSoon: a line that is typed when the question has just appeared answers nothing.
func TestTooSoon(t *testing.T) {
	s, cmd, out := asked(t, callOf("a", "touch x")+callOf("b", "rm y"))
	s.until(t, "❯ touch x")
	s.WriteString("n\n")
	s.until(t, prompt)
	s.WriteString("y\n")
	s.until(t, "❯ rm y")
	s.WriteString("y\n") // pressed twice, so that it comes to the next question
	s.until(t, prompt)
	s.WriteString("n\n")
	if got := strings.Join(verdicts(t, cmd, out), ", "); got != "allow by person, deny by person" {
		t.Error(got)
	}
}

// TestTwoGates: of two gates on one terminal the second one asks when the first is answered.
func TestTwoGates(t *testing.T) {
	dir := t.TempDir()
	in := func(name, command string) string {
		name = filepath.Join(dir, name)
		os.WriteFile(name, []byte(callOf("a", command)), 0o600)
		return name
	}
	gate := filepath.Join(scripttest.Bin(t), "ua-gate")
	outs := map[string]string{"one": filepath.Join(dir, "o1"), "two": filepath.Join(dir, "o2")}
	line := gate + " --ask <" + in("1", "rm one") + " >" + outs["one"] + " & " +
		gate + " --ask <" + in("2", "rm two") + " >" + outs["two"] + "; wait"
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME=", "NO_COLOR=1")
	f, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := &screen{File: f, more: make(chan struct{}, 1)}
	go s.read()
	for _, key := range []string{"y", "n"} {
		text := s.until(t, prompt)
		if strings.Count(text, "❯ rm ") != 1 {
			t.Fatalf("asked about at once: %s", text)
		}
		which := "one"
		if strings.Contains(text, "❯ rm two") {
			which = "two"
		}
		s.WriteString(key + "\n")
		outs[key] = outs[which]
	}
	cmd.Wait()
	for key, want := range map[string]string{"y": "allow by person", "n": "deny by person"} {
		if got := strings.Join(verdicts(t, cmd, outs[key]), ", "); got != want {
			t.Errorf("%s: %s", key, got)
		}
	}
}

// TestShownAgain: after the job was stopped the question is shown again, for what others have
// printed is not what was asked.
func TestShownAgain(t *testing.T) {
	s, cmd, out := asked(t, callOf("a", "touch x"))
	for _, change := range []func() error{
		func() error {
			return errors.Join(syscall.Kill(-cmd.Process.Pid, syscall.SIGSTOP),
				syscall.Kill(-cmd.Process.Pid, syscall.SIGCONT))
		},
	} {
		s.until(t, "❯ touch x")
		s.until(t, "[v] view [q] quit")
		s.until(t, " > ")
		if err := change(); err != nil {
			t.Fatal(err)
		}
	}
	s.until(t, "❯ touch x")
	s.until(t, " > ")
	s.WriteString("y\n")
	if got := strings.Join(verdicts(t, cmd, out), ", "); got != "allow by person" {
		t.Error(got)
	}
}

// TestRawTerminal: in a terminal that a killed program has left in raw mode one key is no
// answer.
func TestRawTerminal(t *testing.T) {
	s, cmd, out := asked(t, callOf("a", "touch x"+strings.Repeat("\n:", 100)))
	if _, err := term.MakeRaw(int(s.Fd())); err != nil {
		t.Fatal(err)
	}
	s.until(t, prompt)
	modes, err := unix.IoctlGetTermios(int(s.Fd()), tty.GetModes)
	if err != nil || modes.Lflag&unix.ICANON == 0 || modes.Lflag&unix.ECHO == 0 {
		t.Errorf("modes %+v, %v", modes, err)
	}
	s.WriteString("y\x04") // a letter whose line has not ended
	s.WriteString("es?\n")
	s.until(t, prompt)
	s.WriteString("n\n")
	if got := strings.Join(verdicts(t, cmd, out), ", "); got != "deny by person" {
		t.Error(got)
	}
}
