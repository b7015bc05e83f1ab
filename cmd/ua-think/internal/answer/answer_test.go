package answer

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// newAnswer is an answer that writes to out.
func newAnswer(out *bytes.Buffer) *Answer {
	return &Answer{Out: event.NewOutbox(out), Limits: Limits{Event: 1000, Text: 1000},
		IDs: map[string]bool{"old": true}}
}

// call is a call that begins, at a place of its own.
func call(a *Answer, id, name string) *Block {
	b, err := a.Add(Piece{Index: strconv.Itoa(len(a.Blocks)), ID: id, Name: name})
	if err != nil {
		panic(err)
	}
	return b
}

// text is a text as it comes in a stream.
func text(s string) gjson.Result { return gjson.Result{Type: gjson.String, Str: s} }

// TestManyCalls: a hundred thousand calls take no time to tell apart.
func TestManyCalls(t *testing.T) {
	for _, id := range []string{"same", "", "own"} {
		a := newAnswer(new(bytes.Buffer))
		a.Limits.Event = 16 << 20
		for n := range 100_000 {
			p := Piece{ID: id, Name: "shell" + strconv.Itoa(n), Args: text(`{"a":` + strconv.Itoa(n) + `}`)}
			if id == "own" {
				p.ID, p.Args = strconv.Itoa(n), text("")
			}
			if _, err := a.Add(p); err != nil {
				t.Fatal(err)
			}
		}
		a.Stop = EndTurn
		a.Finish()
		if n := len(a.Blocks); n != 100_000 || a.Calls != n {
			t.Errorf("%d blocks, %d calls", n, a.Calls)
		}
		a.Out.Close(0)
	}
}

// TestCalls: a call leaves when its input is whole, as one line, under an id of
// its own; what is no object is answered by an error.
func TestCalls(t *testing.T) {
	for input, want := range map[string]string{
		"": "{}", " \n": "{}", `{"a":1}`: `{"a":1}`, "{\n \"a\": [1,\r\n2]}": `{"a":[1,2]}`,
		`{"a":"b\nc"}`:     `{"a":"b\nc"}`,
		"{\"a\":\"\xff\"}": "{\"a\":\"\ufffd\"}", `[1]`: "", `"x"`: "", `{"a":`: "", `{"a":1}}`: "",
		"nul": "", `"{\"a\":1}"`: `{"a":1}`, "{\"a\":\"x\ny\"}": "",
		`{"a":` + strings.Repeat("[", 490) + strings.Repeat("]", 490) + "}": `{"a":` +
			strings.Repeat("[", 490) + strings.Repeat("]", 490) + "}",
	} {
		var out bytes.Buffer
		a := newAnswer(&out)
		a.Limits.Event = 1 << 20
		for _, id := range []string{"", "old", "same", "other"} {
			b := call(a, id, "shell")
			for _, piece := range []string{input[:len(input)/2], input[len(input)/2:]} {
				if err := a.Feed(b, text(piece)); err != nil {
					t.Fatal(err)
				}
			}
			a.Close(b)
			a.Close(b) // once is enough
		}
		a.Stop = EndTurn
		a.Finish()
		a.Out.Close(0)
		ids := map[string]bool{}
		for line := range strings.Lines(out.String()) {
			ev := gjson.Parse(line)
			if ev.Get("kind").Str == "call_end" {
				continue
			}
			if id := ev.Get("id").Str + ev.Get("call_id").Str; id == "" || id == "old" || ids[id] {
				t.Errorf("%q: id %q", input, id)
			} else {
				ids[id] = true
			}
			if want != "" && ev.Get("input").Raw != want || want == "" && ev.Get("type").Str != "error" {
				t.Errorf("%q: %s", input, line)
			}
		}
		if content := string(a.Content()); len(ids) != 4 || !gjson.Valid(content) ||
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
	if content := string(a.Content()); said != "first\nsecond" ||
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
	a.Feed(call(a, "c1", "shell"), text(`{"command":`))
	a.Open(Unknown)
	want := `[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"text","text":"so é\n"}]`
	if got := string(a.Content()); got != want {
		t.Errorf("%s", got)
	}
	a.Out.Close(0)
	if empty := string((&Answer{}).Content()); empty != "[]" {
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
	b := call(a, "c", "shell")
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
