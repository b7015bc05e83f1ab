package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// TestRealAgents records agents as npm has them: their commands run, the folder is as before
// after an undo, nobody is asked beyond the budget, and the key is nowhere inside. make
// test-agents sets the folder that UA_TEST_AGENTS names.
func TestRealAgents(t *testing.T) {
	folder := scripttest.Agents(t)
	for _, a := range []struct {
		name, pkg, program, model string
		options, args             []string
	}{
		{"claude-code", "@anthropic-ai/claude-code", "claude", "anthropic/claude-sonnet-5-5", nil,
			[]string{"-p", "--dangerously-skip-permissions", "work"}},
		{"codex", "@openai/codex", "codex", "openai/gpt-5", nil,
			[]string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox",
				"-m", "gpt-5", "-c",
				`openai_base_url="http://127.0.0.1:4141/v1"`, "work"}},
		{"pi", "@earendil-works/pi-coding-agent", "pi", "anthropic/claude-sonnet-5-5",
			[]string{"--home", "agent"},
			[]string{"-p", "--offline", "--provider", "anthropic", "--model", "claude-sonnet-4-5", "work"}},
	} {
		t.Run(a.name, func(t *testing.T) {
			program := scripttest.Agent(t, filepath.Join(folder, a.name), a.pkg, a.program)
			p := newPlace(t, "echo changed >file; rm sub/gone; mkdir new",
				"cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n' >new/seen; echo reached", "true",
				"echo never >never")
			settings := filepath.Join(p.cwd, "agent/.pi/agent/models.json")
			os.MkdirAll(filepath.Dir(settings), 0o700)
			os.WriteFile(settings, []byte(`{"providers":{"anthropic":{"baseUrl":`+
				`"http://127.0.0.1:4141"}}}`), 0o600)
			before := p.state()
			args := append([]string{"ua-record", "--model", a.model, "--max-questions", "3"},
				a.options...)
			cmd := p.command(append(append(args, "--", program), a.args...)...)
			out, err := cmd.CombinedOutput()
			t.Logf("%v: %s", err, out)
			asked := p.asked()
			if len(asked) != 3 || !strings.Contains(asked[2], "reached") {
				t.Fatalf("asked %d times: %.20000s", len(asked), asked)
			}
			if err != nil { // an agent that may ask no more may fail
				if out, status := p.run("ua-try", "apply"); status != 0 {
					t.Fatal(out)
				}
			}
			seen, _ := os.ReadFile(filepath.Join(p.cwd, "new/seen"))
			if !strings.Contains(string(seen), "none-is-needed") ||
				strings.Contains(string(seen), modeltest.Secret) {
				t.Errorf("a command sees the key, or not its stand-in: %.2000s", seen)
			}
			if _, err := os.Stat(filepath.Join(p.cwd, "never")); err == nil || p.state() == before {
				t.Errorf("beyond the budget, or not at all: %.2000s", p.state())
			}
			if j := p.journal(); strings.Count(j, `"decision":"passed"`) != 3 ||
				!strings.Contains(j, "echo changed") || strings.Contains(j, modeltest.Secret) {
				t.Error(j)
			}
			if out, status := p.run("ua", "undo"); status != 0 || p.state() != before {
				t.Errorf("status %d: %s%.2000s\nwas %s", status, out, p.state(), before)
			}
		})
	}
}
