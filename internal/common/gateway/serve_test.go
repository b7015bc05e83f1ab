package gateway

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/internal/common/run"
	"ua/internal/common/stage"
)

// newRun makes the folder of a run in a folder of runs whose path has that many bytes or more.
func newRun(t *testing.T, length int) run.Run {
	t.Helper()
	dir, err := os.MkdirTemp("", "o")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if more := length - len(dir) - len("//sub"); more > 0 {
		dir = filepath.Join(dir, strings.Repeat("d", more))
	}
	r := run.Run{ID: "20260102-030405-abcdef"}
	r.Dir = filepath.Join(dir, run.SubFolder, r.ID)
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return r
}

// The socket is in the run's folder where its path is short enough for one, beside it where
// not, and else in a folder of its own; only its owner can connect to it, and it goes.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		length int
		in     func(r run.Run) string
		name   string
	}{
		{0, func(r run.Run) string { return r.Dir }, "x.sock"},
		{85, func(r run.Run) string { return filepath.Dir(r.Dir) }, "abcdef-x.sock"},
		{150, nil, "x.sock"},
	} {
		r := newRun(t, c.length)
		o, err := Open(r, "x.sock")
		if err != nil {
			t.Fatal(err)
		}
		dir, name := filepath.Split(o.Path)
		if info, err := os.Stat(o.Path); err != nil || info.Mode() != os.ModeSocket|0o600 ||
			name != c.name || c.in != nil && filepath.Clean(dir) != c.in(r) || len(o.Token) < 20 {
			t.Errorf("%d: %s, %v", c.length, o.Path, err)
		}
		close(o.done)
		o.Close(r.Dir)
		if _, err := os.Stat(o.Path); err == nil {
			t.Errorf("%s is left", o.Path)
		}
		if _, err := os.Stat(dir); (err == nil) != (c.in != nil) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// The program starts with the first connection, gets the token, and its lines are handed on;
// one that was killed has a successor.
func TestServe(t *testing.T) {
	r := newRun(t, 0)
	o, err := Open(r, "x.sock")
	if err != nil {
		t.Fatal(err)
	}
	starts := 0
	start := func(args []string) (stage.Command, error) {
		starts++
		// it accepts nothing, so the connection is still there for the next one
		return stage.Custom("sh", "read token <&4; echo \"$token\"; kill -KILL $$"), nil
	}
	lines := make(chan string, 10)
	served := make(chan struct{})
	go func() {
		defer close(served)
		o.serve(start, func(line []byte) { lines <- string(line) }, func(err error) { t.Error(err) })
	}()
	select {
	case <-lines:
		t.Error("started for nobody")
	case <-time.After(20 * time.Millisecond):
	}
	conn, err := net.Dial("unix", o.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	<-served
	o.Close(r.Dir)
	close(lines)
	n := 0
	for line := range lines {
		if n++; line != o.Token {
			t.Errorf("%q", line)
		}
	}
	if n != 3 || starts != 3 {
		t.Errorf("%d lines of %d programs", n, starts)
	}
}

// One that has answered before it was killed leaves as many successors as at first: a session of
// ua-shell may last for days.
func TestServeOn(t *testing.T) {
	r := newRun(t, 0)
	o, err := Open(r, "x.sock")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close(r.Dir)
	conn, err := net.Dial("unix", o.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	starts := 0
	o.Serve(func([]string) (stage.Command, error) {
		if starts++; starts > 4 {
			return stage.Custom("sh", "exit 1"), nil
		}
		return stage.Custom("sh", `echo '{"type":"model_request","agent":"a","usage":{"input":1}}'
			kill -KILL $$`), nil
	}, func([]byte) {}, func(err error) { t.Error(err) })
	if s := o.Answered(); starts != 6 || s.Questions != 4 {
		t.Errorf("%d programs, %+v", starts, s)
	}
}

// A program that can't be started is told, and Close does not wait for it.
func TestServeNothing(t *testing.T) {
	r := newRun(t, 0)
	o, err := Open(r, "x.sock")
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan error, 1)
	go o.serve(func([]string) (stage.Command, error) {
		return stage.Command{}, os.ErrNotExist
	}, nil,
		func(err error) { told <- err })
	conn, err := net.Dial("unix", o.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := <-told; err != os.ErrNotExist {
		t.Error(err)
	}
	<-o.done
	o.Close(r.Dir)
}

// Close ends a program that answers, and one that nobody has asked for is never started.
func TestClose(t *testing.T) {
	for _, asked := range []bool{true, false} {
		r := newRun(t, 0)
		o, err := Open(r, "x.sock")
		if err != nil {
			t.Fatal(err)
		}
		lines := make(chan string, 10)
		start := func([]string) (stage.Command, error) {
			return stage.Custom("sh", "trap 'echo last; exit' TERM; echo first; "+
				"while :; do sleep 0.01; done"), nil
		}
		go o.serve(start, func(line []byte) { lines <- string(line) }, func(err error) { t.Error(err) })
		if asked {
			conn, err := net.Dial("unix", o.Path)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if line := <-lines; line != "first" {
				t.Errorf("%q", line)
			}
		}
		o.Close(r.Dir)
		if asked {
			if line := <-lines; line != "last" {
				t.Errorf("%q", line)
			}
		} else if o.stage != nil {
			t.Error("started for nobody")
		}
	}
}
