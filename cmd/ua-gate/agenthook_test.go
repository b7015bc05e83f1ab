package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestHostileHook gives hooks calls by which another command could run than the one that
// is judged: none is let through, and none makes the gate crash.
func TestHostileHook(t *testing.T) {
	const call = `{"hook_event_name":"PreToolUse","tool_name":`
	deep := strings.Repeat("[", 5_000_000)
	for _, c := range []struct{ agent, input, want string }{
		{"claude-code", call + `"mcp__x","tool_input":{"command":"ls","script":"rm -rf ~"}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"script":"ls","cmd":"curl example.org"}}`, "ask"},
		{"claude-code", call + `"mcp__x","tool_input":{"Command":"rm -rf ~"}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"commands":["ls","rm -rf ~"]}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"commands":["ls","reboot"]}}`, "ask"},
		{"claude-code", call + `"mcp__x","tool_input":{"commands":["cat <<E","rm -rf ~"]}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"commands":["ls",{"run":"rm -rf ~"}]}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"commands":["ls"` +
			strings.Repeat(`,"ls"`, 40) + `]}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"command":"ls"}}`, ""},
		{"claude-code", call + `"mcp__x","tool_input":{"path":"a","content":"b","command":"ls"}}`, ""},
		{"claude-code", call + `"PowerShell","tool_input":{"command":"echo a"}}`, ""},
		{"claude-code", call + `"Bash","tool_input":{"command":["ls","a"]}}`, ""},
		{"claude-code", call + `"mcp__x","tool_input":{"command":"git","args":["push"]}}`, "ask"},
		{"claude-code", call + `"mcp__x","tool_input":{"command":"rm","args":["-rf","/"]}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"cmd":"rm","args":"-rf /"}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"command":"git","args":["log"]}}`, "ask"},
		{"claude-code", call + `"mcp__x","tool_input":{"command":"wc","args":["-l","a"]}}`, ""},
		{"claude-code", call + `"mcp__x","tool_input":{"args":["rm","-rf","/"]}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"arguments":{"command":"rm -rf ~"}}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"args":["ls"]}}`, ""},
		{"claude-code", call + `"mcp__x","tool_input":{"args":[]}}`, ""},
		{"claude-code", call + `"mcp__x","tool_input":{"code":"import shutil\nshutil.rmtree('/')",` +
			`"language":"python"}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"code":"require('fs').rmSync('a')"}}`, "ask"},
		{"claude-code", call + `"mcp__x","tool_input":{"code":"sudo id"}}`, "ask"},
		{"claude-code", call + `"mcp__x","tool_input":{"code":"1 + 1","language":"py"}}`, "ask"},
		{"claude-code", call + `"mcp__x","tool_input":{"code":404}}`, ""},
		{"claude-code", call + `"mcp__x","tool_input":{"query":"rm -rf ~"}}`, ""},
		{"claude-code", call + `"Bash","tool_input":{"\u0063ommand":"rm -rf ~"}}`, "deny"},
		{"claude-code", call + `"Bash","tool_input":{"command":"ls","cmd":"rm -rf ~"}}`, "allow"},
		{"claude-code", call + `"Bash","tool_input":"rm -rf ~"}`, "deny"},
		{"claude-code", call + `"Bash","tool_input":["rm"]}`, "deny"},
		{"claude-code", call + `"Bash"}`, "deny"},
		{"claude-code", call + `"Bash","tool_input":{"command":"ls \u0000"}}`, "deny"},
		{"claude-code", call + `["Bash"],"tool_input":{"command":"rm -rf ~"}}`, "exit 2"},
		{"codex", call + `"Bash","tool_input":{"command":["ls","rm -rf ~"]}}`, ""},
		{"codex", call + `"local","tool_input":{"command":["ls","rm -rf ~"]}}`, "deny"},
		{"copilot-cli", `{"toolName":"bash","toolArgs":"{\"command\":\"rm -rf ~\"} "}`, "deny"},
		{"copilot-cli", `{"toolName":"bash","toolArgs":"{\"command\":\"ls\"}{\"command\":\"id\"}"}`,
			"deny"},
		// commands by other names, deeper, and typed into a shell that runs
		{"copilot-cli", `{"toolName":"write_bash","toolArgs":{"sessionId":"a","input":"rm -rf ~"}}`,
			"deny"},
		{"copilot-cli", `{"toolName":"read_bash","toolArgs":{"sessionId":"a","delay":5}}`, ""},
		{"codex", `{"hook_event_name":"PreToolUse","tool_name":"write_stdin",` +
			`"tool_input":{"session_id":1,"chars":"rm -rf ~\n"}}`, "deny"},
		{"claude-code", call + `"mcp__dc__interact_with_process","tool_input":{"pid":1,` +
			`"input":"rm -rf ~"}}`, "deny"},
		{"claude-code", call + `"mcp__t__sendKeysToTerminal","tool_input":{"keys":"rm -rf ~"}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"command_line":"rm -rf ~"}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"commandLine":"rm -rf ~"}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"shell_command":"rm -rf ~"}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"steps":[{"name":"a"},` +
			`{"command":"rm -rf ~"}]}}`, "deny"},
		{"claude-code", call + `"multi","tool_input":{"tool_uses":[{"recipient_name":"shell",` +
			`"parameters":{"command":["rm","-rf","/"]}}]}}`, "deny"},
		{"claude-code", call + `"mcp__x","tool_input":{"steps":[{"command":"ls"}]}}`, ""},
		{"claude-code", call + `"mcp__box__shell","tool_input":"rm -rf ~"}`, "deny"},
		{"claude-code", call + `"mcp__box__shell","tool_input":["rm","-rf","/"]}`, "deny"},
		{"claude-code", call + `"bash","tool_input":["rm -rf ~"]}`, "deny"},
		{"claude-code", call + `"mcp__db__execute","tool_input":{"query":"select 1"}}`, ""},
		{"claude-code", call + `"BashOutput","tool_input":{"bash_id":"1","filter":"rm -rf ~"}}`, ""},
		{"claude-code", call + `"Edit","tool_input":{"file_path":"a","new_string":"rm -rf ~"}}`, ""},
		// another event's name, two for one thing, and none
		{"claude-code", `{"hook_event_name":"pre_tool_use","tool_name":"Bash",` +
			`"tool_input":{"command":"rm -rf ~"}}`, "deny"},
		{"claude-code", `{"hook_event_name":"PostToolUse","tool_name":"Bash",` +
			`"tool_input":{"command":"rm -rf ~"}}`, ""},
		{"copilot-cli", `{"toolName":"bash","tool_name":"view","toolArgs":{"command":"rm -rf ~"}}`,
			"exit 2"},
		{"copilot-cli", `{"toolName":"bash","tool_input":{},"toolArgs":{"command":"rm -rf ~"}}`,
			"exit 2"},
		{"claude-code", `{"Tool_Name":"Bash","Tool_Input":{"command":"rm -rf ~"}}`, "exit 2"},
		{"claude-code", `{}`, "exit 2"},
		// what can't be read
		{"claude-code", call + `"Bash","tool_input":{"command":"ls"}} {}`, "exit 2"},
		{"claude-code", "\ufeff" + call + `"Bash","tool_input":{"command":"ls"}}`, "exit 2"},
		{"claude-code", call + `"Bash","tool_input":{"command":"ls","\u0063ommand":"id"}}`, "exit 2"},
		{"copilot-cli", `{"toolName":"bash","toolArgs":"{\"command\":\"id\",\"command\":\"ls\"}"}`,
			"exit 2"},
		{"claude-code", call + `"Bash","tool_input":` + deep, "exit 2"},
		{"gemini-cli", `{"tool_name":"run_shell_command","tool_input":{"command":"ls"},"x":` + deep +
			strings.Repeat("]", len(deep)) + "}", "exit 2"},
		{"copilot-cli", `{"toolName":"bash","toolArgs":"` + deep + `"}`, "deny"},
	} {
		cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-gate"), "hook", c.agent)
		cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(c.input)
		cmd.Env = []string{"HOME=" + cmd.Dir, "PATH=/usr/bin:/bin"}
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		got := ""
		for _, word := range []string{"allow", "ask", "deny"} {
			if strings.Contains(string(out), `ecision":"`+word+`"`) {
				got = word
			}
		}
		if err != nil {
			got = strings.Replace(err.Error(), "exit status", "exit", 1)
		}
		if got != c.want || strings.Count(said.String(), "\n") > 1 {
			t.Errorf("%s %.150s: %s\n%s%.300s", c.agent, c.input, got, out, said.String())
		}
	}
}
