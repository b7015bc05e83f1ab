package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	agent "ua/internal/common/run"
)

const triesSecret = "secret of the run"

// serving starts ua-try serve for a sandbox of a profile and returns how it ends.
func (b *bench) serving(profile string) *exec.Cmd {
	b.t.Helper()
	path := b.dir + "/home/tries.sock"
	l, err := net.Listen("unix", path)
	if err != nil {
		b.t.Fatal(err)
	}
	os.Chown(path, b.uid, b.uid)
	socket, err := l.(*net.UnixListener).File()
	if err != nil {
		b.t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		b.t.Fatal(err)
	}
	w.WriteString(triesSecret + "\n")
	w.Close()
	cmd := b.command(b.dir+"/work", []string{"TMPDIR=" + b.dir + "/home"}, "ua-try", "serve",
		"--socket-fd", "3", "--secret-fd", "4", "--lives", b.dir+"/home",
		"--profile-max", profile, "--", "ua-sandbox", "--quiet", "--profile", profile)
	cmd.ExtraFiles, cmd.Stderr = []*os.File{socket, r}, os.Stderr
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	socket.Close()
	r.Close()
	b.t.Cleanup(func() {
		cmd.Process.Signal(unix.SIGTERM)
		cmd.Wait()
		os.Remove(path)
	})
	return cmd
}

// token is that of a command that goes on.
func (b *bench) token(profile string) string { return b.tokenOf(profile, "ID") }

// tokenOf makes the token of a command with an ID, which goes on.
func (b *bench) tokenOf(profile, id string) string {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, "home", agent.LiveName(profile, id)), nil,
		0o600); err != nil {
		b.t.Fatal(err)
	}
	return agent.TriesToken(triesSecret, profile) + "-" + id
}

// inside is a shell command in a sandbox of a profile, which has the token of one.
func (b *bench) inside(profile, token, script string) *exec.Cmd {
	return b.command(b.dir+"/work", []string{agent.EnvTries + "=" + b.dir + "/home/tries.sock",
		agent.EnvTriesToken + "=" + b.token(token)}, "ua-sandbox", "--quiet",
		"--profile", profile, "--socket", b.dir+"/home/tries.sock",
		"--env", agent.EnvTries, "--env", agent.EnvTriesToken, "--", "sh", "-c", script)
}

// TestTriesInASandbox has commands that a sandbox confines make tries, apply them and take
// them back: each is in a sandbox as narrow.
func TestTriesInASandbox(t *testing.T) {
	for _, uid := range users() {
		b := newBench(t, uid)
		b.serving("network")
		if out, err := b.run(b.dir+"/work", nil, "/bin/sh", "-c",
			"git init -q . && mkdir -p sub ~/.ssh && echo key >~/.ssh/id_rsa && echo one >f"); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, c := range []struct{ token, script, want string }{
			{"workspace", "ua-try -- sh -c 'echo two >f; cat f' && cat f",
				"two\nua-try: 1 file changed: " + `ua-try diff \| apply \| drop` + "\none\n"},
			{"workspace", "ua-try ls | grep -c kept; ua-try apply && cat f",
				"1\nua-try: 1 file applied: ua-try undo takes it back\ntwo\n"},
			{"workspace", "ua-try diff --name-status; ua-try undo && cat f; " +
				"id=$(ua-try ls | cut -c1-22); ua-try -- true; " +
				"until ua-try drop last; do sleep 0.1; done 2>/dev/null; ua-try drop $id; ua-try ls",
				"M\tf\nua-try: 1 file taken back\none\n"},
			// the command that was asked for is listed, and a conflict's hint works
			{"workspace", "ua-try -- sh -c 'echo two >f' 2>/dev/null; ua-try ls | cut -c 24-; " +
				"echo three >f; ua-try apply; ua-try diff --stat last f; ua-try drop; echo one >f",
				` +\d+s  kept      1 file changed     \S+/work  sh -c echo two >f\n` +
					`.*changed since\n.*hint: ua-try diff --stat (\S+) PATH compares the two; .*\n f \| 2 .*\n`},
			{"workspace", "echo in | ua-try --quiet -- cat; echo $?", "in\n0\n"},
			{"workspace", "cd sub && A='x y' ua-try -- sh -c 'echo $A; pwd'",
				"x y\n" + b.dir + "/work/sub\n"},
			{"workspace", "ua-try -- sh -c 'exit 7'; echo $?; ua-try -- nowhere; echo $?; " +
				"ua-try -- sh -c 'kill -9 $$'; echo $?",
				"7\nua-try: \"nowhere\": not found\n127\nKilled\n137\n"},
			// the walls
			{"workspace", "ua-try -- sh -c 'cat ~/.ssh/id_rsa; echo x >~/made; " +
				"echo x >>.git/config; echo x >/etc/made' 2>&1 | " +
				"grep -c -i -e denied -e 'read-only' -e 'No such'; ls ~/made /etc/made",
				"[234]\nls: .*"},
			{"workspace", "ua-try -- sh -c 'env | grep -c ^UA_PROXY'", "0\n"},
			{"network", "ua-try -- sh -c 'env | grep -c ^UA_PROXY'", "1\n"},
			{"workspace", "ua-try -- sh -c 'env | grep -c -e ^UA_TRIES -e ^UA_TRY'", "1\n"},
			{"workspace", "ua-try -- ua-try -- true; echo $?",
				"ua-try: not run: inside ua-sandbox .*126\n"},
			// what is not theirs to ask
			{"none", "ua-try -- true; echo $?; ua-try ls",
				"ua-try: that is not this command's to ask\n126\n" +
					"ua-try: that is not this command's to ask\n"},
			{"read-only", "ua-try -- true; ua-try apply",
				"ua-try: not run: this .*\nua-try: not run: this .*\n"},
			{"workspace", "cd /tmp && ua-try -- true; cd / && ua-try -- true",
				"ua-try: not run: /tmp is .*not run: / is .*"},
			{"workspace", "ua-try -o o -- true; ua-try --dir /tmp -- true; ua-try --except f -- true",
				"(.*not run: .*\n){3}"},
			{"workspace", "ua-try diff; ua-try apply /etc; ua-try serve", ".*only with --stat.*" +
				"\"/etc\": no try of this run\n.*serve needs.*"},
		} {
			out, _ := b.inside("network", c.token, "exec 2>&1; "+c.script).Output()
			if !matches(c.want, string(out)) {
				t.Errorf("uid %d: %s\n%s", uid, c.script, out)
			}
		}
		if left, _ := filepath.Glob(b.dir + "/home/ua-try-*"); len(left) > 0 {
			t.Errorf("uid %d: %v is left", uid, left)
		}
	}
}

// TestForgedRequests sends what ua-try would not.
func TestForgedRequests(t *testing.T) {
	b := newBench(t, os.Getuid())
	b.serving("workspace")
	os.WriteFile(b.dir+"/work"+"/f", []byte("one\n"), 0o644)
	token := b.token("workspace")
	for _, c := range []struct {
		request string
		files   int
		want    string
	}{
		{`{"token":"TOKEN","words":["true"],"dir":"WORK"}`, 3, `{"status":0,"try":"`},
		{`{"token":"TOKEN","words":["true"],"dir":"WORK"}`, 2, `without standard files`},
		{`{"token":"TOKEN","words":["true"],"dir":"WORK/.."}`, 3, "is not in the run's"},
		{`{"token":"TOKEN","words":["true"],"dir":""}`, 3, "is not in the run's"},
		{`{"token":"TOKEN","words":[],"dir":"WORK"}`, 3, "no command"},
		{`{"token":"","words":["true"],"dir":"WORK"}`, 3, "not this command's"},
		{`{"token":"` + b.token("network") + `","words":["true"],"dir":"WORK"}`, 3,
			"not this command's"},
		{`{"token":"TOKEN","verb":"apply","flags":["--link=x"],"words":["last"]}`, 3, "unknown option"},
		{`{"token":"TOKEN","verb":"apply","words":["WORK"]}`, 3, "no try of this run"},
		{`{"token":"TOKEN","verb":"serve","words":["last"]}`, 3, "no verb"},
		{`{"token":"TOKEN","verb":"enter","words":["last"]}`, 3, "no verb"},
		{`{"token":"TOKEN","words":["a\u0000"],"dir":"WORK"}`, 3, "zero byte"},
		{`[`, 3, "no request"}, {``, 3, "no request"},
		{`{"token":"` + strings.Repeat("x", 9<<20) + `"}`, 3, "too long"},
		{`{"token":"TOKEN","words":["sh","-c","cd /; echo two >WORK/f; : >/tmp/x; rm -rf ~/*"],` +
			`"dir":"WORK","env":["HOME=HOME_","PATH=PATH_","UA_TRY=/","UA_SANDBOX=0"]}`, 3,
			`{"status":1,"try":`},
	} {
		words := strings.NewReplacer("TOKEN", token, "WORK", b.dir+"/work", "HOME_", b.dir+"/home",
			"PATH_",
			os.Getenv("PATH"))
		if got := b.forge(words.Replace(c.request), c.files); !strings.Contains(got, c.want) {
			t.Errorf("%.200s: %s", c.request, got)
		}
	}
	if text, _ := os.ReadFile(b.dir + "/work" + "/f"); string(text) != "one\n" {
		t.Errorf("%q in the file", text)
	}
	if _, err := os.Stat(b.dir + "/home/.local"); err != nil {
		t.Error(err)
	}
}

// forge sends a request and returns the answer.
func (b *bench) forge(request string, files int) string {
	c, err := net.Dial("unix", b.dir+"/home/tries.sock")
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	null, _ := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	defer null.Close()
	var fds []int
	for range files {
		fds = append(fds, int(null.Fd()))
	}
	if _, _, err := c.(*net.UnixConn).WriteMsgUnix([]byte{0}, unix.UnixRights(fds...),
		nil); err != nil {
		return err.Error()
	}
	go func() {
		c.Write([]byte(request + "\n"))
		if request == "" {
			c.(*net.UnixConn).CloseWrite()
		}
	}()
	var out bytes.Buffer
	out.ReadFrom(c)
	if !json.Valid(out.Bytes()) {
		return "no JSON: " + out.String()
	}
	return out.String()
}

// TestTriesEnd: the command of a try ends with who asked for it, with a signal that it was
// sent, and with the server.
func TestTriesEnd(t *testing.T) {
	b := newBench(t, os.Getuid())
	for name, end := range map[string]func(server, sandbox *exec.Cmd){
		"signal":        func(_, sandbox *exec.Cmd) { sandbox.Process.Signal(unix.SIGTERM) },
		"killed":        func(_, sandbox *exec.Cmd) { sandbox.Process.Kill() },
		"server":        func(server, _ *exec.Cmd) { server.Process.Signal(unix.SIGTERM) },
		"server killed": func(server, _ *exec.Cmd) { server.Process.Kill() },
	} {
		server := b.serving("workspace")
		fifo := b.dir + "/work" + "/lives"
		os.Remove(fifo)
		if err := unix.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := os.OpenFile(fifo, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		cmd := b.inside("workspace", "workspace",
			"exec ua-try --quiet -- sh -c 'echo began; sleep 1000'")
		cmd.Stdout = w // open for as long as a process of it lives
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		got := make([]byte, 6)
		if _, err := r.Read(got); err != nil || string(got) != "began\n" {
			t.Fatalf("%s: %q %v", name, got, err)
		}
		r.Close()
		last, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		end(server, cmd)
		cmd.Wait()
		last.SetReadDeadline(time.Now().Add(time.Minute))
		if n, err := last.Read(got); n != 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the command runs on: %v", name, err)
		}
		last.Close()
		if left, _ := filepath.Glob(b.dir + "/home/ua-try-*"); len(left) > 0 {
			t.Errorf("%s: %v is left", name, left)
		}
		server.Process.Signal(unix.SIGTERM)
		server.Wait()
		os.Remove(b.dir + "/home/tries.sock")
	}
}

func matches(pattern, text string) bool {
	return regexp.MustCompile(`^(?s:` + pattern + `)$`).MatchString(text)
}
