package style

import (
	"slices"
	"strings"
	"testing"
)

// TestLines folds between words, breaks what is too long for a line, and counts no colours.
func TestLines(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                 {""},
		"as it is":                         {"as it is"},
		"a hint that is far too long":      {"a hint ", "  that is ", "  far too ", "  long"},
		strings.Repeat("x", 22):            {"xxxxxxxxxx", "  xxxxxxxx", "  xxxx"},
		"\x1b[33mwarn\x1b[0m no more room": {"\x1b[33mwarn\x1b[0m no ", "  more ", "  room"},
		"無害無害無害":                           {"無害無害無", "  害"},
	} {
		if got := Lines(text, 10); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	// A table's second column stays one, where a third of the line holds its start.
	const row = "  --json  print the run's events"
	if got := Lines(row, 30); !slices.Equal(got,
		[]string{"  --json  print the run's ", "          events"}) {
		t.Errorf("%q", got)
	}
	if got := Lines("\x1b[32m✓\x1b[0m runs  are here", 15); !slices.Equal(got,
		[]string{"\x1b[32m✓\x1b[0m runs  are ", "  here"}) {
		t.Errorf("%q", got)
	}
	if got := Lines("\x1b[32m✓\x1b[0m runs  are here and there", 24); !slices.Equal(got,
		[]string{"\x1b[32m✓\x1b[0m runs  are here and ", "        there"}) {
		t.Errorf("%q", got)
	}
	if got := Lines(row, 20); !slices.Equal(got, []string{"  --json  print the ", "  run's events"}) {
		t.Errorf("%q", got)
	}
}
