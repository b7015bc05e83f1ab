package event

import "testing"

func TestText(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"response","content":[{"type":"text","text":"a"},{"type":"tool_use","text":"no"},{"type":"text","text":"b"}]}`: "ab",
		`{"type":"response","content":"a"}`: "", `{"type":"response"}`: "", `x`: "",
	} {
		if got := Text([]byte(line)); got != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}
