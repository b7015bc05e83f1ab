package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTooDeep(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"empty":             {"", false},
		"at the limit":      {strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), false},
		"above the limit":   {strings.Repeat("[", MaxDepth+1), true},
		"objects":           {strings.Repeat(`{"a":`, MaxDepth+1), true},
		"in a string":       {`"` + strings.Repeat("[", 5000) + `"`, false},
		"behind an escape":  {`"\"` + strings.Repeat("[", 5000) + `"`, false},
		"no end":            {`"abc\`, false},
		"wide":              {"[" + strings.Repeat("[],", 5000) + "[]]", false},
		"behind the string": {`"\\"` + strings.Repeat("[", 5000), true},
	} {
		if got := TooDeep([]byte(c.text)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func FuzzValid(f *testing.F) {
	f.Add([]byte(`{"a":[1,"x\u00e9",null]}`))
	f.Add([]byte(strings.Repeat("[", 2000)))
	f.Fuzz(func(t *testing.T, text []byte) {
		if Valid(text) && !json.Valid([]byte(OneLine(string(text)))) {
			t.Errorf("%q is valid, on one line it is not", text)
		}
	})
}
