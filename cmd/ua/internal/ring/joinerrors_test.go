package ring

import (
	"fmt"
	"testing"

	"github.com/tidwall/gjson"
)

// TestJoinErrors: few events stand for a million errors, none is lost in their count, the
// last one comes last, and what answers a call comes at once.
func TestJoinErrors(t *testing.T) {
	var passed []gjson.Result
	j := &joiner{to: func(line []byte) { passed = append(passed, gjson.ParseBytes(line)) }}
	say := func(format string, a ...any) { j.line(fmt.Appendf(nil, format, a...)) }
	const n = 100_000
	for i := range n {
		say(`{"type":"error","stage":"mine","message":"%d","call_id":"none"}`, i)
	}
	say(`{"type":"tool_call","id":"A","name":"shell"}`)
	say(`{"type":"error","stage":"ua-exec","message":"answer","call_id":"A"}`)
	if last := passed[len(passed)-1]; last.Get("message").Str != "answer" {
		t.Errorf("a call's error waits: %s", last)
	}
	say(`{"type":"error","stage":"ua-gate","message":"quit","status":1}`)
	if last := passed[len(passed)-1]; last.Get("message").Str != "quit" {
		t.Errorf("an error with a status waits: %s", last)
	}
	for range n / 10 {
		say(`{"type":"error","stage":"ua-exec","message":"again","call_id":"A"}`)
		say(`{"type":"error","stage":"ua-gate","message":"quit","status":1}`)
	}
	say(`no event`)
	say(`{"type":"error",`)
	j.end()
	var stands int64
	for _, e := range passed {
		if e.Get("type").Str == "error" && e.Get("stage").Str != "" {
			stands += max(e.Get("count").Int(), 1)
		}
	}
	if want := int64(n + n/5 + 2); stands != want || len(passed) > 500 {
		t.Errorf("%d events stand for %d errors, want %d", len(passed), stands, want)
	}
	passed = passed[:0]
	say(`{"type":"response","content":[]}`)
	for i := range singleErrors {
		if say(`{"type":"error","message":"%d"}`, i); len(passed) != i+2 {
			t.Fatalf("error %d of a turn waits", i)
		}
	}
}
