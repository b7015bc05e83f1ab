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
		{`{"type":"a","k":"v"}`, `{"type":"a","k":"<k>"}`},
		{`{ "k" : "v" , "n" : 1 }`, `{ "k" : "<k>" , "n" : 1 }`},
		{`{"a":{"b":["x","y"]}}`, `{"a":{"b":["<b>","<b>"]}}`},
		{`{"a\"b":"x\\"}`, `{"a\"b":"<a\"b>"}`},
		{`{"k":""}`, `{"k":"<k>"}`},
		{`{"n":1.5,"t":true,"z":null}`, `{"n":1.5,"t":true,"z":null}`},
		{`{"é":"x"}`, `{"é":"<é>"}`},
		{`["x"]`, `["<>"]`},
	} {
		got := string(scrub([]byte(c.line), func(key, _ string) (string, bool) {
			return "<" + key + ">", true
		}))
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.line, got, c.want)
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
