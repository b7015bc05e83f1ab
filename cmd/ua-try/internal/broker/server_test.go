//go:build linux

package broker

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
	"ua/internal/common/run"
	"ua/internal/common/scripttest"
	"ua/internal/common/verdict"
)

// TestMain makes the test binary the stage that becomes a command.
func TestMain(m *testing.M) {
	if os.Getenv("BROKER_TEST_ENTER") == "" {
		os.Exit(m.Run())
	}
	name, err := Enter()
	fmt.Printf("%s: %v\n", name, err)
	os.Exit(9)
}

// served is a server whose ua-try is a script: it runs a verb, or else $DO, and then says
// which try it has made.
type served struct {
	*testing.T
	*Server
	path  string
	halt  chan os.Signal
	ended chan error
}

const script = `#!/bin/bash
case $1 in --try-fd) printf '%s\0' "$TRY" >&3;; *) echo "verb $*";; esac
[ "$UA_TRIES_SERVED" ] || eval "$DO"
`

// serving starts it, for commands that may have at most the profile.
func serving(t *testing.T, widest verdict.Profile) *served {
	t.Helper()
	dir := t.TempDir()
	s := &served{t, &Server{Secret: "of this run", Widest: widest, Lives: filepath.Join(dir, "lives"),
		Program: filepath.Join(dir, "ua-try"), Dir: filepath.Join(dir, "work"),
		Except: []string{"/left/out"},
		Around: []string{"ua-sandbox", "--profile", "none"}, AtOnce: 4}, filepath.Join(dir, "socket"),
		make(chan os.Signal, 1), make(chan error, 1)}
	scripttest.WriteProgram(t, s.Program, []byte(script))
	for _, d := range []string{s.Lives, s.Dir, filepath.Join(s.Dir, "sub")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range verdict.Profiles() {
		os.WriteFile(filepath.Join(s.Lives, run.LiveName(name, "ID")), nil, 0o600)
	}
	var err error
	if s.Socket, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err == nil {
		err = unix.Bind(s.Socket, &unix.SockaddrUnix{Name: s.path})
	}
	if err == nil {
		err = unix.Listen(s.Socket, 8)
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() { s.ended <- s.Serve(s.halt) }()
	t.Cleanup(func() {
		s.halt <- unix.SIGTERM
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
		_ = unix.Shutdown(s.Socket, unix.SHUT_RDWR) // nobody accepts by its number any more
		unix.Close(s.Socket)
	})
	return s
}

// token is one that a command of the profile has.
func (s *served) token(profile string) string {
	return run.TriesToken(s.Secret, profile) + "-ID"
}

// dial connects, and sends files and what follows them as they are.
func (s *served) dial(text string, files ...int) int {
	s.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: s.path})
	}
	if err == nil && text != "" {
		var rights []byte
		if len(files) > 0 {
			rights = unix.UnixRights(files...)
		}
		if err = unix.Sendmsg(fd, []byte{0}, rights, nil, unix.MSG_NOSIGNAL); err == nil {
			_ = writeAll(fd, []byte(text))
		}
	}
	if err != nil {
		s.Fatal(err)
	}
	return fd
}

// reply waits for the answer on a connection.
func (s *served) reply(fd int) (r Reply) {
	s.Helper()
	line, err := readLine(fd)
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err != nil {
		s.Errorf("no answer: %v", err)
	}
	unix.Close(fd)
	return r
}

// ask sends a request and returns the answer, and what the command has printed.
func (s *served) ask(q Request) (Reply, string) {
	s.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		s.Fatal(err)
	}
	defer r.Close()
	text, _ := json.Marshal(q)
	fd := s.dial(string(text)+"\n", int(w.Fd()), int(w.Fd()), int(w.Fd()))
	w.Close()
	reply := s.reply(fd)
	out, _ := io.ReadAll(r)
	return reply, string(out)
}

// TestRequests asks for commands and verbs, as one who may and as one who may not.
func TestRequests(t *testing.T) {
	s := serving(t, verdict.ProfileWorkspace)
	first := filepath.Join(s.Dir, "20260101-1-a")
	os.Mkdir(first, 0o700)
	words := []tree.Name{"echo", "a b"}
	for _, c := range []struct {
		name, profile, do string
		q                 Request
		status, signal    int
		says, prints      string
	}{
		{"no token", "-", "", Request{Words: words}, 126, 0, "not this command's to ask", ""},
		{"a wider one", "none", "", Request{Words: words}, 126, 0, "not this command's to ask", ""},
		{"who may not write", "read-only", "", Request{Words: words}, 126, 0, "may not write", ""},
		{"who may not write applies", "read-only", "", Request{Verb: "apply"}, 126, 0, "may not write",
			""},
		{"who may not write looks", "read-only", "", Request{Verb: "ls"}, 0, 0, "", ""},
		{"a verb before all tries", "workspace", "", Request{Verb: "undo"}, 2, 0, "no try of this run",
			""},
		{"no command", "workspace", "", Request{}, 126, 0, "no command", ""},
		{"another folder", "workspace", "", Request{Words: words, Dir: "/"}, 126, 0,
			"/ is not in the run's working folder", ""},
		{"a way out", "workspace", "", Request{Words: words, Dir: tree.Name(s.Dir + "/sub/../..")}, 126,
			0,
			"not in the run's working folder", ""},
		{"left out of the try", "workspace", "", Request{Words: words, Dir: tree.Name(s.Dir),
			Except: []tree.Name{tree.Name(s.Dir + "/sub")}}, 126, 0, "covers all that the run can write",
			""},
		{"left out by the run too", "workspace", "exit 3", Request{Words: words, Dir: tree.Name(s.Dir),
			Except: []tree.Name{"/left/out/more", "/elsewhere"}}, 3, 0, "", ""},
		{"a command", "workspace", `echo "$@"; pwd; exit 7`, Request{Words: words,
			Dir: tree.Name(s.Dir + "/sub"), Quiet: true}, 7, 0, "",
			"--try-fd 3 --quiet --except /left/out -- " +
				"ua-sandbox --profile none --profile workspace --env UA_TRIES_COMMAND_0 -- " + s.Program +
				" enter\n" +
				s.Dir + "\n"},
		{"its name", "workspace", `echo "$UA_TRY_TITLE"`, Request{Words: words, Dir: tree.Name(s.Dir)},
			0, 0,
			"", "echo a b\n"},
		{"a signal", "workspace", "kill -9 $$", Request{Words: words, Dir: tree.Name(s.Dir)}, 0, 9, "",
			""},
		{"an unknown verb", "workspace", "", Request{Verb: "serve"}, 126, 0, "no verb for a try", ""},
		{"an unknown option", "workspace", "", Request{Verb: "ls", Flags: []string{"--json",
			"--dir=/"}}, 126, 0,
			`ls: unknown option "--dir=/"`, ""},
		{"the text of files", "workspace", "", Request{Verb: "diff"}, 126, 0, "only with --stat", ""},
		{"the newest try", "workspace", "", Request{Verb: "diff", Flags: []string{"--stat"}}, 0, 0, "",
			"verb diff --stat " + first + "\n"},
		{"a path like an option", "workspace", "", Request{Verb: "apply", Flags: []string{"--force"},
			Words: []tree.Name{"last", "--all"}}, 0, 0, "", "verb apply --force " + first + " --all\n"},
		{"an option in place of the try", "workspace", "", Request{Verb: "apply",
			Words: []tree.Name{"--dir=/"}}, 2, 0, "no try of this run", ""},
		{"a try of another's", "workspace", "", Request{Verb: "drop", Words: []tree.Name{"/etc"}}, 2, 0,
			"no try of this run", ""},
		{"dropped", "workspace", "", Request{Verb: "drop"}, 0, 0, "", "verb drop " + first + "\n"},
		{"dropped before", "workspace", "", Request{Verb: "apply",
			Words: []tree.Name{tree.Name(first)}}, 2, 0,
			"no try of this run", ""},
	} {
		t.Setenv("DO", c.do)
		t.Setenv("TRY", first)
		c.q.Token = s.token(c.profile)
		r, out := s.ask(c.q)
		if r.Status != c.status || r.Signal != c.signal || (r.Error == "") != (c.says == "") ||
			!strings.Contains(r.Error, c.says) {
			t.Errorf("%s: %+v", c.name, r)
		}
		if out != c.prints {
			t.Errorf("%s: it prints %q", c.name, out)
		}
		if c.prints != "" && c.q.Verb == "" && string(r.Try) != first {
			t.Errorf("%s: the try is %q", c.name, r.Try)
		}
	}
}

// TestJunk connects as no client does: each gets a refusal, and the next one is served.
func TestJunk(t *testing.T) {
	s := serving(t, verdict.ProfileWorkspace)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	fd := int(null.Fd())
	for name, c := range map[string]struct {
		text  string
		files []int
		says  string
	}{
		"no files":     {"{}\n", nil, "without standard files"},
		"one file":     {"{}\n", []int{fd}, "without standard files"},
		"two files":    {"{}\n", []int{fd, fd}, "without standard files"},
		"four files":   {"{}\n", []int{fd, fd, fd, fd}, "no request: "},
		"no JSON":      {"words\n", []int{fd, fd, fd}, "invalid character"},
		"another type": {`{"words":"ls"}` + "\n", []int{fd, fd, fd}, "cannot unmarshal"},
		"a zero byte": {`{"words":["a\u0000b"]}` + "\n", []int{fd, fd, fd},
			"a word with a zero byte"},
		"a nameless one": {`{"env":["=x"]}` + "\n", []int{fd, fd, fd}, "a variable without a name"},
		"too long": {strings.Repeat(" ", requestMax+128<<10) + "\n", []int{fd, fd, fd},
			"too long"},
		"a forged answer": {`{"status":0,"try":"/etc"}` + "\n", []int{fd, fd, fd}, "not this command's"},
	} {
		if r := s.reply(s.dial(c.text, c.files...)); r.Status != 126 || !strings.Contains(r.Error,
			c.says) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	half := s.dial("{", fd, fd, fd)
	_ = unix.Shutdown(half, unix.SHUT_WR)
	if r := s.reply(half); !strings.Contains(r.Error, "unexpected EOF") {
		t.Errorf("half a request: %+v", r)
	}
	for range 3 * maxOpen { // who says nothing gives way to who does
		defer unix.Close(s.dial(""))
	}
	t.Setenv("DO", "exit 4")
	if r, _ := s.ask(Request{Token: s.token("workspace"), Words: []tree.Name{"x"},
		Dir: tree.Name(s.Dir)}); r.Status != 4 {
		t.Errorf("after all that: %+v", r)
	}
}

// begun starts a command that tells when it runs, and returns its connection and output.
func (s *served) begun(do string) (fd int, out *bufio.Reader) {
	s.Helper()
	s.Setenv("DO", do)
	r, w, err := os.Pipe()
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { r.Close() })
	text, _ := json.Marshal(Request{Token: s.token("workspace"), Words: []tree.Name{"x"},
		Dir: tree.Name(s.Dir)})
	fd = s.dial(string(text)+"\n", int(w.Fd()), int(w.Fd()), int(w.Fd()))
	w.Close()
	out = bufio.NewReader(r)
	if line, err := out.ReadString('\n'); line != "up\n" {
		s.Fatalf("%q, %v", line, err)
	}
	return fd, out
}

// TestSignalsPass gives a command the signals that a terminal or a service manager sends, and
// no other: one that stops or kills would leave what is around the command behind.
func TestSignalsPass(t *testing.T) {
	s := serving(t, verdict.ProfileWorkspace)
	fd, out := s.begun(`for s in HUP INT QUIT USR1 USR2 WINCH CONT; do trap "echo $s" $s; done
trap 'echo TERM; exit 5' TERM; echo up; while :; do sleep 0.01; done`)
	for _, sig := range []syscall.Signal{0, unix.SIGKILL, unix.SIGSTOP, unix.SIGWINCH, unix.SIGCONT,
		64, 255,
		unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGTERM} {
		if err := writeAll(fd, []byte{byte(sig)}); err != nil {
			t.Fatal(err)
		}
		want := map[syscall.Signal]string{unix.SIGHUP: "HUP", unix.SIGINT: "INT", unix.SIGQUIT: "QUIT",
			unix.SIGUSR1: "USR1", unix.SIGUSR2: "USR2", unix.SIGTERM: "TERM"}[sig]
		if want == "" {
			continue
		}
		if line, err := out.ReadString('\n'); line != want+"\n" {
			t.Errorf("%v: %q, %v", sig, line, err)
		}
	}
	if r := s.reply(fd); r.Status != 5 {
		t.Errorf("%+v", r)
	}
}

// TestClientLeaves ends a command whose client is gone, also one that will not be ended.
func TestClientLeaves(t *testing.T) {
	s := serving(t, verdict.ProfileWorkspace)
	for _, trap := range []string{"trap 'echo TERM; exit' TERM", "trap 'echo TERM' TERM"} {
		fd, out := s.begun(trap + "; echo up; while :; do sleep 0.01; done")
		unix.Close(fd)
		rest, err := io.ReadAll(out) // until nobody has it open any more
		if string(rest) != "TERM\n" || err != nil {
			t.Errorf("%s: %q, %v", trap, rest, err)
		}
	}
}

// TestServerEnds ends all that runs before the server does, and answers who still listens.
func TestServerEnds(t *testing.T) {
	s := serving(t, verdict.ProfileWorkspace)
	fd, out := s.begun("trap 'echo TERM; exit 6' TERM; echo up; while :; do sleep 0.01; done")
	silent := s.dial("")
	defer unix.Close(silent)
	s.halt <- unix.SIGTERM
	rest, _ := io.ReadAll(out)
	if r := s.reply(fd); r.Status != 6 || string(rest) != "TERM\n" {
		t.Errorf("%+v, %q", r, rest)
	}
	s.ended <- <-s.ended // for the end of the test
}

// TestWaitsItsTurn has more commands come than may run at once: those that wait run as others end.
func TestWaitsItsTurn(t *testing.T) {
	s := serving(t, verdict.ProfileWorkspace)
	t.Setenv("DO", "echo $$; exit 0")
	ended := make(chan int, 20)
	for range cap(ended) {
		go func() {
			r, _ := s.ask(Request{Token: s.token("workspace"), Words: []tree.Name{"x"},
				Dir: tree.Name(s.Dir)})
			ended <- r.Status
		}()
	}
	for range cap(ended) {
		select {
		case status := <-ended:
			if status != 0 {
				t.Errorf("status %d", status)
			}
		case <-time.After(time.Minute):
			t.Fatal("one never ran")
		}
	}
}
