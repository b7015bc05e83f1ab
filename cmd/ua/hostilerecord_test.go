package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"ua/internal/test/scripttest"
)

// forgeRuns has each field of each event in two subagents' journals be hostile, and each
// file beside them.
const forgeRuns = `import os, json
here = os.path.dirname(os.environ["UA_JOURNAL"]) + "/sub/"
E = "\x1b]0;x\x07\u202e\u009b31m\n$(touch pwned)"
def ev(type, **more):
    names = """ts id agent model parent cwd isolation text branch path why got name call_id risk
decision by reason rule profile output status signal cause exit_code from host method stage message
hint state command stop_reason limits""".split()
    return json.dumps({**{n: E for n in names}, "type": type, **more})
for name in ["20260101-000000-dddddd", "$(touch pwned)", "a\x1b[31m", "b\nc"]:
    os.makedirs(here + name + "/out")
    with open(here + name + "/journal.jsonl", "w") as f:
        for line in [
            ev("run"), ev("run", id=name, task=E, depth=1), ev("system"), ev("instruction"),
            ev("turn", n=1), ev("isolation"), ev("tool_call", id="c", input={"command": E}),
            ev("verdict", call_id="c"), ev("tool_result", call_id="c"), ev("verdict"),
            ev("subagent"), ev("net"), ev("error"), ev("job"), ev("message"), ev("checkpoint"),
            ev("shell_command"), ev("ask"), ev("answer"), ev(E),
            ev("response", content=[{"type": "text", "text": E},
                {"type": "thinking", "thinking": E}]),
            ev("summary", exit_code=1)]:
            f.write(line + "\n")
    for file in ["stdout", "stderr", "ceiling.toml", "out/$(id)\x1b[31m.txt", "inbox", "lock"]:
        with open(here + name + "/" + file, "w") as f:
            f.write(E)
`

// onTTY runs one of our programs with a terminal as its output, and returns all that the
// terminal got.
func (p *place) onTTY(args ...string) string {
	p.t.Helper()
	screen, tty, err := pty.Open()
	if err != nil {
		p.t.Fatal(err)
	}
	defer screen.Close()
	cmd := p.command(args...)
	cmd.Stdout, cmd.Stderr = tty, tty
	err = cmd.Start()
	tty.Close()
	if err != nil {
		p.t.Fatal(err)
	}
	seen, _ := io.ReadAll(screen)
	cmd.Wait()
	return string(seen)
}

// TestHostileRecords prints what a command has forged in the folders of its run: nothing
// of it drives the terminal, and no completion is a command.
func TestHostileRecords(t *testing.T) {
	scripttest.Need(t, "python3")
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.write("forge.py", forgeRuns)
		p.recording("main.jsonl", "done", "touch made; python3 forge.py")
		if _, errs, status := p.run("ua", "task"); status != 0 || len(p.glob("*/sub/*/stdout")) != 4 {
			t.Fatalf("uid %d: status %d, %s", uid, status, errs)
		}
		const id = "20260101-000000-dddddd"
		sub := filepath.Dir(p.glob("*/sub/" + id + "/journal.jsonl")[0])
		for _, line := range []string{"ua ps -a", "ua ps -a --json", "ua tree", "ua tree --json",
			"ua info " + id, "ua info --json " + id, "ua log " + id, "ua wait " + id, "ua stop " + id,
			"ua send " + id + " x", "ua job ls -a", "ua job ls -a --json", "ua undo " + id,
			"ua-journal cat " + sub, "ua-journal show " + sub, "ua-journal tail " + sub,
			"ua-journal verify " + sub, "ua-journal read " + sub, "ua-journal calls " + sub,
			"ua-journal ls", "ua-journal grep touch",
			"ua-journal export --csv " + sub, "ua resume " + id + " x", "ua gc"} {
			seen := p.onTTY(strings.Fields(line)...)
			if at := strings.IndexAny(seen, "\x1b\x07\u009b\u202e"); at >= 0 {
				t.Errorf("uid %d: %s: %q", uid, line, seen[max(at-40, 0):min(at+20, len(seen))])
			}
		}
		for _, words := range [][]string{{"ua", "log", ""}, {"ua", "--model", ""},
			{"ua", "--agent", ""}, {"ua-journal", "cat", ""}, {"ua", "job", "out", ""}} {
			out, _, _ := p.run(append([]string{"ua", "complete", "--"}, words...)...)
			for line := range strings.Lines(out) {
				if word, _, _ := strings.Cut(line, "\t"); strings.ContainsAny(word, "$;(` \x1b") {
					t.Errorf("uid %d: %s: %q", uid, words, line)
				}
			}
		}
		if _, err := os.Stat(filepath.Join(p.cwd, "pwned")); err == nil {
			t.Errorf("uid %d: pwned", uid)
		}
	}
}
