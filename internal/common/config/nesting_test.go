package config

import (
	"errors"
	"strings"
	"testing"
)

// TestDecodeDeep refuses what the parser would take without an end for.
func TestDecodeDeep(t *testing.T) {
	r := strings.Repeat
	for name, c := range map[string]struct {
		text string
		deep bool
	}{
		"empty":       {"", false},
		"arrays":      {"a = " + r("[", 1000) + r("]", 1000), false},
		"64 KiB":      {"a = " + r("[", 1<<16), true},
		"tables":      {"a = " + r("{a=", 20_000), true},
		"in arrays":   {"a = " + r("{a = [\n", 20_000), true},
		"a key":       {r("a.", 20_000) + "a = 1", true},
		"a header":    {"[" + r("a.", 20_000) + "a]", true},
		"many arrays": {"a = [" + r("[1.5],\n", 1000) + "]", false},
		"many tables": {r("[[a]]\nb = {c.d = 1.5}\n", 1000), false},
	} {
		var into map[string]any
		_, err := Decode(c.text, &into)
		if deep := errors.Is(err, errDeep); deep != c.deep || !deep && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
