package agenthooks

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// realAgents are the agents that are tried as npm has them.
var realAgents = []struct{ name, pkg, program string }{
	{"claude-code", "@anthropic-ai/claude-code", "claude"},
	{"codex", "@openai/codex", "codex"},
	{"gemini-cli", "@google/gemini-cli", "gemini"},
	{"qwen-code", "@qwen-code/qwen-code", "qwen"},
	{"opencode", "opencode-ai", "opencode"},
	{"copilot-cli", "@github/copilot", "copilot"},
}

// TestRealAgents installs the hook into real agents and has each ask: without the
// hook its command runs or is refused by itself, with it the gate denies, and when
// the gate is gone nothing runs. The folder that UA_TEST_AGENTS names gets the
// packages, some 1 GB; make test-agents sets it.
func TestRealAgents(t *testing.T) {
	folder := scripttest.Agents(t)
	for _, a := range realAgents {
		t.Run(a.name, func(t *testing.T) {
			program := scripttest.Agent(t, filepath.Join(folder, a.name), a.pkg, a.program)
			home, bin := t.TempDir(), t.TempDir()
			gate := filepath.Join(bin, "ua-gate")
			text, err := os.ReadFile(filepath.Join(scripttest.Bin(t), "ua-gate"))
			err = errors.Join(err, os.WriteFile(gate, text, 0o755), os.Symlink( // --confine needs it
				filepath.Join(scripttest.Bin(t), "ua-sandbox"), filepath.Join(bin, "ua-sandbox")))
			if err != nil {
				t.Fatal(err)
			}
			line := "#!/bin/sh\nexec " + program + " \"$@\"\n"
			if a.name == "codex" { // a person has trusted the hook, which codex asks for in its own screen
				line = "#!/bin/sh\nshift\nexec " + program + " exec --dangerously-bypass-hook-trust \"$@\"\n"
			}
			if err := os.WriteFile(filepath.Join(bin, a.program), []byte(line), 0o755); err != nil {
				t.Fatal(err)
			}
			hook := func(gate string, args ...string) (string, int) {
				cmd := exec.Command(gate, append([]string{"hook"}, args...)...)
				cmd.Env = append(withoutModels(os.Environ()), "HOME="+home, "XDG_CONFIG_HOME=",
					"PATH="+bin+":"+os.Getenv("PATH"))
				out, err := cmd.CombinedOutput()
				if cmd.ProcessState == nil {
					t.Fatal(err)
				}
				return string(out), cmd.ProcessState.ExitCode()
			}
			if out, code := hook(gate, "--check", a.name); code != 1 {
				t.Errorf("without the hook: status %d\n%s", code, out)
			}
			if out, code := hook(gate, "--install", a.name); code != 0 {
				t.Fatal(out)
			}
			if out, code := hook(gate, "--check", a.name); code != 0 ||
				!strings.Contains(out, "its command was denied, and it was told why") ||
				a.name != "qwen-code" && !strings.Contains(out, "ran a command in the sandbox") {
				t.Errorf("with the hook: status %d\n%s", code, out)
			}
			if a.name == "claude-code" { // which the probe was tried with
				if out, code := hook(gate, "--confine", "--check", a.name); code != 1 {
					t.Errorf("with a hook that does not confine: status %d\n%s", code, out)
				}
				hook(gate, "--uninstall", a.name)
				hook(gate, "--confine", "--install", a.name)
				if out, code := hook(gate, "--confine", "--check", a.name); code != 0 {
					t.Errorf("with the hook that confines: status %d\n%s", code, out)
				}
			}
			real := filepath.Join(scripttest.Bin(t), "ua-gate")
			if err := os.Remove(gate); err != nil {
				t.Fatal(err)
			}
			if out, code := hook(real, "--check", a.name); code != 1 ||
				!strings.Contains(out, "did not run the command") {
				t.Errorf("without the gate: status %d\n%s", code, out)
			}
		})
	}
}
