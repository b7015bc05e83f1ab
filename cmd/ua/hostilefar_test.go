package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"ua/internal/test/scripttest"
)

// drives is what of hostile text no terminal may get.
const drives = "\x1b\x07\u009b\u202e"

// forgeFar prints, as the agent's side of --via, events of each type with each field hostile,
// and then the summary that its argument names.
const forgeFar = `import json, sys
E = "\x1b]0;x\x07\u202e\u009b31m\nua: all is well"
names = """ts id agent model parent cwd isolation text branch path why got name call_id risk
decision by reason rule profile output status signal cause exit_code from host method stage message
hint state command stop_reason limits kind""".split()
def ev(type, **more):
    print(json.dumps({**{n: E for n in names}, "type": type, **more}), flush=True)
ev("run", id="20260101-000000-dddddd", depth=0)
for t in ["system", "instruction", "turn", "delta", "isolation", "ask", "net", "error", "job",
        "message", "checkpoint", "shell_command", "answer", E, "guarded", "via", "audit",
        "subagent", "model_request"]:
    ev(t)
ev("delta", kind="text")
ev("delta", kind="thinking")
ev("tool_call", id="c", input={"command": E})
ev("verdict", call_id="c")
ev("tool_result", call_id="c", status="refused")
ev("response", content=[{"type": "text", "text": E}])
ev("summary", **json.loads(sys.argv[1]))
`

// TestHostileFar has the other side of --via say what it likes: nothing of it drives the
// terminal here, and no status of its making is a success or a signal that freezes us.
func TestHostileFar(t *testing.T) {
	t.Parallel()
	scripttest.Need(t, "python3")
	p := newPlace(t, os.Getuid())
	p.write("far.py", forgeFar)
	for summary, want := range map[string]int{
		`{"exit_code":0}`: 0, `{"exit_code":1}`: 1, `{"exit_code":75}`: 75, `{"exit_code":255}`: 255,
		`{"exit_code":256}`: 2, `{"exit_code":-1}`: 2, `{"exit_code":0.5}`: 2, `{"exit_code":"0"}`: 2,
		`{"exit_code":1e300}`: 2, `{"exit_code":null}`: 2, `{}`: 2,
		`{"exit_code":147,"stage":"ua","message":"stopped"}`: 147, // SIGSTOP
		`{"exit_code":137,"stage":"ua","message":"killed"}`:  137,
		`{"exit_code":139,"stage":"ua","message":"dump"}`:    139,
	} {
		engine := fmt.Sprintf("python3 far.py '%s';:", summary)
		screen, tty, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		cmd := p.command("ua", "--via", engine, "task")
		cmd.Stdout, cmd.Stderr = tty, tty
		err = cmd.Start()
		tty.Close()
		if err != nil {
			t.Fatal(err)
		}
		all, _ := io.ReadAll(screen)
		seen := string(all)
		cmd.Wait()
		screen.Close()
		if at := strings.IndexAny(seen, drives); at >= 0 {
			t.Errorf("%s: %q", summary, seen[max(at-40, 0):min(at+20, len(seen))])
		}
		if status := cmd.ProcessState.ExitCode(); status != want {
			t.Errorf("%s: %v, want %d: %s", summary, cmd.ProcessState, want, seen)
		}
	}
}

// TestHostileStage has a stage of the user's name itself so: its name is shown, not sent.
func TestHostileStage(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "done", "true")
	gate := `ua-gate; printf '{"type":"error","stage":"x\\u001b]0;owned\\u0007\\nua: fine",` +
		`"message":"m"}\n'`
	seen := p.onTTY("ua", "--gate", gate, "task")
	if !strings.Contains(seen, "✗ x^[]0;owned^G …: m") || strings.ContainsAny(seen, drives) {
		t.Errorf("%q", seen)
	}
}

// TestUnanswered has a stage answer no call, or let none come through: the run is no success.
func TestUnanswered(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "done", "true")
	for _, stage := range [][]string{
		{"--exec", "cat"},
		{"--exec", "ua-sandbox -- ua-exec | grep --line-buffered -v tool_result"},
		{"--gate", `ua-gate | grep --line-buffered -v '"tool_call"'`},
		{"--think", `ua-think --model replay:main.jsonl | grep --line-buffered -v '"tool_call"'`},
	} {
		if _, errs, status := p.run("ua", stage[0], stage[1], "task"); status != 1 ||
			!strings.Contains(errs, "the last command has no result") {
			t.Errorf("%s: status %d, %s", stage, status, errs)
		}
	}
}

// TestHostileOutside has a command of a try write a file outside of the folder, whose name
// is shown at the end of the run.
func TestHostileOutside(t *testing.T) {
	scripttest.NeedTries(t)
	p := newPlace(t, os.Getuid())
	out := filepath.Join(p.home, "out")
	os.Mkdir(out, 0o700)
	p.recording("main.jsonl", "done",
		fmt.Sprintf("echo x >%s/$(printf 'a\\033]0;x\\007\\302\\23331m')", out))
	seen := p.onTTY("ua", "--try", "--write", out, "task")
	if !strings.Contains(seen, "outside of the folder") || strings.ContainsAny(seen, drives) {
		t.Errorf("%q", seen)
	}
}
