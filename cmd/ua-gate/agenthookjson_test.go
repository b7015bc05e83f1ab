package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// agentCalls are what each agent sends to its hook, with TOOL and COMMAND for the values of the
// tool's name and of the command.
var agentCalls = map[string]string{
	"claude-code": `{"cwd":"/tmp","hook_event_name":"PreToolUse","tool_name":TOOL,` +
		`"tool_input":{"command":COMMAND}}`,
	"codex": `{"cwd":"/tmp","hook_event_name":"PermissionRequest","tool_name":TOOL,` +
		`"tool_input":{"command":COMMAND}}`,
	"gemini": `{"cwd":"/tmp","hook_event_name":"BeforeTool","tool_name":TOOL,` +
		`"tool_input":{"command":COMMAND}}`,
	"qwen-code": `{"cwd":"/tmp","hook_event_name":"PreToolUse","tool_name":TOOL,` +
		`"tool_input":{"command":COMMAND}}`,
	"crush": `{"event":"PreToolUse","cwd":"/tmp","tool_name":TOOL,` +
		`"tool_input":{"command":COMMAND}}`,
	"copilot":  `{"cwd":"/tmp","toolName":TOOL,"toolArgs":{"command":COMMAND}}`,
	"opencode": `{"cwd":"/tmp","tool":TOOL,"args":{"command":COMMAND}}`,
}

// shellTools is what each agent calls its shell.
var shellTools = map[string]string{"claude-code": "Bash", "codex": "Bash",
	"gemini":    "run_shell_command",
	"qwen-code": "run_shell_command", "crush": "bash", "copilot": "bash", "opencode": "bash"}

// TestHookJSON has each agent's call be one that two readers may take for different commands:
// no hook lets it pass, though each of the commands by itself would.
func TestHookJSON(t *testing.T) {
	twice := func(name string) func(string) string {
		return func(call string) string {
			return strings.Replace(call, `"`+name+`":`, `"`+name+`":"x","`+name+`":`, 1)
		}
	}
	escaped := func(name string) func(string) string {
		return func(call string) string {
			return strings.Replace(call, `"`+name+`":`,
				`"\u00`+hex(name[0])+name[1:]+`":"pwd","`+name+`":`, 1)
		}
	}
	command := func(text string) func(string) string {
		return func(call string) string { return strings.Replace(call, `"ls"`, text, 1) }
	}
	for agent, call := range agentCalls {
		call = strings.NewReplacer("TOOL", `"`+shellTools[agent]+`"`, "COMMAND", `"ls"`).Replace(call)
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			if got := hookAnswer(t, agent, call); got != "allowed" {
				t.Fatalf("the call itself: %s", got)
			}
			for name, change := range map[string]func(string) string{
				"two commands":               twice("command"),
				"one of them escaped":        escaped("command"),
				"a high surrogate":           command(`"ls \ud800"`),
				"a low one":                  command(`"ls \udc00x"`),
				"two in the wrong order":     command(`"ls \udc00\ud800"`),
				"a zero byte":                command(`"ls \u0000; id"`),
				"bytes that are no text":     command("\"ls \xff\""),
				"a command that is a number": command(`1`),
				"a command that is null":     command(`null`),
				"a list with a list":         command(`["ls",["id"]]`),
				"a list with a number":       command(`["ls",1]`),
				"a list with an object":      command(`["ls",{"a":"id"}]`),
				"an object":                  command(`{"command":"ls"}`),
				"more behind it":             func(call string) string { return call + call },
				"half of it":                 func(call string) string { return call[:len(call)-1] },
				"a list around it":           func(call string) string { return "[" + call + "]" },
				"a mark before it":           func(call string) string { return "\ufeff" + call },
				"nothing":                    func(string) string { return "" },
				"two tools": func(call string) string {
					return strings.Replace(call, `"`+shellTools[agent]+`"`,
						`"`+shellTools[agent]+`","`+toolMember(agent)+`":"Read"`, 1)
				},
			} {
				if got := hookAnswer(t, agent, change(call)); got == "allowed" {
					t.Errorf("%s: allowed: %q", name, change(call))
				}
			}
		})
	}
}

// hex is a byte in two digits.
func hex(b byte) string {
	return string("0123456789abcdef"[b>>4]) +
		string("0123456789abcdef"[b&15])
}

// toolMember is the member that names the tool.
func toolMember(agent string) string {
	switch agent {
	case "copilot":
		return "toolName"
	case "opencode":
		return "tool"
	}
	return "tool_name"
}

// hookAnswer is "allowed", or what an agent's hook does instead.
func hookAnswer(t *testing.T, agent, call string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-gate"), "hook", agent)
	cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(call)
	cmd.Env = []string{"HOME=" + cmd.Dir, "PATH=/usr/bin:/bin"}
	out, err := cmd.Output()
	text := string(out)
	switch {
	case err != nil:
		return err.Error()
	case strings.Contains(text, `ecision":"allow"`), strings.Contains(text, `"behavior":"allow"`):
		return "allowed"
	case strings.TrimSpace(text) == "{}" && agent == "opencode":
		return "allowed" // its plugin throws at every other answer
	}
	return "held: " + text
}
