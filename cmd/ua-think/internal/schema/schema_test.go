package schema

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

const point = `{
  "type": "object",
  "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
  "required": ["x"]
}
`

// TestLoad reads schemas from files, and sends them on one line.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want, wrong string }{
		"a schema": {point, `{"type":"object",` +
			`"properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"required":["x"]}`, ""},
		"anything":           {"{}", "{}", ""},
		"true":               {"true", "true", ""},
		"no JSON":            {"{", "", "is not a JSON Schema"},
		"empty":              {"", "", "is not a JSON Schema"},
		"a type of no kind":  {`{"type":7}`, "", "is not a JSON Schema"},
		"a reference to air": {`{"$ref":"#/$defs/a"}`, "", "is not a JSON Schema"},
	} {
		path := filepath.Join(dir, name)
		os.WriteFile(path, []byte(c.text), 0o600)
		got, err := Load(path)
		if got != c.want || (err == nil) != (c.wrong == "") ||
			err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if _, err := Load(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(),
		"no such file") {
		t.Errorf("no file: %v", err)
	}
}

// TestCheck holds answers to a schema.
func TestCheck(t *testing.T) {
	for text, wrong := range map[string]string{
		`{"x":1}`: "", ` {"x":1,"y":2} `: "", `{"x":1,"z":"more"}`: "",
		`{"y":1}`: "x", `{"x":"1"}`: "integer", `[]`: "", `{"x":1} and more`: "it is not JSON",
		"":       "it is not JSON",
		`{"x":1`: "it is not JSON",
	} {
		var sink strings.Builder
		a := &answer.Answer{Out: event.NewOutbox(&sink), Limits: answer.Limits{Event: 1000, Text: 1000}}
		thought := gjson.Parse(`"a thought is not an answer"`)
		if err := a.SayThinking(thought); err != nil {
			t.Fatal(err)
		}
		for _, piece := range []string{text[:len(text)/2], text[len(text)/2:]} {
			if err := a.SayText(gjson.Parse(strconv.Quote(piece))); err != nil {
				t.Fatal(err)
			}
		}
		a.Finish()
		a.Out.Close(0)
		f := Check(point, a)
		if fits := text == `{"x":1}` || strings.HasPrefix(strings.TrimSpace(text),
			`{"x":1,`); fits != (f == nil) {
			t.Errorf("%q: %+v", text, f)
		} else if f != nil && (!strings.Contains(f.Msg, wrong) || f.Status != prog.No || f.Retry) {
			t.Errorf("%q: %+v", text, f)
		}
	}
}
