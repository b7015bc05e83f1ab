package tool

import (
	"encoding/json"
	"strings"
	"testing"
)

const schema = `{"type":"object","required":["s"],"properties":{
 "s":{"type":"string"},"n":{"type":"integer"},"b":{"type":"boolean"},"l":{"type":"array"},
 "o":{"type":"object"},"any":{"anyOf":[{"type":"string"},{"type":"number"}]},
 "json":{"type":"string"},
 "bad":7}}`

// decoded returns a schema as the protocol's client has it.
func decoded(t testing.TB, text string) (v any) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ words, stdin, want string }{
		{"--s|a b", "", `{"s":"a b"}`},
		{"--s=--n|--n|4", "", `{"n":4,"s":"--n"}`},
		{"--s|1|--n|123456789012345678901", "", `{"n":123456789012345678901,"s":"1"}`},
		{"--b|--s|x", "", `{"b":true,"s":"x"}`},
		{"--s|x|--b|false", "", `{"b":false,"s":"x"}`},
		{"--s|x|--l|one|--l|two", "", `{"l":["one","two"],"s":"x"}`},
		{"--s|x|--l|[1,2]|--l|3 4", "", `{"l":[1,2,"3 4"],"s":"x"}`},
		{"--s|x|--o|{\"a\":1}", "", `{"o":{"a":1},"s":"x"}`},
		{"--s|x|--any|7", "", `{"any":7,"s":"x"}`},
		{"--s|x|--any|seven", "", `{"any":"seven","s":"x"}`},
		{"--s|x|--json|y", "", `{"json":"y","s":"x"}`}, // its own
		{"--s|x|--destroys", "", `{"s":"x"}`},
		{"-", `{"s":"in","more":[1]}`, `{"more":[1],"s":"in"}`},
		{"-|--s|over", `{"s":"in"}`, `{"s":"over"}`},
		{"", "", "--s is missing"},
		{"-", "[]", "want a JSON object"},
		{"-", "null", "want a JSON object"},
		{"--s", "", "--s needs a value"},
		{"--s|x|--n|1 2", "", "is no number"},
		{"--s|x|--n|x", "", "is no number"},
		{"--s|x|--b=maybe", "", "want true or false"},
		{"--s|x|--o|[]", "", "want a JSON object"},
		{"--s|x|stray", "", `"stray": no such argument`},
		{"--s|x|--t|y", "", `"--t": no such argument`},
	} {
		var words []string
		if c.words != "" {
			words = strings.Split(c.words, "|")
		}
		a, err := parse(properties(decoded(t, schema)), words, c.stdin)
		got, _ := json.Marshal(a.values)
		if err != nil {
			got = []byte(err.Error())
		}
		if string(got) != c.want && (err == nil || !strings.Contains(string(got), c.want)) {
			t.Errorf("%s: %s, want %s", c.words, got, c.want)
		}
	}
}

// What no schema should be is no reason to end.
func TestProperties(t *testing.T) {
	for _, text := range []string{"null", "[]", "7", `{"properties":[]}`, `{"required":"s"}`,
		`{"properties":{"a":null,"b":{"type":["string","null"],"enum":7}}}`} {
		for _, p := range properties(decoded(t, text)) {
			if p.kind != "JSON" {
				t.Errorf("%s: %+v", text, p)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(schema, "--s|x|--l|[", "{}")
	f.Fuzz(func(t *testing.T, schema, words, stdin string) {
		var v any
		if json.Unmarshal([]byte(schema), &v) != nil {
			return
		}
		a, err := parse(properties(v), strings.Split(words, "|"), stdin)
		if _, bad := json.Marshal(a.values); err == nil && bad != nil {
			t.Errorf("%v", bad)
		}
	})
}
