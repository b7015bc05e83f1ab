package stage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// shell starts a shell line as a stage whose input ends at once.
func shell(t *testing.T, line string, change func(*Command)) (s *Stage, out *os.File) {
	t.Helper()
	c := Custom("sh", line)
	c.Own = true
	if change != nil {
		change(&c)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	ends, err := Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if s, err = c.Start(null, ends.W, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Signal(syscall.SIGKILL)
		ends.R.Close()
	})
	return s, ends.R
}

func TestFailure(t *testing.T) {
	for _, c := range []struct {
		line   string
		status int
		how    string
	}{
		{"exit 0", 0, ""},
		{"exit 3", 3, "ended with status 3"},
		{"kill -TERM $$", 143, "killed by signal 15 (terminated)"},
		{"kill -KILL $$", 137, "killed by signal 9 (killed)"},
	} {
		s, _ := shell(t, c.line, nil)
		if s.Name() != "sh" || !s.Wait(time.Minute) {
			t.Fatalf("%s: %s has not ended", c.line, s.Name())
		}
		if status, how := s.Failure(); status != c.status || how != c.how {
			t.Errorf("%s: %d %q", c.line, status, how)
		}
	}
}

// What was never started, and what still runs, has not failed.
func TestNotEnded(t *testing.T) {
	var none *Stage
	none.Signal(syscall.SIGKILL)
	if status, how := none.Failure(); !none.Wait(0) || status != 0 || how != "" || none.Looks() ||
		none.OwesLook() || !none.Printed(nil) {
		t.Errorf("%d %q", status, how)
	}
	s, _ := shell(t, "sleep 300", nil)
	if status, how := s.Failure(); s.Wait(0) || s.Ended() || status != 0 || how != "" {
		t.Errorf("%d %q", status, how)
	}
}

// SIGKILL is for the whole group; another signal only where that was asked for.
func TestSignal(t *testing.T) {
	for _, c := range []struct {
		sig   syscall.Signal
		group bool
		both  bool
	}{
		{syscall.SIGKILL, false, true}, {syscall.SIGTERM, true, true},
		{syscall.SIGTERM, false, false},
	} {
		s, out := shell(t, "sleep 300 & echo $!; wait", func(cmd *Command) { cmd.Group = c.group })
		var child int
		if _, err := fmt.Fscan(out, &child); err != nil {
			t.Fatal(err)
		}
		s.Signal(c.sig)
		if !s.Wait(time.Minute) {
			t.Fatalf("%v: not ended", c.sig)
		}
		if c.both { // the pipe ends with the last one that holds it
			if _, err := io.ReadAll(out); err != nil {
				t.Error(err)
			}
		} else if syscall.Kill(child, syscall.SIGKILL) != nil {
			t.Errorf("%v ended what the stage had started", c.sig)
		}
	}
}

// A sandbox that was killed owes its last look once, any other stage none.
func TestOwesLook(t *testing.T) {
	for _, c := range []struct {
		line  string
		looks bool
		owes  bool
	}{{"kill -KILL $$", true, true}, {"exit 1", true, false}, {"kill -KILL $$", false, false}} {
		s, _ := shell(t, c.line, func(cmd *Command) { cmd.Looks = c.looks })
		s.Wait(time.Minute)
		if s.Looks() != c.looks || s.OwesLook() != c.owes || s.OwesLook() {
			t.Errorf("%+v", c)
		}
	}
}

func TestSaid(t *testing.T) {
	s, _ := shell(t, "echo first >&2; echo 'sh: last' >&2; echo 'sh: hint: x' >&2",
		func(c *Command) { c.Runs = true })
	if said := s.Said(); said != "sh: last" {
		t.Errorf("%q", said)
	}
	if s, _ := shell(t, "exit 0", nil); s.Said() != "" {
		t.Error("what goes to our own stderr was not read")
	}
}

func TestLastLine(t *testing.T) {
	for _, c := range []struct {
		said []string
		want string
	}{
		{nil, ""},
		{[]string{"\n\n"}, ""},
		{[]string{"one\ntwo"}, "two"},
		{[]string{"one\n", "two\r\n", "\n"}, "two"},
		{[]string{"a: b\na: hint: c\n"}, "a: b"},
		{[]string{"a: hint: c"}, ""},
		{[]string{"x\xff\n"}, "x\uFFFD"},
		{[]string{strings.Repeat("x", 1000), "end\n"}, strings.Repeat("x", 496) + "end"},
	} {
		var w lastWords
		for _, text := range c.said {
			if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
				t.Error(n, err)
			}
		}
		if got := w.lastLine(); got != c.want {
			t.Errorf("%.40q: %q, want %q", c.said, got, c.want)
		}
	}
}

func TestStartStatus(t *testing.T) {
	for err, want := range map[error]int{
		syscall.EAGAIN: prog.TryLater, syscall.ENOMEM: prog.TryLater, syscall.EMFILE: prog.TryLater,
		&os.PathError{Err: syscall.ENFILE}: prog.TryLater, fs.ErrNotExist: prog.NotFound,
		&os.PathError{Err: syscall.ENOENT}: prog.NotFound, syscall.EACCES: prog.Trouble,
		errors.New("x"): prog.Trouble,
	} {
		if got := StartStatus(err); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
	c := Custom("none", "")
	c.Argv = []string{"/nonexistent/program"}
	null, _ := os.Open(os.DevNull)
	ends, _ := Pipe()
	defer ends.R.Close()
	var e *prog.Error
	if _, err := c.Start(null, ends.W, nil); !errors.As(err, &e) || e.Status != prog.NotFound {
		t.Errorf("%v", err)
	}
}

// Lines hands every line on, those that are no events too, and tells of one that is too
// long.
func TestLines(t *testing.T) {
	ends, err := Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		io.WriteString(ends.W, "{\"type\":\"a\"}\n\nnot json\n")
		long := []byte(strings.Repeat("x", 1<<20))
		for range event.MaxLine/len(long) + 1 {
			ends.W.Write(long)
		}
		io.WriteString(ends.W, "\n{\"type\":\"b\"}")
		ends.W.Close()
	}()
	var got []string
	Lines(ends.R, "sh", func(line []byte) { got = append(got, event.Type(line)+string(line[:2])) })
	if want := []string{`a{"`, "no", `error{"`, `b{"`}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
