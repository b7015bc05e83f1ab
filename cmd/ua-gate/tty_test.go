package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/creack/pty"

	"ua/internal/common/event"
	"ua/internal/test/scripttest"
)

// A screen is what a program writes to its terminal, and the keys.
type screen struct {
	*os.File
	mu   sync.Mutex
	seen bytes.Buffer
	more chan struct{}
}

// asked runs ua-gate --ask with a terminal over the events, and returns the
// terminal. At the test's end the verdicts are in the file that it returns.
func asked(t *testing.T, events string, args ...string) (*screen, *exec.Cmd, string) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	// What only writes is asked about too.
	policy := filepath.Join(dir, ".config", "ua", "policy.toml")
	editor := filepath.Join(dir, "editor")
	err := errors.Join(os.WriteFile(in, []byte(events), 0o600),
		os.MkdirAll(filepath.Dir(policy), 0o700),
		os.WriteFile(policy, []byte("[levels.attended]\nwrite = \"ask\"\n"), 0o600),
		os.WriteFile(editor, []byte("#!/bin/sh\n${X_API_KEY:+exit}\necho editing >/dev/tty\n"+
			"read -r line </dev/tty\nprintf '%s\\n' \"$line\" >\"$1\"\n"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	line := filepath.Join(scripttest.Bin(t), "ua-gate") + ` --ask "$@" <` + in + ` >` + out
	cmd := exec.Command("sh", append([]string{"-c", line, "sh"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME=", "VISUAL=", "EDITOR="+editor,
		"NO_COLOR=1", "X_API_KEY=key")
	f, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close(); cmd.Process.Kill() })
	s := &screen{File: f, more: make(chan struct{}, 1)}
	go s.read()
	return s, cmd, out
}

func (s *screen) read() {
	buf := make([]byte, 4096)
	for {
		n, err := s.File.Read(buf)
		s.mu.Lock()
		s.seen.Write(buf[:n])
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// until waits for text on the screen and takes all up to it.
func (s *screen) until(t *testing.T, text string) string {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		s.mu.Lock()
		if i := strings.Index(s.seen.String(), text); i >= 0 {
			got := string(s.seen.Next(i + len(text)))
			s.mu.Unlock()
			return got
		}
		all := s.seen.String()
		s.mu.Unlock()
		select {
		case <-s.more:
		case <-late:
			t.Fatalf("no %q on the screen:\n%s", text, all)
		}
	}
}

func callOf(id, command string) string {
	c := shellCall(id, command)
	return string(c.raw) + "\n"
}

// verdicts are the verdicts in the file, once the gate has ended.
func verdicts(t *testing.T, cmd *exec.Cmd, out string) (list []string) {
	t.Helper()
	cmd.Wait()
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r := event.NewReader(f); ; {
		line, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if event.Type(line) == "verdict" {
			s := event.Str(line, "decision") + " by " + event.Str(line, "by")
			if c := event.Str(line, "command"); c != "" {
				s += ": " + c
			}
			list = append(list, s)
		}
	}
}

const prompt = " [q] quit [?] help > "

func TestTerminal(t *testing.T) {
	for _, c := range []struct {
		name   string
		events string
		talk   []string // what is on the screen, what is typed, in turn
		want   string
	}{
		{"yes", callOf("a", "touch x"), []string{"⚠ write: ", "", "❯ touch x", "",
			"[y] run [n] skip [a] allow touch for the session\r\n  [e] edit [v] view [q] quit [?] help > ",
			"y\n"}, "allow by person"},
		{"no", callOf("a", "touch x"), []string{prompt, "n\n"}, "deny by person"},
		{"a line that begins with y", callOf("a", "touch x"),
			[]string{prompt, "y for all\n", "y for all is not an answer", "", prompt, "a b\n", prompt,
				"n\n"},
			"deny by person"},
		{"no with a word", callOf("a", "touch x"), []string{prompt, "n use cp\n"}, "deny by person"},
		{"words", callOf("a", "touch x"), []string{prompt, "# use cp\n"}, "deny by person"},
		{"no answer at first", callOf("a", "touch x"), []string{prompt, "\n", "is not an answer", "",
			prompt, "?\n", "tell the model", "", prompt, "Y\n"}, "allow by person"},
		{"session", callOf("a", "touch x") + callOf("b", "touch y") + callOf("c", "rm y"),
			[]string{prompt, "a\n", "❯ rm y", "", prompt, "n\n"},
			"allow by person, allow by session, deny by person"},
		{"session for redirections", callOf("a", "echo a >x") + callOf("b", "echo b >>y; ls >z") +
			callOf("c", "echo c >.vscode/tasks.json"),
			[]string{"[a] allow writing to files with > for the session", "a\n",
				"❯ echo c >.vscode/tasks.json", "", "[y] run [n] skip [e] edit", "n\n"},
			"allow by person, allow by session, deny by person"},
		{"y is not yes", callOf("a", "sudo id"),
			[]string{`type "yes" to run, [n] skip [e] edit [v] view [q] quit [?] help > `, "y\n",
				`type the whole word "yes"`, "", prompt, "a\n", prompt, "yes\n"}, "allow by person"},
		{"edit", callOf("a", "touch x"), []string{prompt, "e\n", "", "ls -l\n"},
			"allow by person: ls -l"},
		{"edit and ask again", callOf("a", "touch x"),
			[]string{prompt, "e\n", "", "rm z\n", "❯ rm z", "", prompt, "y\n"}, "allow by person: rm z"},
		{"edit to nothing", callOf("a", "touch x"), []string{prompt, "e\n", "", "\n",
			"the edited command is empty", "", prompt, "n\n"}, "deny by person"},
		{"edit to a denied one", callOf("a", "touch x"), []string{prompt, "e\n", "", "echo \x1bx\n"},
			"deny by input"},
		{"quit", callOf("a", "touch x") + callOf("b", "ls"), []string{prompt, "q\n"},
			"deny by person, deny by person"},
		{"Ctrl-C", callOf("a", "touch x") + callOf("b", "ls"), []string{prompt, "\x03"},
			"deny by person, deny by person"},
		{"Ctrl-C in the editor", callOf("a", "touch x"),
			[]string{prompt, "e\n", "editing", "\x03", prompt, "n\n"}, "deny by person"},
		{"end of file", callOf("a", "touch x"), []string{prompt, "\x04"}, "deny by level"},
		{"many lines, and marks that deceive", callOf("a", "touch 'a\u202eb'\nrm x"),
			[]string{"❯ touch 'a<U+202E>b'\r\n│ rm x\r\n", "", prompt, "n\n"}, "deny by person"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, cmd, out := asked(t, c.events)
			for i := 0; i < len(c.talk); i += 2 {
				if c.talk[i] != "" {
					s.until(t, c.talk[i])
				}
				s.WriteString(c.talk[i+1])
			}
			if got := strings.Join(verdicts(t, cmd, out), ", "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// A judge's safer command is a key away, and is judged again.
func TestSafer(t *testing.T) {
	dir := t.TempDir()
	policy := filepath.Join(dir, "judge.toml")
	os.WriteFile(policy, []byte("[judge]\ncommand = [\"sh\", \"-c\", "+
		"\"grep -q docs && echo '{\\\"decision\\\":\\\"allow\\\"}' || "+
		"echo '{\\\"decision\\\":\\\"deny\\\",\\\"reason\\\":\\\"too much\\\",\\\"safer\\\":\\\"rm -r "+
		"docs\\\"}'\"]\n"), 0o600)
	s, cmd, out := asked(t, callOf("a", "rm -rf a b c"), "--policy", policy)
	s.until(t, "⚠ the judge: too much\r\n  safer: rm -r docs\r\n")
	s.until(t, "[s] the safer one")
	s.WriteString("s\n")
	s.until(t, "❯ rm -r docs")
	s.until(t, prompt)
	s.WriteString("y\n")
	if got := strings.Join(verdicts(t, cmd, out), ", "); got != "allow by person: rm -r docs" {
		t.Error(got)
	}
}

// The question never fills the screen, and ends with what it is about.
func TestLongQuestion(t *testing.T) {
	for name, rest := range map[string]string{
		"lines":           strings.Repeat("\necho harmless", 500) + "\necho end",
		"thousands":       strings.Repeat("\n:", 5000),
		"one line":        "; echo " + strings.Repeat("harmless", 5000) + " end",
		"100 kB":          "; echo " + strings.Repeat("x", 100<<10),
		"wide ones":       "; echo " + strings.Repeat("無害", 5000) + " end",
		"emoji":           "; echo " + strings.Repeat("👩🏽", 3000) + " end",
		"combining marks": "; echo " + strings.Repeat("e\u0301\u0323", 5000) + " end",
		"tabs":            strings.Repeat("\n\t\t\techo\tharmless", 500),
		"empty lines":     strings.Repeat("\n", 3000) + "echo end",
	} {
		t.Run(name, func(t *testing.T) {
			command := "rm -rf important" + rest
			s, cmd, out := asked(t, callOf("a", command))
			pty.Setsize(s.File, &pty.Winsize{Rows: 24, Cols: 80})
			s.until(t, "⚠ destructive: ")
			text := "⚠ destructive: " + s.until(t, prompt)
			rows := 0
			for line := range strings.SplitSeq(text, "\r\n") {
				n := columns(line)
				rows += max((n+79)/80, 1)
				if n > 80 && (strings.HasPrefix(line, "❯ ") || strings.HasPrefix(line, "│ ")) &&
					!strings.HasSuffix(line, prompt) {
					t.Errorf("a line of the command that wraps: %s", line)
				}
			}
			if rows > 24 {
				t.Errorf("%d rows of 24:\n%s", rows, text)
			}
			last := strings.LastIndex(text, "⚠ destructive: ")
			reason, _, _ := strings.Cut(text, "\r\n")
			if !strings.Contains(text, "are not shown: v shows all") || last == 0 ||
				!strings.HasPrefix(text[last:], reason+"\r\n") ||
				!strings.Contains(text[last:], "❯ rm -rf important") {
				t.Errorf("the end of the question: %s", text[last:])
			}
			s.WriteString("v\n")
			if whole := s.until(t, prompt); strings.Contains(whole, "not shown") ||
				strings.Count(whole, "\n") < strings.Count(command, "\n") {
				t.Errorf("v shows %d lines", strings.Count(whole, "\n"))
			}
			s.WriteString("n\n")
			if got := strings.Join(verdicts(t, cmd, out), ", "); got != "deny by person" {
				t.Error(got)
			}
		})
	}
}

// columns returns how many columns of a terminal a line takes: marks that stand over the
// character before them take none (Unicode, general category Mn).
func columns(line string) (n int) {
	for _, r := range line {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r >= 0x1100 && r != '⚠' && r != '❯' && r != '…':
			n += 2
		default:
			n++
		}
	}
	return n
}

func TestTerminalTimeout(t *testing.T) {
	s, cmd, out := asked(t, callOf("a", "touch x")+callOf("b", "touch y"), "--ask-timeout", "300ms")
	s.until(t, "no answer in time")
	s.until(t, prompt)
	s.until(t, "no answer in time")
	if got := strings.Join(verdicts(t, cmd, out), ", "); got != "deny by level, deny by level" {
		t.Error(got)
	}
}

// What was typed before the question does not answer it, nor does a line that
// came too late for the question before.
func TestTypedAhead(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "hook")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	policy := filepath.Join(dir, "policy.toml")
	os.WriteFile(policy, []byte("[[hooks.pre_exec]]\n"+
		"command = [\"cat\", \""+fifo+"\"]\ntimeout = \"60s\"\n"), 0o600)
	s, cmd, out := asked(t, callOf("a", "touch x")+callOf("b", "touch y"), "--policy", policy,
		"--ask-timeout", "3s")
	for _, end := range []string{"no answer in time", prompt} {
		s.WriteString("y\ny\n")
		s.until(t, "y\r\ny\r\n") // the terminal's echo: the keys are there
		if err := os.WriteFile(fifo, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.until(t, end)
	}
	s.WriteString("n\n")
	if got := strings.Join(verdicts(t, cmd, out), ", "); got != "deny by level, deny by person" {
		t.Error(got)
	}
}

// A job in the background does not stop at a question.
func TestBackgroundJob(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	os.WriteFile(in, []byte(callOf("a", "rm x")), 0o600)
	gate := filepath.Join(scripttest.Bin(t), "ua-gate")
	cmd := exec.Command("bash", "-c", "set -m; "+gate+" --ask <"+in+" | cat & wait")
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME=")
	f, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := &screen{File: f, more: make(chan struct{}, 1)}
	go s.read()
	s.until(t, "the terminal belongs to another job")
	cmd.Wait()
}
