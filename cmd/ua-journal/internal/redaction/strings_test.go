package redaction

import "testing"

func FuzzScrub(f *testing.F) {
	f.Add(`{"type":"a","k":"v\"v","n":[1,"v"]}`)
	f.Fuzz(func(t *testing.T, line string) {
		same := string(scrub([]byte(line), func(_, text string) (string, bool) { return text, false }))
		if same != line {
			t.Errorf("%q became %q", line, same)
		}
		scrub([]byte(line), func(_, text string) (string, bool) { return gone, true })
	})
}
