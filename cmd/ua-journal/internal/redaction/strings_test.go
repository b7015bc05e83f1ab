package redaction

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"ua/internal/common/event"
)

// FuzzScrub: a line in which nothing is wanted stays byte for byte; and after a text is taken
// out, another reader of JSON finds it in no value, and all else as it was.
func FuzzScrub(f *testing.F) {
	f.Add(`{"type":"a","k":"v\"v","n":[1,"v"]}`, "v")
	f.Add(`{"type":"a","input":{"type":"v","redacted":"\u0076"},"x":"vvv"}`, "vv")
	f.Add(`{"type":"a","\u0076":["\ud83d\ude00","\ud83d"," "]}`, "\U0001f600")
	f.Fuzz(func(t *testing.T, line, text string) {
		same := string(scrub([]byte(line), func(_ []string, text string) (string, bool) {
			return text, false
		}))
		if same != line {
			t.Errorf("%q became %q", line, same)
		}
		if !event.Valid([]byte(line)) || len(text) == 0 || strings.Contains(gone, text) ||
			strings.ContainsRune(text, '\ufffd') || !utf8.ValidString(line+text) {
			return
		}
		var before, after any
		if json.Unmarshal([]byte(line), &before) != nil {
			return
		}
		r := &Redaction{Texts: []string{text}}
		got := scrub([]byte(line), r.wanted(false))
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%q became %q: %v", line, got, err)
		}
		hasNone(t, line, text, before, after, true)
	})
}

// hasNone holds two values to be the same but for the text in strings.
func hasNone(t *testing.T, line, text string, before, after any, top bool) {
	switch b := before.(type) {
	case map[string]any:
		a, _ := after.(map[string]any)
		if len(a) != len(b) {
			t.Fatalf("%q: %v became %v", line, before, after)
		}
		for key := range b {
			if !(top && key == "type") {
				hasNone(t, line, text, b[key], a[key], false)
			}
		}
	case []any:
		a, _ := after.([]any)
		if len(a) != len(b) {
			t.Fatalf("%q: %v became %v", line, before, after)
		}
		for i := range b {
			hasNone(t, line, text, b[i], a[i], false)
		}
	case string:
		a, ok := after.(string)
		if !ok || strings.Contains(strings.ReplaceAll(a, gone, "\x00"), text) ||
			!strings.Contains(b, text) && a != b {
			t.Fatalf("%q without %q: %q became %q", line, text, b, after)
		}
	default:
		if before != after {
			t.Fatalf("%q: %v became %v", line, before, after)
		}
	}
}
