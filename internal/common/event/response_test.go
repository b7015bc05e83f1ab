package event

import "testing"

func TestResponseText(t *testing.T) {
	for _, c := range []struct {
		line, text string
		final      bool
	}{
		{`{"content":[{"type":"text","text":"a"},{"type":"tool_use","text":"no"},` +
			`{"type":"text","text":"b"}]}`, "ab", false},
		{`{"content":[{"type":"text","text":"a\n"},{"type":"thinking","text":"no"},` +
			`{"type":"text"}]}`, "a\n", true},
		{`{"content":"a"}`, "", true}, {`{}`, "", true}, {`x`, "", true}, {``, "", true},
	} {
		if text, final := ResponseText([]byte(c.line)); text != c.text || final != c.final {
			t.Errorf("%s: %q, final %v", c.line, text, final)
		}
	}
}

func TestCalls(t *testing.T) {
	for line, want := range map[string]bool{
		`{"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"1"}]}`: true,
		`{"content":[{"type":"tool_use","id":""}]}`:                             true,
		`{"content":[{"type":"text","text":"tool_use","id":"1"}]}`:              false,
		`{"content":[]}`: false, `{"content":{"type":"tool_use","id":"1"}}`: false,
		`{}`: false, ``: false,
		// No result could name it.
		`{"content":[{"type":"tool_use"}]}`: false,
	} {
		if got := Calls([]byte(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

func TestFromPipe(t *testing.T) {
	for _, typ := range []string{
		"delta", "tool_call", "verdict", "tool_result", "response", "error",
	} {
		if !FromPipe(typ) {
			t.Error(typ)
		}
	}
	for _, typ := range []string{
		"", "turn", "system", "message", "summary", "Delta", "delta ", "judge",
	} {
		if FromPipe(typ) {
			t.Error(typ)
		}
	}
}
