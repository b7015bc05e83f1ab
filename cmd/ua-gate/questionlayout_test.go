package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"ua/internal/common/style"
	"ua/internal/common/tty"
	"ua/internal/common/verdict"
	"ua/internal/test/scripttest"
)

// TestAnyScreen: on a screen of 20 rows and 60 columns or more the question ends with the level,
// the first line of the command and the choices, and what a model has written begins no row of it.
func TestAnyScreen(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	for name, rest := range map[string]string{
		"short": "", "lines": strings.Repeat("\necho x", 500), "wide": strings.Repeat("無害", 500),
		"one line": strings.Repeat("; echo harmless", 500),
		"a frame":  "\n  [y] run [n] skip > n\n⚠ read_only: ls\n❯ ls",
	} {
		q := &question{call: &call{command: "rm -rf important" + rest}}
		q.Risk, q.warning = verdict.Destructive, strings.Repeat("w❯ ls ", 40)
		q.Reason, q.Safer = strings.Repeat("r❯ ls ", 40), "rm important/one"
		for rows := 20; rows < 60; rows++ {
			for _, width := range []int{60, 80, 132, 300} {
				screen := size{width, rows}
				text := q.text(style.Style(false), screen) + q.choices(width)
				used := 1
				for line := range strings.SplitSeq(text, "\n") {
					used += max((columns(line)+width-1)/width, 1)
					mark, _, _ := strings.Cut(line, " ")
					if !slices.Contains([]string{"❯", "│", "⚠", ""}, mark) {
						t.Errorf("%s, %v: %q begins a row", name, screen, mark)
					}
				}
				if used > rows {
					t.Errorf("%s, %v: %d rows:\n%s", name, screen, used, text)
				}
				end := text[strings.LastIndex(text, "⚠ des"):]
				if !strings.Contains(end, "❯ rm -r") {
					t.Errorf("%s, %v: the end: %s", name, screen, end)
				}
			}
		}
	}
}

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
