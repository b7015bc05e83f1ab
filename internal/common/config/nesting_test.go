package config

import (
	"errors"
	"strings"
	"testing"
)

// TestDecodeDeep refuses what the parser would take without an end for, and nothing else.
func TestDecodeDeep(t *testing.T) {
	r := strings.Repeat
	for name, c := range map[string]struct {
		text string
		deep bool
	}{
		"empty":               {"", false},
		"arrays at the limit": {"a = " + r("[", maxDeep) + r("]", maxDeep), false},
		"arrays":              {"a = " + r("[", maxDeep+1) + r("]", maxDeep+1), true},
		"64 KiB":              {"a = " + r("[", 1<<16), true},
		"tables":              {"a = " + r("{a=", 20_000), true},
		"a key":               {r("a.", 20_000) + "a = 1", true},
		"a header":            {"[" + r("a.", 20_000) + "a]", true},
		"a quoted key":        {r(`"x".`, 1000) + "a = 1", true},
		"many arrays":         {"a = [" + r("[1.5], ", 1000) + "]", false},
		"many tables":         {r("[[a]]\nb = {c.d = 1.5}\n", 1000), false},
		"in a string":         {`a = "` + r("[.", 1000) + `"`, false},
		"behind an escape":    {`a = "\"` + r("[.", 1000) + `"`, false},
		"in a literal":        {`a = '\` + r("[.", 1000) + `'`, false},
		"in long strings": {`a = """` + r("[\".\n", 1000) + `"""` +
			"\nb = '''" + r("['.\n", 1000) + `'''`, false},
		"in a comment":         {r("# "+r("[.", 1000)+"\n", 3) + "a = 1", false},
		"behind a string":      {`a = "x"` + "\nb = " + r("[", 1000), true},
		"behind a comment":     {"# '\na = " + r("[", 1000), true},
		"behind a long string": {`a = """x"""` + "\nb = " + r("[", 1000), true},
		"behind a cut string":  {"a = \"x\nb = " + r("[", 1000), true},
	} {
		var into map[string]any
		_, err := Decode(c.text, &into)
		if deep := errors.Is(err, errDeep); deep != c.deep || !deep && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzTooDeep(f *testing.F) {
	f.Add(`a = """x\`)
	f.Add("'")
	f.Add("#")
	f.Fuzz(func(t *testing.T, text string) { tooDeep(text) }) // ends, whatever it is given
}
