package timeline

import (
	"testing"

	"github.com/tidwall/gjson"
)

// TestList holds that a row of the page says what an event is about, and whether it is
// bad news.
func TestList(t *testing.T) {
	for _, c := range []struct{ line, class, text string }{
		{`{"type":"tool_result","status":"run","exit_code":0,"output":"a\nb"}`, "", "a b"},
		{`{"type":"tool_result","status":"run","exit_code":1,"output":""}`, "bad", "exit 1"},
		{`{"type":"tool_result","status":"run","exit_code":2,"output":"no"}`, "bad", "exit 2: no"},
		{`{"type":"tool_result","status":"denied","output":"not today"}`, "bad", "not today"},
		{`{"type":"net","host":"a.org","port":443,"decision":"deny","reason":"not allowed"}`, "bad",
			"deny a.org:443: not allowed"},
		{`{"type":"net","host":"a.org","port":443,"decision":"deny","reason":"not allowed","count":9}`,
			"bad", "deny a.org:443 (9 requests): not allowed"},
		{`{"type":"subagent","state":"start","task":"look"}`, "", "start: look"},
		{`{"type":"subagent","state":"end","outcome":"failed","exit_code":1,"task":"look"}`, "bad",
			"failed: look"},
		{`{"type":"guarded","path":".git/hooks/x","state":"set_aside"}`, "", ".git/hooks/x"},
		{`{"type":"summary","exit_code":0}`, "", "exit status 0"},
		{`{"type":"message","text":"go on"}`, "person", "go on"},
		{`{"type":"odd","n":[1]}`, "", ""},
	} {
		e := Event{Type: gjson.Get(c.line, "type").Str, Line: []byte(c.line)}
		if got := list(&Lane{}, e, e.Time); got.Text != c.text || got.Class != c.class {
			t.Errorf("%s: %q %q", c.line, got.Class, got.Text)
		}
	}
}
