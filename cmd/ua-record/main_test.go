package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// A place is where agents are recorded: a folder, a home, and a model that counts what it is
// asked and answers with calls of a command, one in each answer, and then that it is done.
type place struct {
	t              *testing.T
	bin, home, cwd string
	server         *httptest.Server

	mu       sync.Mutex
	commands []string
	requests []string
}

func newPlace(t *testing.T, commands ...string) *place {
	scripttest.NeedTries(t)
	scripttest.NeedTier(t, "3")
	dir := t.TempDir()
	p := &place{t: t, bin: scripttest.Bin(t), home: filepath.Join(dir, "home"),
		cwd: filepath.Join(dir, "work"), commands: commands}
	for _, folder := range []string{p.home, p.cwd, filepath.Join(p.cwd, "sub")} {
		os.Mkdir(folder, 0o700)
	}
	os.WriteFile(filepath.Join(p.cwd, "file"), []byte("as before\n"), 0o600)
	os.WriteFile(filepath.Join(p.cwd, "sub", "gone"), []byte("soon\n"), 0o640)
	p.server = httptest.NewServer(p)
	t.Cleanup(p.server.Close)
	return p
}

func (p *place) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	api := map[bool]string{true: "anthropic", false: "openai"}[strings.HasSuffix(r.URL.Path,
		"/messages")]
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, fmt.Sprint(r.URL.Path, r.Header, string(body)))
	says, stop := []modeltest.Say{{Kind: "text", Text: "all done"}}, "end_turn"
	if name, argument, ok := shellOf(string(body)); ok && len(p.commands) > 0 {
		input, _ := json.Marshal(map[string]string{argument: p.commands[0]})
		p.commands = p.commands[1:]
		says, stop = []modeltest.Say{{Kind: "tool", ID: fmt.Sprintf("call_%d", len(p.requests)),
			Name: name, Text: string(input)}}, "tool_use"
	}
	if api == "openai" {
		stop = "completed"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, strings.Join(modeltest.Stream(api, stop, says...), ""))
}

// shellOf returns what a request's tool that runs commands is named, and its argument.
func shellOf(body string) (name, argument string, ok bool) {
	for _, tool := range [][2]string{{"Bash", "command"}, {"bash", "command"},
		{"exec_command", "cmd"}, {"shell_command", "command"}} {
		if strings.Contains(body, `"name":"`+tool[0]+`"`) {
			return tool[0], tool[1], true
		}
	}
	return "", "", false
}

// asked returns the requests that the model got.
func (p *place) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.requests...)
}

func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.bin, args[0]), args[1:]...)
	cmd.Dir, cmd.Env = p.cwd, []string{"HOME=" + p.home, "PATH=" + p.bin + ":" + os.Getenv("PATH"),
		"ANTHROPIC_BASE_URL=" + p.server.URL, "OPENAI_BASE_URL=" + p.server.URL + "/v1",
		"ANTHROPIC_API_KEY=" + modeltest.Secret, "OPENAI_API_KEY=" + modeltest.Secret,
		"UA_MODEL=anthropic/claude-sonnet-5-5"}
	return cmd
}

// run returns what a command prints, and its status.
func (p *place) run(args ...string) (string, int) {
	cmd := p.command(args...)
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

// state is all that is in the folder, with modes and times.
func (p *place) state() string {
	out, err := exec.Command("sh", "-c", "cd '"+p.cwd+
		"' && find . -printf '%p %M %T@ %l\n' | sort && grep -r '' . | sort").CombinedOutput()
	if err != nil {
		p.t.Fatal(err)
	}
	return string(out)
}

// journal is that of the newest run.
func (p *place) journal() string {
	out, status := p.run("ua-journal", "cat", "last")
	if status != 0 {
		p.t.Fatal(out)
	}
	return out
}

// asks is an agent that asks the model once.
const asks = `curl -sS -m 20 -H "X-Api-Key: $ANTHROPIC_API_KEY" ` +
	`$ANTHROPIC_BASE_URL/v1/messages -d '{"model":"another","max_tokens":50,"stream":true,` +
	`"tools":[{"name":"Bash","input_schema":{"type":"object"}}],` +
	`"messages":[{"role":"user","content":"hi"}]}'`

// TestRecord: what an agent asks is answered by the one model and stands in the journal, what
// it changes is undone as a whole, and the key is nowhere inside.
func TestRecord(t *testing.T) {
	t.Parallel()
	scripttest.Need(t, "curl")
	p := newPlace(t, "echo proposed")
	before := p.state()
	out, status := p.run("ua", "record", "--", "sh", "-c", asks+";"+asks+`; `+
		`echo changed >file; rm sub/gone; mkdir new; ln -s ../file new/link; chmod 755 file; `+
		`echo state >~/.agent; `+
		`env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\0' '\n'; `+
		`curl -sS -m 5 `+p.server.URL+`/direct; echo x >`+p.home+`/outside`)
	if status == 0 || !strings.Contains(out, "all done") ||
		!strings.Contains(out, fmt.Sprintf("changed, not applied (status %d)", status)) ||
		strings.Contains(out, modeltest.Secret) {
		t.Errorf("status %d: %s", status, out)
	}
	asked := p.asked()
	if len(asked) != 2 || !strings.Contains(asked[0], `"model":"claude-sonnet-5-5"`) ||
		!strings.Contains(asked[0], modeltest.Secret) {
		t.Errorf("the model was asked %q", asked)
	}
	if p.state() != before {
		t.Errorf("an agent that failed has changed the folder: %s", p.state())
	}
	j := p.journal()
	if strings.Count(j, `"type":"model_request"`) != 2 || strings.Contains(j, modeltest.Secret) ||
		!strings.Contains(j, `"task":"sh -c `) || !strings.Contains(j, `"type":"summary"`) {
		t.Error(j)
	}
	if out, status := p.run("ua", "log", "last"); status != 0 ||
		!strings.Contains(out, "❯ echo proposed\n") {
		t.Errorf("status %d: %s", status, out)
	}
	if list, _ := os.ReadDir(p.home); len(list) != 1 {
		t.Errorf("the agent has written into the home: %v", list)
	}

	out, status = p.run("ua-record", "--", "sh", "-c", `echo changed >file; rm sub/gone; mkdir new; `+
		`ln -s ../file new/link; chmod 755 file`)
	if status != 0 || p.state() == before || !strings.Contains(out, "ua undo ") {
		t.Fatalf("status %d: %s%s", status, out, p.state())
	}
	if out, status := p.run("ua", "undo"); status != 0 || p.state() != before {
		t.Errorf("status %d: %s%s\nwas %s", status, out, p.state(), before)
	}
	if out, status := p.run("ua-record", "--try", "--", "sh", "-c", "echo >new"); status != 0 ||
		p.state() != before || !strings.Contains(out, "1 file changed, not applied") {
		t.Errorf("status %d: %s", status, out)
	}
	if out, status := p.run("ua-try", "apply"); status != 0 || p.state() == before {
		t.Errorf("status %d: %s", status, out)
	}
}

// TestBudget: no request reaches the model beyond the budget, whatever the agent does.
func TestBudget(t *testing.T) {
	t.Parallel()
	scripttest.Need(t, "curl")
	many := `for i in 1 2 3 4 5 6 7 8; do ` + asks + ` & done; wait; ` + asks
	for _, c := range []struct {
		option, value string
		most          int
	}{{"--max-questions", "2", 2}, {"--budget-tokens", "150", 2}, {"--budget-usd", "0.0001", 0}} {
		p := newPlace(t)
		out, status := p.run("ua-record", c.option, c.value, "--", "sh", "-c", many)
		j := p.journal()
		if got := len(p.asked()); status != 0 || got > c.most || got == 0 && c.most > 0 ||
			!strings.Contains(j, `"decision":"refused"`) || !strings.Contains(out, "refused: budget") {
			t.Errorf("%s: status %d, asked %d times: %s%s", c.option, status, got, out, j)
		}
	}
}

// TestHome: a home of --home has what the agent has left there, and is undone with the rest.
func TestHome(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	os.WriteFile(filepath.Join(p.home, ".gitconfig"), []byte("[user]\nname = Me\n"), 0o600)
	home := filepath.Join(p.home, "agents", "one")
	state := filepath.Join(home, ".agent", "state")
	out, status := p.run("ua-record", "--home", home, "--", "sh", "-c",
		"mkdir ~/.agent; echo kept >~/.agent/state; git config user.name")
	if text, _ := os.ReadFile(state); status != 0 || string(text) != "kept\n" ||
		!strings.Contains(out, "Me\n") {
		t.Fatalf("status %d: %s%s", status, out, text)
	}
	if out, status := p.run("ua-record", "--home", home, "--", "cat", state); status != 0 ||
		!strings.Contains(out, "kept\n") {
		t.Errorf("status %d: %s", status, out)
	}
	p.run("ua-record", "--home", home, "--", "sh", "-c", "echo more >~/.agent/state")
	more, _ := os.ReadFile(state)
	out, status = p.run("ua", "undo")
	if text, _ := os.ReadFile(state); status != 0 || string(more) != "more\n" ||
		string(text) != "kept\n" {
		t.Errorf("status %d: %s%s%s", status, out, more, text)
	}
	for _, own := range []string{p.home, filepath.Dir(p.home), "/"} {
		if out, status := p.run("ua-record", "--home", own, "--", "true"); status != 2 {
			t.Errorf("--home %s: status %d: %s", own, status, out)
		}
	}
}

// TestStatus: the status is the agent's own, and what is not run is said once.
func TestStatus(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, c := range []struct {
		status int
		said   string
		args   []string
	}{
		{7, "", []string{"--", "sh", "-c", "exit 7"}},
		{143, "", []string{"--", "sh", "-c", "kill $$"}},
		{127, `"no-such-agent": not found`, []string{"--", "no-such-agent"}},
		{2, "no command", nil},
		{2, "--budget-usd", []string{"--budget-usd", "x", "--", "true"}},
		{2, "no-such", []string{"--model", "no-such/model", "--", "touch", "new"}},
	} {
		before := p.state()
		out, status := p.run(append([]string{"ua-record"}, c.args...)...)
		if status != c.status || !strings.Contains(out, c.said) || p.state() != before {
			t.Errorf("%q: status %d: %s", c.args, status, out)
		}
	}
	cmd := p.command("ua-record", "--", "true")
	cmd.Env = append(cmd.Env, "ANTHROPIC_API_KEY=", "ANTHROPIC_BASE_URL=")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "key") {
		t.Errorf("without a key: %v: %s", err, out)
	}
}

// TestEnded: an agent ends with ua-record, however that ends, and the journal says so.
func TestEnded(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		p := newPlace(t)
		cmd := p.command("ua-record", "--", "sh", "-c", "touch started; echo started; sleep 1000")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		io.ReadFull(out, make([]byte, 8))
		cmd.Process.Signal(sig)
		io.Copy(io.Discard, out) // until all that holds it has ended
		cmd.Wait()
		if _, err := os.Stat(filepath.Join(p.cwd, "started")); err == nil {
			t.Errorf("%v: what it had changed was applied", sig)
		}
		scripttest.Await(t, "the summary", func() bool {
			return strings.Contains(p.journal(), `"type":"summary"`)
		})
	}
}

// TestUnrecorded: an agent ends when its journal is no longer kept.
func TestUnrecorded(t *testing.T) {
	t.Parallel()
	scripttest.Need(t, "curl", "pkill")
	p := newPlace(t)
	cmd := p.command("ua-record", "--", "sh", "-c", "touch new; echo started; read go; "+asks+
		"; sleep 1000")
	in, _ := cmd.StdinPipe()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	io.ReadFull(out, make([]byte, 8))
	if err := exec.Command("pkill", "-KILL", "-P", fmt.Sprint(cmd.Process.Pid),
		"ua-journal").Run(); err != nil {
		t.Error(err)
	}
	io.WriteString(in, "go\n")
	io.Copy(io.Discard, out)
	cmd.Wait()
	if _, err := os.Stat(filepath.Join(p.cwd, "new")); err == nil || cmd.ProcessState.Success() {
		t.Errorf("it went on: %v", cmd.ProcessState)
	}
}
