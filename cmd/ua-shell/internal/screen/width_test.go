package screen

import "testing"

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "é": 1, "e\u0301": 1, "漢字": 4, "ｗ": 2,
		"한": 2, "😀": 2, "a\u200db": 2, "✓": 1, "⚡": 2} {
		if got := columns(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
