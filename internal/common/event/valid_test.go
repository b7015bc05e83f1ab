package event

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

var validCases = []string{
	`{}`, `[]`, `{"a":1}`, ` {"a" : [1, -2.5e+3, true,false ,null,"x\u00e9\n"] , "b":{}}  `,
	`"` + strings.Repeat("a", 37) + `"`,
	`"` + strings.Repeat(`abc\"`, 37) + `"`, `-0`, `0.1E-7`, "\"\x7f\xff\"",
	``, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[1 2]`, `01`, `-`, `1.`, `1e`, `.5`, `+1`, `tru`,
	`"`, `"\`, `"\u12g4"`, `"\u12"`, `"\x"`,
	"\"a\tb\"", "\"12345678\x00\"", "\"1234567\x1f\"", `{"a":1}x`, `{'a':1}`, `{"a" 1}`, `nul`, `[[]`,
	`[}`, "{\"a\":\v1}",
}

func TestValid(t *testing.T) {
	for _, c := range validCases {
		if got, want := ValidJSON([]byte(c)), json.Valid([]byte(c)); got != want {
			t.Errorf("%q: %v", c, got)
		}
	}
	deep := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	if !ValidJSON([]byte(deep)) || ValidJSON([]byte("["+deep+"]]")) ||
		ValidJSON([]byte(strings.Repeat(`{"a":`, 1<<20))) {
		t.Error("nesting")
	}
}

func FuzzValid(f *testing.F) {
	for _, c := range validCases {
		f.Add([]byte(c))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := ValidJSON(b); got != json.Valid(b) || got != gjson.ValidBytes(b) {
			t.Errorf("%q: %v", b, got)
		}
	})
}

func BenchmarkValid(b *testing.B) {
	line := []byte(`{"type":"tool_result","ts":"2026-11-21T19:11:44.123Z","output":"` +
		strings.Repeat(`-rw-r--r-- 1 me me 1024 Nov 21 19:11 \"file\"\n`, 20) + `"}`)
	for name, check := range map[string]func([]byte) bool{
		"valid": ValidJSON, "gjson": gjson.ValidBytes,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				check(line)
			}
		})
	}
}

// A line that is nested 64 Mi deep is refused, not recursed into.
func TestDeepLine(t *testing.T) {
	r := NewReader(strings.NewReader(`{"type":"a","x":` + strings.Repeat("[", 64<<20) + "\n"))
	if _, err := r.Next(); err == nil {
		t.Error("it is taken for an event")
	}
}
