package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// breakout is text that would end a string or drive a terminal if it were not kept text.
const breakout = `</title>"'` + "\\u0000\\u001b[31m\\ufffe"

// tree writes a run of two subagents with so many calls in each agent.
func tree(t *testing.T, dir string, calls int) string {
	t.Helper()
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ids := []string{"20260102-030405-000001", "20260102-030406-000002", "20260102-030407-000003"}
	folder := filepath.Join(dir, ids[0])
	for n, id := range ids {
		at := begin.Add(time.Duration(n) * 700 * time.Millisecond)
		var b bytes.Buffer
		line := func(format string, a ...any) {
			text := fmt.Sprintf(format, a...)
			fmt.Fprintf(&b, "%s,\"ts\":%q}\n", strings.TrimSuffix(text, "}"),
				at.Format("2006-01-02T15:04:05.000Z"))
		}
		quoted := strings.ReplaceAll(breakout, `"`, `\"`)
		line(`{"type":"run","id":%q,"task":"sum up the logs `+
			`%s","agent":"explore",`+
			`"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333%d-01"}`, id, quoted, n)
		line(`{"type":"turn","n":1}`)
		for i := range calls {
			at = at.Add(300 * time.Millisecond)
			level := []string{"read_only", "build_test", "write", "destructive", "network", "privileged",
				"odd\\\"level"}[i%7]
			decision, status := "allow", "run"
			if level == "privileged" {
				decision, status = "deny", "denied"
			}
			line(`{"type":"tool_call","id":"c%d","name":"shell","input":{"command":"echo %d %s"}}`, i, i,
				quoted)
			line(`{"type":"verdict","call_id":"c%d","risk":"%s","decision":%q,"reason":%q}`, i, level,
				decision, "because")
			at = at.Add(time.Duration(120+70*(i%5)) * time.Millisecond)
			line(`{"type":"tool_result","call_id":"c%d","status":%q,"exit_code":%d,"duration_ms":%d,`+
				`"output":"%s"}`, i, status, i%3, 120+70*(i%5), quoted)
		}
		line(`{"type":"response","model":"maker/model","stop_reason":"end_turn","usage":{"input":10,`+
			`"output":4,"cost_usd":0.5},"content":[{"type":"text","text":"%s"}]}`, quoted)
		line(`{"type":"summary","exit_code":%d}`, n%2)
		to := folder
		if n > 0 {
			to = filepath.Join(folder, "sub", id)
		}
		if err := os.MkdirAll(to, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, "journal.jsonl"), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func export(t *testing.T, form, folder string) []byte {
	t.Helper()
	out, err := exec.Command(filepath.Join(scripttest.Bin(t), "ua-journal"), "export", "--"+form,
		folder).Output()
	if err != nil {
		t.Fatalf("export --%s: %v", form, err)
	}
	return out
}

// TestOTLP holds that the spans make one tree in one trace.
func TestOTLP(t *testing.T) {
	var doc struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct {
					TraceID, SpanID, ParentSpanID, Name, StartTimeUnixNano, EndTimeUnixNano string
				}
			}
		}
	}
	if err := json.Unmarshal(export(t, "otlp", tree(t, t.TempDir(), 3)), &doc); err != nil {
		t.Fatal(err)
	}
	spans := doc.ResourceSpans[0].ScopeSpans[0].Spans
	parents, kinds := map[string]string{}, map[string]int{}
	for _, s := range spans {
		if s.TraceID != "0af7651916cd43dd8448eb211c80319c" || parents[s.SpanID] != "" ||
			s.StartTimeUnixNano > s.EndTimeUnixNano {
			t.Errorf("%+v", s)
		}
		parents[s.SpanID] = s.ParentSpanID + "."
		kind, _, _ := strings.Cut(s.Name, " ")
		kinds[kind]++
	}
	roots := 0
	for _, s := range spans {
		if s.ParentSpanID == "" {
			roots++
		} else if parents[s.ParentSpanID] == "" {
			t.Errorf("no parent of %+v", s)
		}
	}
	if roots != 1 || kinds["invoke_agent"] != 3 || kinds["turn"] != 3 || kinds["chat"] != 3 ||
		kinds["execute_tool"] != 9 {
		t.Errorf("%d roots, %v", roots, kinds)
	}
}

// TestAllOnce: of all runs, too, each agent is in a page and in the spans once.
func TestAllOnce(t *testing.T) {
	state := t.TempDir()
	folder := tree(t, filepath.Join(state, "ua/runs"), 1)
	for form, mark := range map[string]string{"html": "<h2>", "otlp": `"invoke_agent `} {
		cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-journal"), "export", "--"+form, "--all")
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
		out, err := cmd.CombinedOutput()
		if n := strings.Count(string(out), mark); err != nil || n != 3 {
			t.Errorf("--%s: %d agents: %v", form, n, err)
		}
		if form == "otlp" && !bytes.Equal(out, export(t, form, folder)) {
			t.Errorf("other spans than those of the run\n%s", out)
		}
	}
}

// TestPost: a collector gets the spans as they are printed, and one that takes none is an error
// that may pass.
func TestPost(t *testing.T) {
	scripttest.Need(t, "curl")
	var got []byte
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
		if r.Header.Get("Content-Type") != "application/json" || r.URL.Path != "/v1/traces" {
			status = http.StatusBadRequest
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	folder := tree(t, t.TempDir(), 3)
	post := func(args ...string) ([]byte, int) {
		cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-journal"), append(append([]string{
			"export"}, args...), folder)...)
		out, _ := cmd.CombinedOutput()
		return out, cmd.ProcessState.ExitCode()
	}
	to := server.URL + "/v1/traces"
	if out, code := post("--otlp", "--post", to); code != 0 || len(out) > 0 ||
		!bytes.Equal(bytes.TrimSpace(got), bytes.TrimSpace(export(t, "otlp", folder))) {
		t.Errorf("status %d: %s\n%s", code, out, got)
	}
	status = http.StatusForbidden
	if out, code := post("--otlp", "--post", to); code != 75 ||
		!bytes.Contains(out, []byte("did not take the spans")) {
		t.Errorf("refused: status %d: %s", code, out)
	}
	if out, code := post("--csv", "--post", to); code != 2 {
		t.Errorf("--csv: status %d: %s", code, out)
	}
}
