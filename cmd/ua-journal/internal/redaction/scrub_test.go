package redaction

import (
	"bytes"
	"strings"
	"testing"

	"ua/internal/common/event"
	"ua/internal/common/journal"
)

// scrub replaces strings where they are values, in any depth, and leaves the event what it is.
func TestScrub(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{"type":"a","k":"v"}`, `{"type":"<type>","k":"<k>"}`},
		{`{ "k" : "v" , "n" : 1 }`, `{ "k" : "<k>" , "n" : 1 }`},
		{`{"a":{"b":["x","y"]}}`, `{"a":{"b":["<a.b>","<a.b>"]}}`},
		{`{"a":[{"b":"x"},[["y"]],{}],"c":{},"d":"z"}`,
			`{"a":[{"b":"<a.b>"},[["<a>"]],{}],"c":{},"d":"<d>"}`},
		{`{"a":{"b":1,"c":"x"},"e":"{\"f\":[\""}`, `{"a":{"b":1,"c":"<a.c>"},"e":"<e>"}`},
		{`{"type":"t","a":{"type":"u"}}`, `{"type":"<type>","a":{"type":"<a.type>"}}`},
		{`{"a\"b":"x\\"}`, `{"a\"b":"<a\"b>"}`},
		{`{"k":""}`, `{"k":"<k>"}`},
		{`{"n":1.5,"t":true,"z":null}`, `{"n":1.5,"t":true,"z":null}`},
		{`{"é":"x"}`, `{"é":"<é>"}`},
		{`["x"]`, `["<>"]`},
	} {
		got := string(scrub([]byte(c.line), func(path []string, _ string) (string, bool) {
			return "<" + strings.Join(path, ".") + ">", true
		}))
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.line, got, c.want)
		}
	}
}

// TestEverywhere: "Redact text wherever it occurs in a value", also in a member of a command's
// that has the name of one of an event's; and where texts overlap nothing of one stays.
func TestEverywhere(t *testing.T) {
	for _, c := range []struct {
		line  string
		texts []string
		want  string
	}{
		{`{"type":"a","input":{"type":"hunter2"}}`, []string{"hunter2"},
			`{"type":"a","input":{"type":"[redacted]"}}`},
		{`{"type":"a","input":{"redacted":"hunter2"}}`, []string{"hunter2"},
			`{"type":"a","input":{"redacted":"[redacted]"}}`},
		{`{"type":"a","redacted":"hunter2"}`, []string{"hunter2"},
			`{"type":"a","redacted":"[redacted]"}`},
		{`{"type":"a","x":"is hunter2, hunter"}`, []string{"hunter", "hunter2"},
			`{"type":"a","x":"is [redacted], [redacted]"}`},
		{`{"type":"a","x":"1abcdef2"}`, []string{"abcd", "cdef"}, `{"type":"a","x":"1[redacted]2"}`},
		{`{"type":"a","x":"1ababab2"}`, []string{"abab"}, `{"type":"a","x":"1[redacted]2"}`},
		{`{"type":"a","x":"abcdabcd efgh"}`, []string{"abcd", "efgh"},
			`{"type":"a","x":"[redacted][redacted] [redacted]"}`},
		{`{"type":"a","x":"the acted part"}`, []string{"part", "acted"},
			`{"type":"a","x":"the [redacted] [redacted]"}`},
		{`{"type":"a","x":["\u0068unter2","\ud83d\ude00hunter2\/"]}`, []string{"hunter2/", "hunter2"},
			`{"type":"a","x":["[redacted]","😀[redacted]"]}`},
	} {
		r := &Redaction{Texts: c.texts}
		got := r.stub([]byte(c.line), journal.Sum(nil), false)
		want := strings.TrimSuffix(c.want, "}") + `,"redacted":"`
		if !strings.HasPrefix(string(got), want) || !event.Valid(got) {
			t.Errorf("%s without %q: %s", c.line, c.texts, got)
		}
	}
}

// TestAgain: a stub is redacted again, and still stands for the line that was first.
func TestAgain(t *testing.T) {
	const line = `{"type":"message","text":"hunter2 and swordfish"}`
	first := journal.Sum([]byte(line))
	r := &Redaction{Texts: []string{"hunter2"}}
	stub := r.stub([]byte(line), journal.Sum(nil), false)
	for _, again := range []*Redaction{
		{Texts: []string{"swordfish"}}, {Texts: []string{string(first[4:20])}},
		{Texts: []string{"hunter2"}},
	} {
		got := again.stub(stub, journal.Sum(nil), false)
		if h, ok := journal.Redacted(got); !ok || h != first || !event.Valid(got) ||
			strings.Count(string(got), `"redacted":`) != 1 {
			t.Errorf("without %q: %s", again.Texts, got)
		}
	}
	if got := r.stub(stub, journal.Sum(nil), true); strings.Contains(string(got), "swordfish") {
		t.Errorf("whole: %s", got)
	}
}

// TestWhole: "Redact all of line n, except what says which event it is": what a command was
// given goes, whatever the names of its members.
func TestWhole(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"tool_call","id":"c","name":"shell","input":{"name":"A","id":"B","status":"C",` +
			`"type":"D","ts":["E"]}}`: `{"type":"tool_call","id":"c","name":"shell",` +
			`"input":{"name":"[redacted]","id":"[redacted]","status":"[redacted]",` +
			`"type":"[redacted]","ts":["[redacted]"]}`,
		`{"type":"response","model":"m/n","content":[{"type":"text","text":"A"},{"type":"tool_use",` +
			`"id":"c","name":"shell","input":{"command":"B","model":"C"}}],` +
			`"stop_reason":"tool_use"}`: `{"type":"response","model":"m/n","content":[{"type":"text",` +
			`"text":"[redacted]"},{"type":"tool_use","id":"c","name":"shell",` +
			`"input":{"command":"[redacted]","model":"[redacted]"}}],"stop_reason":"tool_use"`,
		`{"type":"tool_result","call_id":"c","status":"run","output":"A","exit_code":0,` +
			`"media":[{"media_type":"x","data":"B"}]}`: `{"type":"tool_result","call_id":"c",` +
			`"status":"run","output":"[redacted]","exit_code":0`,
		`{"type":"a","status":{"x":"A"},` +
			`"id":["B"]}`: `{"type":"a","status":{"x":"[redacted]"},"id":["B"]`,
		`{"type":"a","text":"","content.id":"A",` +
			`"content":{"id":{"id":"B"}}}`: `{"type":"a","text":"","content.id":"[redacted]",` +
			`"content":{"id":{"id":"[redacted]"}}`,
	} {
		got := (&Redaction{}).stub([]byte(line), journal.Sum(nil), true)
		if !strings.HasPrefix(string(got), want+`,"redacted":"`) || !event.Valid(got) {
			t.Errorf("%s\nbecame %s\nwant   %s", line, got, want)
		}
	}
}

// What stays of a line tells which event it was and nothing of what was asked to go.
func TestStub(t *testing.T) {
	const secret = "hunter2"
	first := journal.Sum([]byte("first"))
	for _, c := range []struct {
		name, line string
		texts      []string
		whole      bool
		want       []string // that the stub still says
	}{
		{"a text", `{"type":"message","from":"user","text":"it is hunter2"}`, []string{secret}, false,
			[]string{`"from":"user"`, `"text":"it is [redacted]"`}},
		{"an escaped text", `{"type":"message","text":"\u0068unter2"}`, []string{secret}, false,
			[]string{`"text":"[redacted]"`}},
		{"a whole line", `{"type":"tool_call","id":"c","name":"shell","input":{"command":"hunter2"}}`,
			nil,
			true, []string{`"id":"c"`, `"name":"shell"`, `"command":"[redacted]"`}},
		{"no event", "junk hunter2", []string{secret}, false, []string{`"type":"error"`}},
	} {
		r := &Redaction{Texts: c.texts}
		got := r.stub([]byte(c.line), first, c.whole)
		if bytes.Contains(got, []byte(secret)) || !event.Valid(got) {
			t.Errorf("%s: %s", c.name, got)
		}
		if _, ok := journal.Redacted(got); !ok {
			t.Errorf("%s: it does not say that it is one: %s", c.name, got)
		}
		for _, want := range c.want {
			if !strings.Contains(string(got), want) {
				t.Errorf("%s: no %s in %s", c.name, want, got)
			}
		}
	}
	r := &Redaction{Texts: []string{secret}}
	for _, line := range []string{`{"type":"message","text":"harmless"}`, "junk"} {
		if got := r.stub([]byte(line), first, false); string(got) != line {
			t.Errorf("%s became %s", line, got)
		}
	}
}

func TestStringEnd(t *testing.T) {
	for text, want := range map[string]int{`"a"b`: 3, `"a\"b"c`: 6, `"\\"c`: 4, `"open`: 5, `"`: 1,
		`"a\`: 3} {
		if got := min(stringEnd([]byte(text), 0), len(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
