package otlp

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// export returns the spans of a run with that journal, and of subagents with those.
func export(t testing.TB, journal string, below ...string) gjson.Result {
	t.Helper()
	dir := t.TempDir()
	write := func(dir, text string) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(dir, journal)
	paths := []string{filepath.Join(dir, "journal.jsonl")}
	for i, text := range below {
		sub := filepath.Join(dir, "sub", string(rune('a'+i)))
		write(sub, text)
		paths = append(paths, filepath.Join(sub, "journal.jsonl"))
	}
	var out bytes.Buffer
	if err := Write(&out, paths, ignore); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out.Bytes()) {
		t.Fatalf("%s", out.Bytes())
	}
	return gjson.GetBytes(out.Bytes(), "resourceSpans.0.scopeSpans.0.spans")
}

func ignore(string) func(error) { return func(error) {} }

const day = `{"type":"run","ts":"2026-01-02T03:04:00Z","id":"r","task":"t","agent":"a"}
{"type":"turn","ts":"2026-01-02T03:04:01Z"}
{"type":"tool_call","ts":"2026-01-02T03:04:02Z","id":"c1","input":{"command":"ls"}}
{"type":"verdict","ts":"2026-01-02T03:04:02Z","call_id":"c1","risk":"write","command":"ls -l"}
{"type":"response","ts":"2026-01-02T03:04:03Z","model":"p/m","usage":{"input":1,"cache_read":2,` +
	`"output":3,"cost_usd":0.5}}
{"type":"tool_result","ts":"2026-01-02T03:04:04Z","call_id":"c1","status":"run","exit_code":1,` +
	`"duration_ms":1500}
junk
{"type":"tool_call","id":"c2","input":{"command":"rm"}}
{"type":"verdict","call_id":"c2","risk":"denied","decision":"deny","reason":"no"}
{"type":"tool_result","ts":"2026-01-02T03:04:05Z","call_id":"c2","status":"denied"}
{"type":"response","ts":"2026-01-02T03:04:06Z","model":"p/m","stop_reason":"error",` +
	`"latency_ms":500}
{"type":"summary","ts":"2026-01-02T03:04:07Z","exit_code":2}
`

// A span says what an agent did and what it took.
func TestSpans(t *testing.T) {
	spans := export(t, day)
	for i, want := range []struct {
		name, start, took, error, attribute, value string
	}{
		{"invoke_agent a", "0", "7", "exit status 2", "gen_ai.usage.input_tokens", "3"},
		{"turn 1", "1", "5", "", "", ""},
		{"chat m", "1", "2", "", "gen_ai.usage.output_tokens", "3"},
		{"execute_tool shell", "2.5", "1.5", "run exit 1", "process.command_line", "ls -l"},
		{"execute_tool shell", "5", "0", "no", "ua.outcome", "denied"},
		{"chat m", "5.5", "0.5", "", "error.type", "failed"},
	} {
		s := spans.Array()[i]
		seconds := func(ns int64) string { return gjson.Parse(json.Number(trim(ns)).String()).String() }
		const began = 1767323040 * 1e9
		start, end := s.Get("startTimeUnixNano").Int(), s.Get("endTimeUnixNano").Int()
		value := s.Get(`attributes.#(key=="` + want.attribute + `").value.@values.0`).String()
		if s.Get("name").Str != want.name || seconds(start-began) != want.start ||
			seconds(end-start) != want.took || s.Get("status.message").String() != want.error ||
			value != want.value {
			t.Errorf("%d: %s", i, s)
		}
	}
	if spans.Get("#").Int() != 6 {
		t.Error(spans)
	}
}

// trim returns nanoseconds as seconds without zeros at the end.
func trim(ns int64) string {
	b, _ := json.Marshal(float64(ns) / 1e9)
	return string(b)
}

// A turn's span lies in its agent's, and holds those of its steps.
func TestTree(t *testing.T) {
	spans := export(t, day, `{"type":"run","ts":"2026-01-02T03:04:05Z","id":"b"}`)
	agent, turn := spans.Get("0.spanId").Str, spans.Get("1")
	if spans.Get("#").Int() != 7 || turn.Get("parentSpanId").Str != agent ||
		spans.Get("2.parentSpanId").Str != turn.Get("spanId").Str ||
		spans.Get("6.parentSpanId").Str != agent {
		t.Error(spans)
	}
	for _, s := range spans.Array()[2:6] {
		if s.Get("startTimeUnixNano").Int() < turn.Get("startTimeUnixNano").Int() ||
			s.Get("endTimeUnixNano").Int() > turn.Get("endTimeUnixNano").Int() {
			t.Errorf("%s is not in its turn", s)
		}
	}
}

// The ids of spans are those of the run's trace where it names one, and stay the same.
func TestTrace(t *testing.T) {
	const id, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for trace, same := range map[string]bool{
		"00-" + id + "-" + span + "-01": true,
		"":                              false,
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01": false,
		"00-" + id[:31] + "g-" + span + "-01":                false,
		"00-" + id + "-" + span[:15] + "-01":                 false,
		"x":                                                  false,
	} {
		journal := `{"type":"run","id":"r","traceparent":"` + trace + `"}`
		s := export(t, journal)
		if (s.Get("0.traceId").Str == id && s.Get("0.spanId").Str == span) != same ||
			len(s.Get("0.traceId").Str) != 32 || len(s.Get("0.spanId").Str) != 16 {
			t.Errorf("%s: %s", trace, s)
		}
		if again := export(t, journal); again.Raw != s.Raw {
			t.Errorf("%s: other ids", trace)
		}
	}
}

func TestNoJournal(t *testing.T) {
	none := []string{filepath.Join(t.TempDir(), "none")}
	if err := Write(new(bytes.Buffer), none, ignore); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// FuzzWrite: whatever a command has left as a journal, it can be exported.
func FuzzWrite(f *testing.F) {
	f.Add(day)
	f.Add(`{"type":"response","ts":"2026-01-02T03:04:00Z","usage":{"cost_usd":1e999,"input":-1},` +
		`"model":"\u0007"}`)
	f.Add(`{"type":"run","ts":"0001-01-02T00:00:00Z"}` + "\n" +
		`{"type":"turn","ts":"9999-12-31T00:00:00Z"}`)
	f.Add(`{"type":"tool_result","duration_ms":1e300,"exit_code":"x","ts":"9999-01-01T00:00:00Z"}`)
	f.Fuzz(func(t *testing.T, text string) { export(t, text) })
}
