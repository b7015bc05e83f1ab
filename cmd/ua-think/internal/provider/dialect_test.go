package provider

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/internal/common/event"
	"ua/internal/test/modeltest"
)

// What holds for every server and every way to cut and mix what it sends:
//
//  1. Each call leaves once, whole, with its own name and input, in the order in which the
//     calls began. None leaves empty or twice.
//  2. The text and the thinking are what the model said, each in its own block.
//  3. A stream that breaks off lets out only calls that are among those meant, and says so
//     unless nothing that it began is missing.
//  4. How the bytes are split changes nothing (fuzzDecoder).

// meant are answers of a model.
func meant() [][]modeltest.Say {
	call := func(id, input string) modeltest.Say {
		return modeltest.Say{Kind: "tool", ID: id, Text: input}
	}
	return [][]modeltest.Say{
		{{Kind: "text", Text: "So it is: 4. </done>"}},
		{{Kind: "thinking", Text: "hm, {let} me \"see\" é"}, {Kind: "text", Text: "4\nor <5>"}},
		{call("a1", `{"command":"echo {1} \"}\" >>f"}`)},
		{{Kind: "text", Text: "I look"}, call("a1", `{"command":"echo one >>f"}`),
			call("b2", `{"command":"echo two >>f"}`)},
		{{Kind: "thinking", Text: "two"}, call("a1", `{"command":"date"}`),
			call("b2", `{"command":"date"}`),
			{Kind: "tool", ID: "c3", Name: "clock", Text: `{"zone":"UTC"}`}},
	}
}

// heard is an answer as it was decoded: its events in short, its blocks, its counts.
type heard struct {
	said  string
	calls []string
	a     *answer.Answer
	err   error
}

// hear decodes a stream.
func hear(t testing.TB, spec, stream string) (h heard) {
	t.Helper()
	var out bytes.Buffer
	h.a = newAnswer(event.NewOutbox(&out))
	h.err = model(t, spec).Decode(strings.NewReader(stream), h.a)
	h.a.Out.Close(0)
	for line := range strings.Lines(out.String()) {
		switch ev := gjson.Parse(line); ev.Get("type").Str {
		case "tool_call":
			h.calls = append(h.calls, ev.Get("name").Str+fmt.Sprint(ev.Get("input").Value()))
		case "error":
			h.said += "!" + ev.Get("message").Str
		}
	}
	if !gjson.ValidBytes(h.a.Content()) {
		t.Errorf("no JSON: %s", h.a.Content())
	}
	for _, b := range gjson.ParseBytes(h.a.Content()).Array() {
		switch typ := b.Get("type").Str; typ {
		case "text", "thinking":
			h.said += "<" + typ + ":" + b.Get(typ).Str + ">"
		}
	}
	return h
}

// A tongue is how one kind of server answers.
type tongue struct {
	name, spec string
	stream     func(*rand.Rand, ...modeltest.Say) []string
}

// tongues are the servers of the table, and the other servers of two more APIs.
func tongues() []tongue {
	list := []tongue{{"Messages", "anthropic/m", modeltest.OddMessages},
		{"Responses", "openai/m", modeltest.OddResponses}}
	for _, d := range modeltest.Dialects() {
		list = append(list, tongue{d.Name, "openai-chat/m", d.Stream})
	}
	return list
}

// checkDialects holds one stream of each server to the rules above.
func checkDialects(t testing.TB, seed uint64) {
	for _, d := range tongues() {
		for n, says := range meant() {
			if says[0].Kind == "thinking" && d.name == "Responses" {
				says = says[1:] // which carries it sealed
			}
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			events := d.stream(r, says...)
			var calls []string
			said := ""
			for _, s := range says {
				if s.Kind == "tool" {
					if s.Name == "" {
						s.Name = "shell"
					}
					calls = append(calls, s.Name+fmt.Sprint(gjson.Parse(s.Text).Value()))
				} else {
					said += "<" + s.Kind + ":" + s.Text + ">"
				}
			}
			stream := strings.Join(events, "")
			h := hear(t, d.spec, stream)
			if d.name == "Messages" { // a call leaves when its block ends
				slices.Sort(calls)
				slices.Sort(h.calls)
			}
			if h.err != nil || h.said != said || fmt.Sprint(h.calls) != fmt.Sprint(calls) ||
				h.a.Usage.Output != 42 || h.a.Usage.Prompt() != 30 {
				t.Fatalf("%s, seed %d, answer %d: %v, %s %q, want %s %q, %+v\n%s", d.name, seed, n, h.err,
					h.said, h.calls, said, calls, h.a.Usage, stream)
			}
			cut := hear(t, d.spec, strings.Join(events[:r.IntN(len(events))], ""))
			if len(cut.calls) > len(calls) || cut.err == nil && !strings.HasPrefix(said, strings.TrimSuffix(
				cut.said, ">")) {
				t.Fatalf("%s, seed %d: cut off it says %s %q\n%s", d.name, seed, cut.said, cut.calls, stream)
			}
			for _, c := range cut.calls {
				if !slices.Contains(calls, c) {
					t.Fatalf("%s, seed %d: cut off it calls %s\n%s", d.name, seed, c, stream)
				}
			}
		}
	}
}

func TestDialects(t *testing.T) {
	if n := len(modeltest.Dialects()); n < 12 {
		t.Errorf("%d servers", n)
	}
	for seed := range uint64(60) {
		checkDialects(t, seed)
	}
}

func FuzzDialects(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkDialects(t, seed) })
}
