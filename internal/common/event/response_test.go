package event

import "testing"

func TestResponseText(t *testing.T) {
	for line, want := range map[string]struct {
		text  string
		final bool
	}{
		`{"content":[{"type":"text","text":"a"},{"type":"tool_use","text":"no"},{"type":"text","text":"b"}]}`: {"ab", false},
		`{"content":[{"type":"text","text":"a\n"},{"type":"thinking","text":"no"},{"type":"text"}]}`:          {"a\n", true},
		`{"content":"a"}`: {"", true}, `{}`: {"", true}, `x`: {"", true}, ``: {"", true},
	} {
		if text, final := ResponseText([]byte(line)); text != want.text || final != want.final {
			t.Errorf("%s: %q, final %v", line, text, final)
		}
	}
}
