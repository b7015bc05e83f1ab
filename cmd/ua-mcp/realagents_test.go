package main_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// TestServeRealAgents has agents, as npm has them, call the shell of a server: the command runs
// in the sandbox and stands in the journal of a run. make test-agents sets the folder that
// UA_TEST_AGENTS names.
func TestServeRealAgents(t *testing.T) {
	folder := scripttest.Agents(t)
	for _, a := range []struct{ name, pkg, program, api string }{
		{"claude-code", "@anthropic-ai/claude-code", "claude", "anthropic"},
		{"codex", "@openai/codex", "codex", "openai"},
	} {
		t.Run(a.name, func(t *testing.T) {
			program := scripttest.Agent(t, filepath.Join(folder, a.name), a.pkg, a.program)
			p := newPlace(t)
			model := &caller{api: a.api, command: "echo reached >made; cat made"}
			server := httptest.NewServer(model)
			defer server.Close()
			args := []string{"-p", "call the shell", "--strict-mcp-config", "--mcp-config",
				`{"mcpServers":{"sh":{"command":"ua-mcp","args":["serve"]}}}`, "--allowedTools",
				"mcp__sh__shell"}
			if a.name == "codex" {
				args = []string{"exec", "--skip-git-repo-check", "--ephemeral", "-m", "gpt-5", "-c",
					"model_provider=trial", "-c", `model_providers.trial={name="trial",base_url="` +
						server.URL + `/v1",wire_api="responses",env_key="UA_TRIAL"}`, "-c",
					`mcp_servers.sh={command="ua-mcp",args=["serve"],env_vars=["TMPDIR"],` +
						`default_tools_approval_mode="approve"}`, "-c", `approval_policy="never"`,
					"call the shell"}
			}
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, program, args...)
			cmd.Dir, cmd.Env = p.cwd, append(p.command("ua").Env, "ANTHROPIC_BASE_URL="+server.URL,
				"ANTHROPIC_API_KEY=none", "DISABLE_AUTOUPDATER=1", "UA_TRIAL=none",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
			out, err := cmd.CombinedOutput()
			made, _ := os.ReadFile(p.cwd + "/made")
			if err != nil || string(made) != "reached\n" || !model.told("reached") {
				t.Fatalf("%v, made %q: %s\n%.3000s", err, made, out, model.requests)
			}
			if j := p.journal(); !strings.Contains(j, "echo reached") ||
				!strings.Contains(j, `"profile":"`) {
				t.Error(j)
			}
		})
	}
}

// A caller is a model that calls the shell of the server named sh, whatever an agent names it,
// and then says that it is done.
type caller struct {
	api, command string

	mu       sync.Mutex
	requests []string
	called   bool
}

func (c *caller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, string(body))
	says, stop := []modeltest.Say{{Kind: "text", Text: "done"}}, "end_turn"
	if name := `"mcp__sh`; strings.Contains(string(body), name) && !c.called {
		input, _ := json.Marshal(map[string]string{"command": c.command})
		says, stop, c.called = []modeltest.Say{{Kind: "tool", ID: "call_1", Name: "mcp__sh__shell",
			Text: string(input)}}, "tool_use", true
	}
	if c.api == "openai" {
		stop = "completed"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	text := strings.Join(modeltest.Stream(c.api, stop, says...), "")
	if c.api == "openai" { // which has tools of a server in a namespace
		text = strings.ReplaceAll(text, `"mcp__sh__shell"`, `"shell","namespace":"mcp__sh"`)
	}
	io.WriteString(w, text)
}

// told reports whether the agent has handed on a result.
func (c *caller) told(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.requests) > 1 && strings.Contains(c.requests[len(c.requests)-1], text+`\n`)
}
