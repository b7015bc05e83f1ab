package journal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ua/internal/common/event"
)

// sample is a journal of n turns, each with one call.
func sample(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"run","id":"x"}` + "\n" + `{"type":"system","text":"s"}` + "\n" + `{"type":"instruction","text":"task"}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `{"type":"turn","n":%d}`+"\n", i)
		fmt.Fprintf(&b, `{"type":"tool_call","id":"c%d","name":"shell","input":{"command":"true"}}`+"\n", i)
		fmt.Fprintf(&b, `{"type":"verdict","call_id":"c%d"}`+"\n", i)
		fmt.Fprintf(&b, `{"type":"tool_result","call_id":"c%d","output":%q,"prev":"%032x"}`+"\n", i, strings.Repeat("x", 300), i)
		fmt.Fprintf(&b, `{"type":"response","content":[]}`+"\n")
	}
	return b.String()
}

func TestConversationGrowsBetweenCuts(t *testing.T) {
	var last []byte
	cuts := 0
	for n := range 60 {
		text := sample(n)
		lines, err := Conversation(strings.NewReader(text), int64(len(text)), 1000, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		all := bytes.Join(lines, []byte("\n"))
		if len(all) > 1000*BytesPerToken+500 {
			t.Fatalf("%d turns: %d bytes", n, len(all))
		}
		if !bytes.HasPrefix(all, last) {
			cuts++
		}
		last = all
		open := map[string]bool{}
		for _, line := range lines {
			switch event.Type(line) {
			case "tool_call":
				open[event.Str(line, "id")] = true
			case "tool_result":
				if !open[event.Str(line, "call_id")] {
					t.Fatalf("%d turns: a result without its call", n)
				}
			}
		}
		if event.Type(lines[0]) != "run" || event.Type(lines[2]) != "instruction" || bytes.Contains(all, []byte(`"prev"`)) {
			t.Fatalf("%d turns: %s", n, all)
		}
	}
	if cuts < 5 || cuts > 20 {
		t.Errorf("%d cuts in 60 turns", cuts)
	}
}

func TestOneHugeTurn(t *testing.T) {
	text := sample(3) + `{"type":"tool_call","id":"big"}` + "\n" + `{"type":"tool_result","call_id":"big","output":"` + strings.Repeat("y", 100000) + `"}` + "\n"
	lines, err := Conversation(strings.NewReader(text), int64(len(text)), 1000, func(error) {})
	if err != nil || event.Str(lines[len(lines)-1], "call_id") != "big" || event.Str(lines[len(lines)-2], "id") != "big" {
		t.Errorf("%d lines, %v", len(lines), err)
	}
}

func FuzzConversation(f *testing.F) {
	f.Add(sample(5), 100)
	f.Fuzz(func(t *testing.T, text string, budget int) {
		if _, err := Conversation(strings.NewReader(text), int64(len(text)), budget, func(error) {}); err != nil {
			t.Error(err)
		}
	})
}
