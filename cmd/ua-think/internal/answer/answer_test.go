package answer

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/outbox"
)

// newAnswer is an answer that writes to out.
func newAnswer(out *bytes.Buffer) *Answer {
	return &Answer{Out: outbox.New(out), Limits: Limits{Event: 1000, Text: 1000},
		IDs: map[string]bool{"old": true}}
}

// TestManyCalls: a hundred thousand calls that begin take no time to tell apart.
func TestManyCalls(t *testing.T) {
	a := newAnswer(new(bytes.Buffer))
	for range 100_000 {
		a.Call("same", "shell")
	}
	if n := len(a.Blocks); n != 100_000 || a.Blocks[0].ID != "same" || a.Blocks[1].ID == "same" {
		t.Errorf("%d blocks", n)
	}
}

// TestCalls: a call leaves when its input is whole, as one line, under an id of
// its own; what is no object is answered by an error.
func TestCalls(t *testing.T) {
	for input, want := range map[string]string{
		"": "{}", " \n": "{}", `{"a":1}`: `{"a":1}`, "{\n \"a\": [1,\r\n2]}": `{"a":[1,2]}`,
		`{"a":"b\nc"}`:     `{"a":"b\nc"}`,
		"{\"a\":\"\xff\"}": "{\"a\":\"\ufffd\"}", `[1]`: "", `"x"`: "", `{"a":`: "", `{"a":1}{}`: "",
		"nul": "",
		`{"a":` + strings.Repeat("[", 490) + strings.Repeat("]", 490) + "}": `{"a":` +
			strings.Repeat("[", 490) + strings.Repeat("]", 490) + "}",
	} {
		var out bytes.Buffer
		a := newAnswer(&out)
		a.Limits.Event = 1 << 20
		for _, id := range []string{"old", "", "same", "same"} {
			b := a.Call(id, "shell")
			for _, piece := range []string{input[:len(input)/2], input[len(input)/2:]} {
				if err := a.FeedJSON(b, piece); err != nil {
					t.Fatal(err)
				}
			}
			a.Close(b)
			a.Close(b) // once is enough
		}
		a.Out.Close(0)
		ids := map[string]bool{}
		for line := range strings.Lines(out.String()) {
			ev := gjson.Parse(line)
			if id := ev.Get("id").Str + ev.Get("call_id").Str; id == "" || id == "old" || ids[id] {
				t.Errorf("%q: id %q", input, id)
			} else {
				ids[id] = true
			}
			if want != "" && ev.Get("input").Raw != want || want == "" && ev.Get("type").Str != "error" {
				t.Errorf("%q: %s", input, line)
			}
		}
		if content := string(bytes.Join(a.Content(), nil)); len(ids) != 4 || !gjson.Valid(content) ||
			gjson.Get(content, "#").Int() != 4 {
			t.Errorf("%q: %v %s", input, ids, content)
		}
	}
}

// TestThoughts: between two thoughts stands a newline, within one none.
func TestThoughts(t *testing.T) {
	var out bytes.Buffer
	a := newAnswer(&out)
	for _, thought := range []string{"first", "second"} {
		b := a.Open(Thinking)
		for _, piece := range []string{"", thought[:2], thought[2:]} {
			if err := a.Say(b, gjson.Parse(`"`+piece+`"`)); err != nil {
				t.Fatal(err)
			}
		}
		a.Close(b)
	}
	a.Out.Close(0)
	said := ""
	for line := range strings.Lines(out.String()) {
		said += gjson.Get(line, "text").Str
	}
	if content := string(bytes.Join(a.Content(), nil)); said != "first\nsecond" ||
		content != `[{"type":"thinking","thinking":"first"},{"type":"thinking","thinking":"second"}]` {
		t.Errorf("%q %s", said, content)
	}
}

// TestContent: of an answer that broke off, text stays and half a call does not.
func TestContent(t *testing.T) {
	var out bytes.Buffer
	a := newAnswer(&out)
	a.SayThinking(gjson.Parse(`"hm"`))
	a.Last(Thinking).Keep("signature", `"sig"`)
	a.SayText(gjson.Parse(`"so é\n"`))
	a.FeedJSON(a.Call("c1", "shell"), `{"command":`)
	a.Open(Unknown)
	want := `[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"text","text":"so é\n"}]`
	if got := string(bytes.Join(a.Content(), nil)); got != want {
		t.Errorf("%s", got)
	}
	a.Out.Close(0)
	if empty := string(bytes.Join((&Answer{}).Content(), nil)); empty != "[]" {
		t.Errorf("%s", empty)
	}
}

// TestLimits: text and input over a limit end the answer.
func TestLimits(t *testing.T) {
	var out bytes.Buffer
	a := newAnswer(&out)
	defer a.Out.Close(0)
	long := gjson.Parse(`"` + strings.Repeat("x", 600) + `"`)
	if a.SayText(long) != nil || a.SayText(long) == nil {
		t.Error("the limit of the text does not hold")
	}
	b := a.Call("c", "shell")
	if a.Feed(b, long) != nil || a.Replace(b, long) != nil || a.Feed(b, long) == nil {
		t.Error("the limit of the inputs does not hold")
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int]string{0: "0 bytes", 2000: "2000 bytes", 10 << 20: "10 MiB",
		1<<20 + 1: "1048577 bytes"} {
		if got := Size(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
