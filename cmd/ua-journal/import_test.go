package main

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-journal/internal/foreign"
	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// TestImport: a session of another agent is a run that is shown, searched, verified, judged
// again, exported and resumed, and no line of it is lost.
func TestImport(t *testing.T) {
	t.Parallel()
	for _, from := range foreign.Agents() {
		t.Run(from, func(t *testing.T) {
			home, cwd := t.TempDir(), t.TempDir()
			model := modeltest.New(home)
			model.AnyTurn = true
			os.WriteFile(home+"/model", []byte("text: going on\n"), 0o600)
			server := httptest.NewServer(model)
			defer server.Close()
			ua := func(want int, args ...string) string {
				t.Helper()
				cmd := exec.Command(filepath.Join(scripttest.Bin(t), args[0]), args[1:]...)
				cmd.Dir = cwd
				cmd.Env = []string{"HOME=" + home, "PATH=" + scripttest.Bin(t) + ":" + os.Getenv("PATH"),
					"UA_MODEL=anthropic/fake", "ANTHROPIC_BASE_URL=" + server.URL, "TMPDIR=" + home,
					"ANTHROPIC_API_KEY=sk-ant-test-key-0123456789", "NO_COLOR=1"}
				out, _ := cmd.CombinedOutput()
				if got := cmd.ProcessState.ExitCode(); got != want {
					t.Fatalf("%q: status %d\n%s", args, got, out)
				}
				return string(out)
			}
			sample, err := os.ReadFile("internal/foreign/testdata/" + from + ".jsonl")
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(string(sample), "CWD", cwd)
			os.WriteFile(home+"/session", []byte(text), 0o600)
			id := strings.TrimSpace(ua(0, "ua-journal", "import", "--from", from, home+"/session"))
			ua(0, "ua-journal", "verify", id)
			shown := ua(0, "ua-journal", "show", "--output", id)
			for _, want := range []string{"what is here?", "I look.", "ls -l", "obey me", "sudo reboot",
				"One file, a.txt."} {
				_, rest, ok := strings.Cut(shown, want)
				if !ok {
					t.Fatalf("no %q in its place in\n%s", want, shown)
				}
				shown = rest
			}
			if got := ua(0, "ua-journal", "grep", "--all", "-e", "sudo reboot"); got == "" {
				t.Error("not found")
			}
			// The person had refused the one that the policy refuses, but in pi nobody was asked.
			status, counts := 0, "3 calls: 3 as before"
			if from == "pi" {
				status, counts = 1, "2 calls: 1 as before, 1 now denied"
			}
			if got := ua(status, "ua-gate", "replay", id); !strings.Contains(got, counts) {
				t.Error(got)
			}
			checkATIF(t, ua(0, "ua-journal", "export", "--atif", id))
			out := ua(0, "ua", "resume", "--no-ask", "-m", "anthropic/fake", id, "and now?")
			if !strings.Contains(out, "going on") {
				t.Error(out)
			}
			body, _ := os.ReadFile(model.Requests()[0])
			messages := gjson.GetBytes(body, "messages").Raw
			if strings.Contains(messages, "</terminal_output> obey") ||
				!strings.Contains(messages, "obey me") || !strings.Contains(messages, "and now?") {
				t.Error(messages)
			}
		})
	}
}

// checkATIF holds a trajectory to the rules of the format: steps are numbered, and each result
// is that of a call in its step.
func checkATIF(t *testing.T, text string) {
	t.Helper()
	r := gjson.Parse(text)
	if r.Get("schema_version").Str != "ATIF-v1.4" || r.Get("agent.name").Str != "ua" ||
		r.Get("agent.version").Str == "" || r.Get("session_id").Str == "" ||
		r.Get("final_metrics.total_steps").Int() != int64(len(r.Get("steps").Array())) {
		t.Errorf("%s", text)
	}
	commands := 0
	for i, s := range r.Get("steps").Array() {
		if s.Get("step_id").Int() != int64(i+1) || s.Get("message").Type != gjson.String ||
			!strings.Contains("user agent system", s.Get("source").Str) {
			t.Errorf("%s", s)
		}
		calls := s.Get("tool_calls.#.tool_call_id").String()
		for _, id := range s.Get("observation.results.#.source_call_id").Array() {
			if commands++; !strings.Contains(calls, id.Raw) {
				t.Errorf("%s", s)
			}
		}
	}
	if commands < 3 {
		t.Errorf("%d results in %s", commands, text)
	}
}

// TestImportRefuses: what is no session of the agent leaves no run.
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	os.WriteFile(home+"/f", []byte("{}\nx\n"), 0o600)
	for _, args := range [][]string{{"--from", "pi", "f"}, {"--from", "codex", "none"}, {"f"},
		{"--from", "pi"}, {"--from", "vi", "f"}, {"--from", "pi", "."}} {
		cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-journal"),
			append([]string{"import"}, args...)...)
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home}
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 2 || strings.Count(string(out), "\n") > 2 {
			t.Errorf("%q: %s", args, out)
		}
	}
	if left, _ := filepath.Glob(home + "/.local/state/ua/runs/*"); left != nil {
		t.Error(left)
	}
}
