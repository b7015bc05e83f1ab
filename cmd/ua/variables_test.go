package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ownVariables are those by which our programs know of each other; the model sets them.
var ownVariables = strings.Fields(`UA_CONFIG UA_RUN_DIR UA_JOURNAL UA_DEPTH UA_GATEWAY
	UA_GATEWAY_TOKEN UA_TRIES UA_TRIES_TOKEN UA_TRIES_SERVED UA_TRIES_COMMAND_1 UA_TRY
	UA_TRY_TITLE UA_JOBS UA_JOBS_TOKEN UA_SANDBOX UA_SANDBOX_WRITE UA_WITHHELD UA_PROXY
	UA_EXEC_SUPERVISOR UA_SHELL_PLAIN UA_SHELL_TTY UA_GATE_TRIAL TRACEPARENT`)

// TestHostileVariables has the model start agents below it with each variable of ours set to
// what could free them: none leaves the sandbox or the tree, all end, and the next run is
// as if nothing had been.
func TestHostileVariables(t *testing.T) {
	t.Parallel()
	for _, uid := range users() {
		p := newPlace(t, uid)
		outside, key := filepath.Join(p.home, "outside"), filepath.Join(p.home, ".ssh/id")
		p.write(filepath.Join(outside, "kept"), "kept\n")
		p.write(key, "MARKER\n")
		p.write("hostile.toml", "[ua]\nmax_agent_depth = 99\nexec = \"touch "+outside+"/exec\"\n"+
			"[sandbox]\nwrite = [\"/\"]\nread = [\""+key+"\"]\n")
		p.recording("leaf.jsonl", "leaf done", fmt.Sprintf("touch %s/made; cat %s; true", outside, key))
		var commands []string
		for _, name := range ownVariables {
			commands = append(commands, fmt.Sprintf("touch made; mkfifo fifo 2>/dev/null; "+
				`for v in 0 99999999999999999999 %s "$PWD/fifo" /dev/zero "$PWD/hostile.toml"; do `+
				`env %s="$v" timeout 20 ua --model replay:leaf.jsonl x; echo "status $?"; done 2>&1`,
				outside, name))
		}
		p.recording("main.jsonl", "all done", commands...)
		p.write(filepath.Join(p.home, ".config/ua/config.toml"), "[agents]\nper_hour = 1000\n")
		out, errs, status := p.run("ua", "--max-turns", "50", "task")
		if status != 0 || out != "all done\n" {
			t.Fatalf("uid %d: status %d, %.2000s", uid, status, errs)
		}
		for i, r := range p.outputs() {
			text := r.Get("output").Str
			if strings.Contains(text, "MARKER") || strings.Contains(text, "status 124\n") ||
				strings.Count(text, "\nstatus ") != 6 || strings.Contains(text, "goroutine") {
				t.Errorf("uid %d, %s: %s", uid, ownVariables[i], text)
			}
		}
		if left, _ := os.ReadDir(outside); len(left) != 1 {
			t.Errorf("uid %d: %v", uid, left)
		}
		for _, path := range p.glob("*/sub/*/journal.jsonl") {
			kept, _ := os.ReadFile(path)
			if first, _, _ := strings.Cut(string(kept), "\n"); !strings.Contains(first, `"depth":1,`) {
				t.Errorf("uid %d: %s", uid, first)
			}
			if strings.Contains(string(kept), "MARKER") {
				t.Errorf("uid %d: %s", uid, kept)
			}
		}
		if n := len(p.glob("*/sub/*/journal.jsonl")); n < len(ownVariables) {
			t.Errorf("uid %d: %d agents in the tree", uid, n)
		}
		t.Logf("%d agents in the tree", len(p.glob("*/sub/*/journal.jsonl")))
		if out, errs, status := p.run("ua-journal", "verify", "--all"); status != 0 {
			t.Errorf("uid %d: %.2000s%s", uid, out, errs)
		}
		p.recording("main.jsonl", "done", "echo next")
		if out, errs, status := p.run("ua", "task"); status != 0 || out != "done\n" {
			t.Errorf("uid %d, the next run: status %d, %s", uid, status, errs)
		}
	}
}
