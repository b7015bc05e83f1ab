package main

import (
	"strings"
	"testing"
)

func TestAuditLine(t *testing.T) {
	long := strings.Repeat("\x01", 5000)
	for _, c := range []struct{ line, want string }{
		{`{"type":"tool_call","id":"a","name":"shell","input":{"command":"ls"}}`,
			`"run":"r","call_id":"a","name":"shell","command":"ls"}`},
		{`{"type":"tool_result","call_id":"a","status":"run","exit_code":0,"output":"text"}`,
			`"call_id":"a","status":"run","exit_code":0}`},
		{`{"type":"tool_result","call_id":"a","status":"denied","output":"text"}`,
			`"call_id":"a","status":"denied","reason":"text"}`},
		{`{"type":"verdict","decision":"deny","delegates":false,"risk":["x"]}`,
			`"decision":"deny","delegates":false}`},
		{`{"type":"tool_call","id":"a","input":{"command":"` + strings.Repeat("é", 5000) + `"}}`,
			`é…[8400 bytes cut]"}`},
		{`{"type":"tool_call","id":"a","input":{"command":"` +
			strings.ReplaceAll(long, "\x01", `\u0001`) + `"}}`, ` bytes cut]"}`},
		{`{"type":"response"}`, ""}, {`{"type":"instruction","text":"private"}`, ""},
		{`{"type":"verdict","ts":"2026-01-02T03:04:05.000Z","decision":"deny"}`,
			`{"type":"verdict","ts":"2026-01-02T03:04:05.000Z","run":"r","decision":"deny"}`},
	} {
		got := string(record("r", []byte(c.line)))
		if !strings.HasSuffix(got, c.want) || (c.want == "") != (got == "") || len(got)+1 >= maxRecord {
			t.Errorf("%.80s: %d bytes: %s", c.line, len(got), got)
		}
	}
}

func FuzzAuditEntry(f *testing.F) {
	f.Add(`{"type":"verdict","reason":"\u0001","command":"x","rule":1e999}`)
	f.Fuzz(func(t *testing.T, line string) {
		if got := record(line, []byte(line)); len(got) >= maxRecord && len(line) < 100 {
			t.Errorf("%d bytes of %q", len(got), line)
		}
	})
}
