package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/coder/acp-go-sdk"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// An editor is a client by the protocol's own library, which checks each message, with a
// person who gives answer to questions.
type editor struct {
	t         *testing.T
	home, cwd string
	env       []string
	cmd       *exec.Cmd
	conn      *acp.ClientSideConnection
	answer    func(context.Context, acp.RequestPermissionRequest) string

	mu  sync.Mutex
	saw []string // updates and questions, each in one line
}

// newEditor makes a place with a model that gives these answers, and a policy that asks
// before what is destructive.
func newEditor(t *testing.T, answers string) *editor {
	dir, err := os.MkdirTemp("", "ua-acp-place")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // what was started here may still be ending
		scripttest.Await(t, "an empty folder", func() bool { return os.RemoveAll(dir) == nil })
	})
	e := &editor{t: t, home: dir + "/home", cwd: dir + "/work"}
	os.MkdirAll(e.home+"/.config/ua", 0o700)
	os.Mkdir(e.cwd, 0o700)
	os.WriteFile(dir+"/model", []byte(answers), 0o600)
	os.WriteFile(e.home+"/.config/ua/policy.toml", []byte("[levels]\ndestructive = \"ask\"\n"), 0o600)
	server := httptest.NewServer(modeltest.New(dir))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	bin := scripttest.Bin(t)
	e.env = []string{"HOME=" + e.home, "PATH=" + bin + ":" + os.Getenv("PATH"), "TMPDIR=" + e.home,
		"UA_MODEL=anthropic/fake", "ANTHROPIC_BASE_URL=" + server.URL,
		"ANTHROPIC_API_KEY=sk-ant-test-key-0123456789"}
	return e
}

// command returns a program of ua in the editor's place.
func (e *editor) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(scripttest.Bin(e.t), args[0]), args[1:]...)
	cmd.Dir, cmd.Env = e.cwd, e.env
	return cmd
}

// start starts the agent and opens the connection.
func (e *editor) start(args ...string) {
	e.cmd = e.command(append([]string{"ua-acp"}, args...)...)
	in, _ := e.cmd.StdinPipe()
	out, _ := e.cmd.StdoutPipe()
	e.cmd.Stderr = os.Stderr
	if err := e.cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	e.conn = acp.NewClientSideConnection(e, in, out)
	e.t.Cleanup(func() {
		in.Close()
		e.cmd.Process.Kill()
		e.cmd.Wait()
	})
	r, err := e.conn.Initialize(context.Background(), acp.InitializeRequest{ProtocolVersion: 1})
	if err != nil || r.ProtocolVersion != 1 || !r.AgentCapabilities.LoadSession {
		e.t.Fatal(r, err)
	}
}

// open opens a session.
func (e *editor) open() acp.SessionId {
	r, err := e.conn.NewSession(context.Background(), acp.NewSessionRequest{Cwd: e.cwd,
		McpServers: []acp.McpServer{}})
	if err != nil || len(r.Modes.AvailableModes) != 5 {
		e.t.Fatal(r, err)
	}
	return r.SessionId
}

// prompt sends a prompt, and returns how it ended.
func (e *editor) prompt(id acp.SessionId, text string, more ...acp.ContentBlock) string {
	r, err := e.conn.Prompt(context.Background(), acp.PromptRequest{SessionId: id,
		Prompt: append([]acp.ContentBlock{acp.TextBlock(text)}, more...)})
	if err != nil {
		return err.Error()
	}
	return string(r.StopReason)
}

// seen returns what the editor saw since the last time.
func (e *editor) seen() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := strings.Join(e.saw, "\n")
	e.saw = nil
	return all
}

// has reports whether the editor has seen a text.
func (e *editor) has(text string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.saw, func(line string) bool { return strings.Contains(line, text) })
}

func (e *editor) note(format string, a ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.saw = append(e.saw, fmt.Sprintf(format, a...))
}

// wants fails the test unless the texts are in what was seen, in this order.
func (e *editor) wants(texts ...string) {
	e.t.Helper()
	seen := e.seen()
	rest := seen
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			e.t.Errorf("no %q in its place in\n%s", text, seen)
			return
		}
		rest = after
	}
}

// SessionUpdate notes an update.
func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	b, _ := json.Marshal(n.Update)
	e.note("%s", b)
	return nil
}

// RequestPermission has the person answer. An answer that is no option is a cancelled one.
func (e *editor) RequestPermission(ctx context.Context, r acp.RequestPermissionRequest) (
	acp.RequestPermissionResponse, error) {
	b, _ := json.Marshal(r)
	e.note("QUESTION %s", b)
	chosen := ""
	if e.answer != nil {
		chosen = e.answer(ctx, r)
	}
	switch chosen {
	case "":
		r := acp.NewRequestPermissionOutcomeCancelled()
		return acp.RequestPermissionResponse{Outcome: r}, nil
	case "error":
		return acp.RequestPermissionResponse{}, acp.NewInternalError(nil)
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(
		acp.PermissionOptionId(chosen))}, nil
}

// always is a person with one answer.
func always(answer string) func(context.Context, acp.RequestPermissionRequest) string {
	return func(context.Context, acp.RequestPermissionRequest) string { return answer }
}

// The rest of a client, which ua never asks.

func (e *editor) ReadTextFile(context.Context, acp.ReadTextFileRequest) (
	r acp.ReadTextFileResponse, err error) {
	e.t.Error("asked to read a file")
	return
}

func (e *editor) WriteTextFile(context.Context, acp.WriteTextFileRequest) (
	r acp.WriteTextFileResponse, err error) {
	e.t.Error("asked to write a file")
	return
}

func (e *editor) CreateTerminal(context.Context, acp.CreateTerminalRequest) (
	r acp.CreateTerminalResponse, err error) {
	e.t.Error("asked for a terminal")
	return
}

func (e *editor) KillTerminal(context.Context, acp.KillTerminalRequest) (
	r acp.KillTerminalResponse, err error) {
	return
}

func (e *editor) TerminalOutput(context.Context, acp.TerminalOutputRequest) (
	r acp.TerminalOutputResponse, err error) {
	return
}

func (e *editor) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (
	r acp.ReleaseTerminalResponse, err error) {
	return
}

func (e *editor) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (
	r acp.WaitForTerminalExitResponse, err error) {
	return
}

// journal is that of the only run.
func (e *editor) journal() string {
	names, _ := filepath.Glob(e.home + "/.local/state/ua/runs/*/journal.jsonl")
	if len(names) != 1 {
		e.t.Fatalf("runs: %q", names)
	}
	text, _ := os.ReadFile(names[0])
	return string(text)
}

// exists reports whether there is a file in the working folder.
func (e *editor) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(e.cwd, name))
	return err == nil
}

// alive reports whether a process has the mark in its arguments.
func alive(mark string) bool {
	out, _ := exec.Command("pgrep", "-f", "^"+mark).Output()
	return len(out) > 0
}

// TestSession: a whole session, in one run, and again from its journal.
func TestSession(t *testing.T) {
	t.Parallel()
	e := newEditor(t, "think: hm\ntext: I look.\ncall: echo one; pwd\n---\ntext: one it is\n---\n"+
		"call: exit 3\n---\ntext: bad\n---\ncall: echo x >written\n---\ntext: no\n")
	e.start()
	id := e.open()
	if got := e.prompt(id, "what is there?", acp.ResourceBlock(acp.EmbeddedResourceResource{
		TextResourceContents: &acp.TextResourceContents{Uri: "file:///a/../b.txt",
			Text: "the words"}}),
		acp.ResourceLinkBlock("c", "file:///c.txt")); got != "end_turn" {
		t.Error(got)
	}
	e.wants("hm", `"agent_thought_chunk"`, "I look.", `"agent_message_chunk"`, `"execute"`,
		"echo one; pwd", `"tool_call"`, "pending", "in_progress", `one\n`+e.cwd, "completed",
		"one it is")
	if got := e.prompt(id, "more"); got != "end_turn" {
		t.Error(got)
	}
	e.wants("exit 3", `"exit_code":3`, "failed", "bad")
	if _, err := e.conn.SetSessionMode(context.Background(), acp.SetSessionModeRequest{SessionId: id,
		ModeId: "read-only"}); err != nil {
		t.Error(err)
	}
	e.prompt(id, "write")
	e.wants("echo x", "failed", "no")
	if j := e.journal(); e.exists("written") || !strings.Contains(j, "the words") ||
		!strings.Contains(j, "/c.txt") || strings.Count(j, `"type":"instruction"`) != 3 ||
		!strings.Contains(j, string(id)) {
		t.Error(j)
	}
	e.start() // another process knows it, too
	e.seen()
	load := acp.LoadSessionRequest{SessionId: id, Cwd: e.cwd, McpServers: []acp.McpServer{}}
	if _, err := e.conn.LoadSession(context.Background(), load); err != nil {
		t.Fatal(err)
	}
	e.wants("what is there?", "user_message_chunk", "hm", "I look.", "echo one; pwd", "tool_call",
		"completed", "one it is", "more", "exit 3", "failed", "bad", "write")
	for _, bad := range []acp.SessionId{"", "..", "../" + id, id + "x", "last",
		"20261129-000000-000000"} {
		load.SessionId = bad
		if _, err := e.conn.LoadSession(context.Background(), load); err == nil {
			t.Errorf("%q is a session", bad)
		}
	}
}

// TestQuestions: the editor's person is asked, and only the option that says so is a yes.
func TestQuestions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer string
		gone   bool
	}{{"yes", true}, {"no", false}, {"", false}, {"error", false}, {"Yes", false}, {"y", false}} {
		e := newEditor(t, "call: rm -rf old\n---\ntext: done")
		e.answer = always(c.answer)
		os.Mkdir(e.cwd+"/old", 0o700)
		e.start()
		if got := e.prompt(e.open(), "tidy"); got != "end_turn" {
			t.Errorf("%q: %s", c.answer, got)
		}
		state := map[bool]string{true: "completed", false: "failed"}[c.gone]
		if !e.has(`"kind":"allow_once"`) || !e.has("destructive: ") {
			t.Error("no such question")
		}
		e.wants("rm -rf old", `"status":"`+state)
		if e.exists("old") == c.gone {
			t.Errorf("%q: gone %v", c.answer, !c.gone)
		}
	}
}

// TestAnsweredElsewhere: an answer in a terminal takes the question back.
func TestAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	e := newEditor(t, "call: rm -rf old\n---\ntext: done")
	back := make(chan bool)
	e.answer = func(ctx context.Context, _ acp.RequestPermissionRequest) string {
		<-ctx.Done()
		close(back)
		return "yes"
	}
	os.Mkdir(e.cwd+"/old", 0o700)
	e.start()
	id, ended := e.open(), make(chan string)
	go func() { ended <- e.prompt(id, "tidy") }()
	scripttest.Await(t, "the question", func() bool { return e.has("QUESTION") })
	list, _ := e.command("ua", "asks").Output()
	if out, err := e.command("ua", "answer", strings.Fields(string(list))[0],
		"no").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	<-back
	if got := <-ended; got != "end_turn" || !e.exists("old") {
		t.Error(got)
	}
}

// TestCancel: what is cancelled ends, a question too, and the next prompt goes on.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, asks := range []bool{false, true} {
		e := newEditor(t, "")
		mark := "sleep 7533 " + strings.ReplaceAll(e.home, "/", "_")
		command := "exec -a '" + mark + "' sleep 7533"
		e.answer = func(ctx context.Context, _ acp.RequestPermissionRequest) string {
			<-ctx.Done()
			return "yes"
		}
		waits := func() bool { return alive(mark) }
		if asks {
			os.Mkdir(e.cwd+"/old", 0o700)
			command, waits = "rm -rf old", func() bool { return e.has("QUESTION") }
		}
		os.WriteFile(filepath.Dir(e.home)+"/model", []byte("call: "+command+"\n---\ntext: on it\n"),
			0o600)
		e.start()
		id, ended := e.open(), make(chan string)
		go func() { ended <- e.prompt(id, "wait") }()
		scripttest.Await(t, "the command", waits)
		e.conn.Cancel(context.Background(), acp.CancelNotification{SessionId: id})
		if got := <-ended; got != "cancelled" || alive(mark) {
			t.Error(got)
		}
		e.wants(command, "failed")
		if got := e.prompt(id, "and now"); got != "end_turn" {
			t.Error(got)
		}
		e.wants("on it")
		if asks != e.exists("old") {
			t.Error("what was asked about is done")
		}
		e.journal()
	}
}

// TestTry: what a try holds is shown as edits, and lands only when the person says so.
func TestTry(t *testing.T) {
	scripttest.NeedTries(t)
	t.Parallel()
	for _, answer := range []string{"apply", "drop", "keep", "", "error", "yes"} {
		e := newEditor(t, "call: sed -i s/two/2/ f; echo new >made\n---\ntext: done")
		e.answer = always(answer)
		os.WriteFile(e.cwd+"/f", []byte("one\ntwo\nthree\n"), 0o600)
		args := []string{"--try"}
		if answer == "keep" {
			args = nil
		}
		e.start(args...)
		id := e.open()
		if answer == "keep" {
			e.conn.SetSessionMode(context.Background(), acp.SetSessionModeRequest{SessionId: id,
				ModeId: "try"})
		}
		if got := e.prompt(id, "edit"); got != "end_turn" {
			t.Error(got)
		}
		if !e.has(`QUESTION {"options":[{"kind":"allow_once","name":"Apply"`) {
			t.Error("no question")
		}
		e.wants(`"newText":"one\n2\nthree\n"`, `"oldText":"one\ntwo\nthree\n"`, `/f"`,
			`"newText":"new\n"`, `/made"`, `"edit"`)
		out, _ := e.command("ua-try", "ls").Output()
		if e.exists("made") != (answer == "apply") || (len(out) == 0) != (answer == "drop") {
			t.Errorf("%q: made %v, tries %s", answer, e.exists("made"), out)
		}
	}
}

// TestEnds: a run that is killed is resumed by the next prompt, and nothing is left of a
// client that goes away.
func TestEnds(t *testing.T) {
	t.Parallel()
	e := newEditor(t, "")
	mark := "sleep 7534 " + strings.ReplaceAll(e.home, "/", "_")
	os.WriteFile(filepath.Dir(e.home)+"/model", []byte("call: exec -a '"+mark+
		"' sleep 7534\n---\ncall: exec -a '"+mark+"' sleep 7534\n"), 0o600)
	e.start()
	id, ended := e.open(), make(chan string)
	go func() { ended <- e.prompt(id, "wait") }()
	scripttest.Await(t, "the command", func() bool { return alive(mark) })
	list, _ := exec.Command("pgrep", "-P", fmt.Sprint(e.cmd.Process.Pid), "-x", "ua").Output()
	var pid int
	fmt.Sscan(string(list), &pid)
	syscall.Kill(pid, syscall.SIGKILL)
	if got := <-ended; !strings.Contains(got, "resumes") {
		t.Error(got)
	}
	scripttest.Await(t, "its end", func() bool { return !alive(mark) })
	go func() { ended <- e.prompt(id, "again") }()
	scripttest.Await(t, "the second command", func() bool { return alive(mark) })
	e.cmd.Process.Signal(syscall.SIGKILL)
	scripttest.Await(t, "the end of all", func() bool { return !alive(mark) })
	<-ended
}

// TestWire: each request is answered, in a pipe too, in the order of the lines, and junk is
// told of and passed over.
func TestWire(t *testing.T) {
	t.Parallel()
	e := newEditor(t, "call: sleep 7535\n---\ntext: done")
	cmd := e.command("ua-acp")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	cmd.Start()
	answers := bufio.NewScanner(out)
	say := func(line string) string {
		fmt.Fprintln(in, line)
		answers.Scan()
		return answers.Text()
	}
	for _, c := range []struct{ line, want string }{
		{"junk", "-32700"}, {"[]", "-32600"}, {"{}", "-32600"}, {"\x00\xff", "-32700"},
		{strings.Repeat("[", 100000), "-32700"}, {`{"id":1,"method":"nothing"}`, "-32601"},
		{`{"id":{},"result":1}`, "-32600"}, {strings.Repeat("x", 11<<20), "-32700"},
		{`{"id":"a","method":"session/new","params":{"cwd":"here"}}`, "-32602"},
		{`{"id":"b","method":"session/new"}`, "-32602"},
		{`{"id":2,"method":"session/prompt","params":{"sessionId":"x","prompt":[]}}`, "-32602"},
		{`{"method":"session/cancel"}` + "\n" + `{"id":7,"result":1}` + "\n" +
			`{"id":3,"method":"initialize"}`, `"protocolVersion":1`},
	} {
		if got := say(c.line); !strings.Contains(got, c.want) {
			t.Errorf("%.60q: %s", c.line, got)
		}
	}
	session := say(fmt.Sprintf(`{"id":4,"method":"session/new","params":{"cwd":%q}}`, e.cwd))
	_, id, _ := strings.Cut(session, `"sessionId":"`)
	id, _, _ = strings.Cut(id, `"`)
	prompt := `{"id":5,"method":"session/prompt","params":{"sessionId":"` + id +
		`","prompt":[{"type":"text","text":"go"}]}}` + "\n"
	// Both come in one piece: a cancellation must not get lost for coming early.
	if got := say(prompt + `{"method":"session/cancel","params":{"sessionId":"` + id +
		`"}}`); !strings.Contains(got, `"cancelled"`) {
		t.Error(got)
	}
	fmt.Fprint(in, prompt)
	in.Close()
	last := ""
	for answers.Scan() {
		last = answers.Text()
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(last, `"cancelled"`) {
		t.Error(err, last)
	}
	if left, _ := filepath.Glob(e.home + "/ua-acp-*"); len(left) > 0 {
		t.Error(left)
	}
}

// TestExampleClient: the client that comes with the protocol's library is content.
func TestExampleClient(t *testing.T) {
	t.Parallel()
	e := newEditor(t, "text: hello, client")
	client := filepath.Join(t.TempDir(), "client")
	if out, err := exec.Command("go", "build", "-o", client,
		"github.com/coder/acp-go-sdk/example/client").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	cmd := exec.Command(client, "ua-acp")
	cmd.Args[1] = filepath.Join(scripttest.Bin(t), "ua-acp")
	cmd.Dir, cmd.Env = e.cwd, e.env
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "hello, client") ||
		!strings.Contains(string(out), "Agent completed") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestHunks: a unified diff of one file as what it was and is.
func TestHunks(t *testing.T) {
	got := hunks("diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+--- c\n" +
		"@@ -9 +9 @@\n-x\n\\ No newline at end of file\n+y\n# f: mode\n")
	if want := []hunk{{"a\nb\n", "a\n--- c\n"}, {"x\n", "y\n"}}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := hunks("Binary files a/f and b/f differ\n"); got != nil {
		t.Errorf("%q", got)
	}
}
