//go:build linux

package broker

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
	"ua/internal/common/run"
	"ua/internal/common/verdict"
)

// TestAsk asks as ua-try does in a sandbox.
func TestAsk(t *testing.T) {
	s := serving(t, verdict.ProfileWorkspace)
	q := &Request{Words: []tree.Name{"x"}, Dir: tree.Name(s.Dir)}
	t.Setenv(run.EnvTriesToken, s.token("workspace"))
	for do, want := range map[string]Reply{"exit 8": {Status: 8, Try: "/made"},
		"kill -TERM $$": {Signal: 15, Try: "/made"}} {
		t.Setenv("DO", do)
		t.Setenv("TRY", "/made")
		t.Setenv(run.EnvTries, s.path)
		if r, err := Ask(q, make(chan os.Signal)); r != want || err != nil || !Known() {
			t.Errorf("%s: %+v, %v", do, r, err)
		}
	}
	signals := make(chan os.Signal, 1)
	signals <- unix.SIGUSR1
	t.Setenv("DO", "trap 'exit 10' USR1; while :; do sleep 0.01; done")
	if r, err := Ask(q, signals); err != nil || r.Status != 10 && r.Signal != int(unix.SIGUSR1) {
		t.Errorf("a signal: %+v, %v", r, err)
	}
	for _, path := range []string{s.path + "x", s.Dir, ""} {
		t.Setenv(run.EnvTries, path)
		if r, err := Ask(q, nil); err == nil || r != (Reply{}) || Known() != (path != "") {
			t.Errorf("%q: %+v, %v", path, r, err)
		}
	}
}

// TestNoAnswer asks who accepts and says nothing, or no answer.
func TestNoAnswer(t *testing.T) {
	for _, says := range []string{"", "junk\n", `{"status":0`} {
		path := filepath.Join(t.TempDir(), "socket")
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err == nil {
			err = unix.Bind(fd, &unix.SockaddrUnix{Name: path})
		}
		if err == nil {
			err = unix.Listen(fd, 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if c, _, err := unix.Accept(fd); err == nil {
				_, _ = standard(c)
				_, _ = readLine(c)
				_ = writeAll(c, []byte(says))
				unix.Close(c)
			}
		}()
		t.Setenv(run.EnvTries, path)
		if r, err := Ask(&Request{}, nil); err == nil || !strings.HasPrefix(err.Error(),
			"the answer: ") {
			t.Errorf("%q: %+v, %v", says, r, err)
		}
		unix.Close(fd)
	}
}

// TestEnter becomes the command that a request asks for, with its words, folder and variables
// as they came, and without those that led to the server.
func TestEnter(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		q      Request
		prints string
		status int
	}{
		{Request{Words: []tree.Name{"sh", "-c", `printf '%s|' "$@"; pwd`, "sh", "a b", "", "c\nd",
			"\xff"},
			Dir: tree.Name(dir)}, "a b||c\nd|\xff|" + dir + "\n", 0},
		{Request{Words: []tree.Name{"sh", "-c",
			`echo "$A,$B,$UA_TRIES,$UA_TRIES_TOKEN,$UA_TRIES_COMMAND_0"; exit 3`},
			Dir: tree.Name(dir), Env: []tree.Name{"A=1=2", "B=x\xfe"}}, "1=2,x\xfe,,,\n", 3},
		{Request{Words: []tree.Name{"sh", "-c", `printf %s "$1" | wc -c`, "sh",
			tree.Name(strings.Repeat("x",
				partMax+9))}, Dir: tree.Name(dir)}, fmt.Sprintln(partMax + 9), 0},
		{Request{Words: []tree.Name{"./mine"}, Dir: tree.Name(dir)}, "./mine: ", 9},
		{Request{Words: []tree.Name{"no-such-program"}, Dir: tree.Name(dir)}, "no-such-program: exec: ",
			9},
		{Request{Words: []tree.Name{"sh"}, Dir: tree.Name(dir + "/none")}, dir + "/none: no such file",
			9},
		{Request{Words: []tree.Name{"sh"}, Dir: tree.Name(dir), Env: []tree.Name{"PATH=/nowhere"}},
			"sh: exec: ",
			9},
		{Request{Dir: tree.Name(dir)}, ": no command", 9},
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env, _ = Pack(&c.q)
		cmd.Env = append(cmd.Env, "BROKER_TEST_ENTER=1", run.EnvTries+"=/s", run.EnvTriesToken+"=t")
		out, _ := cmd.CombinedOutput()
		if status := cmd.ProcessState.ExitCode(); status != c.status || !strings.HasPrefix(string(out),
			c.prints) {
			t.Errorf("%.60q: status %d, %.200q", c.q.Words, status, out)
		}
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "BROKER_TEST_ENTER=1", envCommand+"0={", envCommand+"1=")
	if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), "unexpected end of JSON") {
		t.Errorf("half a command: %s", out)
	}
}
