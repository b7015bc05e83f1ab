package main_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ua/internal/test/scripttest"
)

// A place is where a server lends its shell.
type place struct {
	t         *testing.T
	home, cwd string
	cmd       *exec.Cmd
}

func newPlace(t *testing.T) *place {
	dir, err := os.MkdirTemp("", "ua-mcp-place")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // what was started here may still be ending
		scripttest.Await(t, "an empty folder", func() bool { return os.RemoveAll(dir) == nil })
	})
	p := &place{t: t, home: filepath.Join(dir, "home"), cwd: filepath.Join(dir, "work")}
	os.Mkdir(p.home, 0o700)
	os.Mkdir(p.cwd, 0o700)
	return p
}

func (p *place) command(args ...string) *exec.Cmd {
	bin := scripttest.Bin(p.t)
	cmd := exec.Command(filepath.Join(bin, args[0]), args[1:]...)
	cmd.Dir = p.cwd
	cmd.Env = []string{"HOME=" + p.home, "PATH=" + bin + ":" + os.Getenv("PATH"), "TMPDIR=" + p.home}
	return cmd
}

// connect starts a server and a client, whose person gives answer, if there is one.
func (p *place) connect(version string, answer *mcp.ElicitResult,
	args ...string) *mcp.ClientSession {
	o := &mcp.ClientOptions{}
	if answer != nil {
		o.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return answer, nil
		}
	}
	p.cmd = p.command(append([]string{"ua-mcp", "serve"}, args...)...)
	s, err := mcp.NewClient(&mcp.Implementation{Name: "client"}, o).Connect(context.Background(),
		&mcp.CommandTransport{Command: p.cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { s.Close() })
	return s
}

// call calls the shell, and returns what came of it.
func (p *place) call(ctx context.Context, s *mcp.ClientSession, command string) (string, bool) {
	r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "shell",
		Arguments: map[string]any{"command": command}})
	if err != nil {
		return err.Error(), true
	}
	var text strings.Builder
	for _, c := range r.Content {
		text.WriteString(c.(*mcp.TextContent).Text)
	}
	return text.String(), r.IsError
}

// journal is that of the only run.
func (p *place) journal() string {
	names, _ := filepath.Glob(p.home + "/.local/state/ua/runs/*/journal.jsonl")
	if len(names) != 1 {
		p.t.Fatalf("runs: %q", names)
	}
	text, _ := os.ReadFile(names[0])
	return string(text)
}

// TestServe: calls are judged, confined and kept, in one run.
func TestServe(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		p, ctx := newPlace(t), context.Background()
		s := p.connect(version, nil)
		for _, c := range []struct {
			command, want string
			failed        bool
		}{
			{"echo one; pwd", "one\n" + p.cwd, false},
			{"echo x >file; cat file; exit 3", "[exit status 3]", true},
			{"cat file; ls ~ | wc -l", "x\n", false},
			{"echo y >>~/.bashrc; cat ~/.bashrc", "", true},
			{"sudo true", "Nobody can be asked here", true},
			{"sudo true", "sudo", true},
			{"sudo true", "sudo", true},
			{"echo after three denials", "after three", false},
			{"ls " + p.home + "/ua-mcp-*/calls", "No such file", true},
			{" ", "empty", true},
		} {
			if out, failed := p.call(ctx, s, c.command); failed != c.failed ||
				!strings.Contains(out, c.want) {
				t.Errorf("%s: %q: %v, %s", version, c.command, failed, out)
			}
		}
		s.Close()
		if j := p.journal(); strings.Count(j, `"type":"tool_result"`) != 9 ||
			!strings.Contains(j, `commands of client`) ||
			!strings.HasPrefix(j[strings.LastIndex(strings.TrimSpace(j), "\n")+1:], `{"type":"summary"`) {
			t.Error(j)
		}
		if left, _ := filepath.Glob(p.home + "/ua-mcp-*"); len(left) > 0 {
			t.Error(left)
		}
	}
}

// TestServeAsks: the client's person is asked, and only a plain yes is one.
func TestServeAsks(t *testing.T) {
	t.Parallel()
	run := func(v any) map[string]any { return map[string]any{"run": v} }
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		for _, c := range []struct {
			answer mcp.ElicitResult
			gone   bool
		}{
			{mcp.ElicitResult{Action: "accept", Content: run(true)}, true},
			{mcp.ElicitResult{Action: "accept", Content: run(false)}, false},
			{mcp.ElicitResult{Action: "accept"}, false},
			{mcp.ElicitResult{Action: "accept", Content: run("true")}, false},
			{mcp.ElicitResult{Action: "decline"}, false},
			{mcp.ElicitResult{Action: "cancel", Content: run(true)}, false},
			{mcp.ElicitResult{Action: "strange", Content: run(true)}, false},
		} {
			p := newPlace(t)
			os.MkdirAll(p.home+"/.config/ua", 0o700)
			os.WriteFile(p.home+"/.config/ua/policy.toml",
				[]byte("[levels]\ndestructive = \"ask\"\n"), 0o600)
			os.Mkdir(p.cwd+"/old", 0o700)
			s := p.connect(version, &c.answer)
			out, failed := p.call(context.Background(), s, "rm -rf old; echo ok")
			if _, err := os.Stat(p.cwd + "/old"); (err != nil) != c.gone || failed == c.gone {
				t.Errorf("%s, %v: %v, %s", version, c.answer, failed, out)
			}
			// In the newer protocol a client that could not ask does not say so.
			silent := version > "2026" && !c.gone && c.answer.Content["run"] != false
			if silent {
				continue
			}
			if out, failed := p.call(context.Background(), s, "echo next"); failed {
				t.Errorf("%s, %v: then %s", version, c.answer, out)
			}
		}
	}
}

// TestServeEnds: what is cancelled ends, what comes after it works, a try stays apart, and
// nothing is left when the client is gone.
func TestServeEnds(t *testing.T) {
	scripttest.NeedTries(t)
	t.Parallel()
	p := newPlace(t)
	s := p.connect("", nil, "--try")
	mark := "sleep 7531 " + strings.ReplaceAll(p.home, "/", "_")
	alive := func() bool {
		out, _ := exec.Command("pgrep", "-f", "^"+mark).Output()
		return len(out) > 0
	}
	sleep := "exec -a '" + mark + "' sleep 7531"
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan bool)
	go func() {
		p.call(ctx, s, "echo kept >kept")
		_, failed := p.call(ctx, s, sleep)
		done <- failed
	}()
	scripttest.Await(t, "the command", alive)
	cancel()
	if !<-done {
		t.Error("a cancelled call succeeds")
	}
	scripttest.Await(t, "its end", func() bool { return !alive() })
	if out, failed := p.call(context.Background(), s, "cat kept"); failed {
		t.Errorf("after a cancelled call: %s", out)
	}
	if _, err := os.Stat(p.cwd + "/kept"); err == nil {
		t.Error("a try is not apart")
	}
	go p.call(context.Background(), s, sleep)
	scripttest.Await(t, "the second command", alive)
	p.cmd.Process.Signal(syscall.SIGKILL)
	scripttest.Await(t, "the end of all", func() bool { return !alive() })
}

// TestServeJunk: what is no message ends the server with a word, not a trace.
func TestServeJunk(t *testing.T) {
	t.Parallel()
	for _, junk := range []string{"junk\n", "{}\n", "[]\n", strings.Repeat("[", 100000) + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"nothing"}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shell"}}` + "\n",
		strings.Repeat("x", 10<<20), "\x00\xff\n", ""} {
		p := newPlace(t)
		cmd := p.command("ua-mcp", "serve")
		cmd.Stdin = strings.NewReader(junk)
		ended := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		out, _ := cmd.CombinedOutput()
		ended.Stop()
		if code := cmd.ProcessState.ExitCode(); code != 0 && code != 2 ||
			strings.Contains(string(out), "goroutine") {
			t.Errorf("%.40q: status %d, %.500s", junk, code, out)
		}
	}
}

// TestServeInPipe: a client that closes its side at once gets all its answers, and one that
// does not wait for them leaves nothing behind.
func TestServeInPipe(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	call := func(id int, command string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call",`+
			`"params":{"name":"shell","arguments":{"command":%q}}}`+"\n", id, command)
	}
	begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":` +
		`"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	cmd := p.command("ua-mcp", "serve")
	cmd.Stdin = strings.NewReader(begin + call(2, "echo one") + call(3, "sleep 0.2; echo two"))
	out, err := cmd.Output()
	if err != nil || strings.Count(string(out), "\n") != 3 || !strings.Contains(string(out), "two") {
		t.Errorf("%v: %s", err, out)
	}
	mark := "sleep 7536 " + strings.ReplaceAll(p.home, "/", "_")
	cmd = p.command("ua-mcp", "serve")
	cmd.Stdin = strings.NewReader(begin + call(2, "exec -a '"+mark+"' sleep 7536"))
	pipe, _ := cmd.StdoutPipe()
	cmd.Start()
	alive := func() bool { return exec.Command("pgrep", "-f", "^"+mark).Run() == nil }
	scripttest.Await(t, "the command", alive)
	pipe.Close()
	cmd.Wait()
	scripttest.Await(t, "its end", func() bool { return !alive() })
}

// TestInterrupted: a person who gives up on a server that is silent ends it, by the status
// of the signal and without a word.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	mark := "sleep 7537 " + strings.ReplaceAll(p.home, "/", "_")
	os.MkdirAll(p.home+"/.config/ua", 0o700)
	os.WriteFile(p.home+"/.config/ua/config.toml", []byte("[mcp.silent]\n"+
		"command = [\"bash\", \"-c\", \"exec -a '"+mark+"' sleep 7537\"]\n"), 0o600)
	cmd := p.command("ua-mcp", "silent")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	alive := func() bool { return exec.Command("pgrep", "-f", "^"+mark).Run() == nil }
	scripttest.Await(t, "the server", alive)
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 130 || out.Len() > 0 || alive() {
		t.Errorf("status %d: %s", status, &out)
	}
}
