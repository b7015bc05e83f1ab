package journal

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ua/internal/common/event"
)

// sample is a journal of n turns, each with one call.
func sample(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"run","id":"x"}` + "\n" + `{"type":"system","text":"s"}` + "\n" +
		`{"type":"instruction","text":"task"}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `{"type":"turn","n":%d}`+"\n", i)
		fmt.Fprintf(&b, `{"type":"tool_call","id":"c%d","name":"shell","input":{"command":"true"}}`+"\n",
			i)
		fmt.Fprintf(&b, `{"type":"verdict","call_id":"c%d"}`+"\n", i)
		fmt.Fprintf(&b, `{"type":"tool_result","call_id":"c%d","output":%q,"prev":"%032x"}`+"\n", i,
			strings.Repeat("x", 300), i)
		fmt.Fprintf(&b, `{"type":"response","content":[]}`+"\n")
	}
	return b.String()
}

func TestConversationGrowsBetweenCuts(t *testing.T) {
	var last []byte
	cuts := 0
	for n := range 60 {
		text := sample(n)
		lines, err := Conversation(strings.NewReader(text), int64(len(text)), 1000, func(err error) {
			t.Error(err)
		})
		if err != nil {
			t.Fatal(err)
		}
		all := bytes.Join(lines, []byte("\n"))
		if len(all) > 1000*bytesPerToken+500 {
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
		if event.Type(lines[0]) != "run" || event.Type(lines[2]) != "instruction" ||
			bytes.Contains(all, []byte(`"prev"`)) {
			t.Fatalf("%d turns: %s", n, all)
		}
	}
	if cuts < 5 || cuts > 20 {
		t.Errorf("%d cuts in 60 turns", cuts)
	}
}

// The conversation of a journal of one size begins as the one of a smaller size
// with the same cut, whatever the turns' lengths.
func TestBoundaryIsStable(t *testing.T) {
	var text strings.Builder
	text.WriteString(sample(0))
	var last []byte
	cut := int64(0)
	for n := range 300 {
		fmt.Fprintf(&text, `{"type":"turn","n":%d}`+"\n"+
			`{"type":"tool_call","id":"c%d"}`+"\n"+
			`{"type":"tool_result","call_id":"c%d","output":%q}`+"\n"+`{"type":"response"}`+"\n",
			n, n, n, strings.Repeat("x", n*n*7919%9000))
		lines, err := Conversation(strings.NewReader(text.String()), int64(text.Len()), 1000,
			func(err error) {
				t.Error(err)
			})
		if err != nil {
			t.Fatal(err)
		}
		all := bytes.Join(lines, []byte("\n"))
		if now := Cut(int64(text.Len()), 1000); now == cut && !bytes.HasPrefix(all, last) {
			t.Fatalf("turn %d: the conversation does not go on from the one before", n)
		} else {
			cut, last = now, all
		}
		if !bytes.HasSuffix(all, []byte("\n"+`{"type":"response"}`)) ||
			!bytes.Contains(all, fmt.Appendf(nil, `"id":"c%d"`, n)) {
			t.Fatalf("turn %d is not whole", n)
		}
	}
}

func TestOneHugeTurn(t *testing.T) {
	text := sample(3) + `{"type":"tool_call","id":"big"}` + "\n" +
		`{"type":"tool_result","call_id":"big","output":"` + strings.Repeat("y", 100000) + `"}` + "\n"
	lines, err := Conversation(strings.NewReader(text), int64(len(text)), 1000, func(error) {})
	if err != nil || event.Str(lines[len(lines)-1], "call_id") != "big" ||
		event.Str(lines[len(lines)-2], "id") != "big" {
		t.Errorf("%d lines, %v", len(lines), err)
	}
}

func FuzzConversation(f *testing.F) {
	f.Add(sample(5), 100)
	f.Fuzz(func(t *testing.T, text string, budget int) {
		if _, err := Conversation(strings.NewReader(text), int64(len(text)), budget,
			func(error) {}); err != nil {
			t.Error(err)
		}
	})
}

// types is each line's type, with its id or text where it has one.
func types(lines [][]byte) string {
	var list []string
	for _, line := range lines {
		list = append(list, strings.TrimSuffix(event.Type(line)+":"+event.Str(line, "id")+event.Str(line,
			"mark"), ":"))
	}
	return strings.Join(list, " ")
}

func TestCheckpoint(t *testing.T) {
	start := `{"type":"run","id":"x"}` + "\n" + `{"type":"instruction","mark":"i1"}` + "\n"
	turn := func(n int) string {
		return fmt.Sprintf(`{"type":"turn","n":%d}`+"\n"+
			`{"type":"tool_call","id":"c%d"}`+"\n"+
			`{"type":"tool_result","call_id":"c%d"}`+"\n"+`{"type":"response"}`+"\n", n, n, n)
	}
	one := start + turn(1)
	two := one + `{"type":"instruction","mark":"i2"}` + "\n" + turn(2)
	point := func(mark string, upto int) string {
		return fmt.Sprintf(`{"type":"checkpoint","mark":"%s","upto":%d}`+"\n", mark, upto)
	}
	for _, c := range []struct{ name, text, want string }{
		{"without upto it stands for all before it",
			one + `{"type":"checkpoint","mark":"p"}` + "\n" + turn(2),
			"run:x instruction:i1 checkpoint:p tool_call:c2 tool_result response"},
		{"upto keeps what follows it", one + turn(2) + point("p", len(one)) + turn(3),
			"run:x instruction:i1 checkpoint:p tool_call:c2 tool_result response tool_call:c3 " +
				"tool_result response"},
		{"the newest one stands", one + point("p", len(one)) + turn(2) + point("q", len(one)) + turn(3),
			"run:x instruction:i1 checkpoint:q tool_call:c2 tool_result response tool_call:c3 " +
				"tool_result response"},
		{"the newest instruction stays", two + point("p", len(two)) + turn(3),
			"run:x instruction:i1 checkpoint:p instruction:i2 tool_call:c3 tool_result response"},
		{"one that points nowhere stands for nothing", one + point("p", 7) + turn(2),
			"run:x instruction:i1 tool_call:c1 tool_result response tool_call:c2 tool_result response"},
	} {
		lines, err := Conversation(strings.NewReader(c.text), int64(len(c.text)), 0, func(err error) {
			t.Error(err)
		})
		if got := types(lines); err != nil || got != c.want {
			t.Errorf("%s:\n got %s\nwant %s (%v)", c.name, got, c.want, err)
		}
	}
}

// A checkpoint that covers less than what the budget cuts is followed by a word
// about the rest.
func TestCheckpointBeforeCut(t *testing.T) {
	text := sample(2)
	text += fmt.Sprintf(`{"type":"checkpoint","text":"summary","upto":%d}`, len(text)) + "\n" +
		strings.TrimPrefix(sample(20), sample(0))
	lines, err := Conversation(strings.NewReader(text), int64(len(text)), 1000, func(err error) {
		t.Error(err)
	})
	if err != nil || event.Str(lines[3], "text") != "summary\n"+leftOut ||
		event.Type(lines[4]) != "tool_call" {
		t.Errorf("%s %v", types(lines), err)
	}
}

func TestBoundary(t *testing.T) {
	for _, c := range []struct{ types, want, last string }{
		{"run instruction turn tool_call verdict tool_result response turn response",
			"instruction turn turn", "turn"},
		{"run instruction tool_call tool_result response tool_call tool_result response",
			"instruction tool_call", "tool_call"},
		{"run instruction tool_call response verdict tool_result message turn",
			"instruction message turn", "message"},
		{"run instruction response error instruction response summary",
			"instruction instruction summary", "summary"},
		{"run turn tool_call turn tool_call tool_result", "turn turn", "turn"},
	} {
		var text strings.Builder
		at := map[int64]string{}
		for _, typ := range strings.Fields(c.types) {
			at[int64(text.Len())] = typ
			fmt.Fprintf(&text, `{"type":"%s"}`+"\n", typ)
		}
		j, size := strings.NewReader(text.String()), int64(text.Len())
		var got []string
		last := int64(0)
		for from := int64(1); ; from = last + 1 {
			next, err := nextTurn(j, from, size, size)
			if err != nil || next < 0 {
				break
			}
			// nextTurn from within a turn does not see what stands before.
			got, last = append(got, at[next]), next
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.types, got, c.want)
		}
		if end, err := lastTurn(j, size); err != nil || at[end] != c.last {
			t.Errorf("%s: the last turn is %s (%v)", c.types, at[end], err)
		}
	}
}

func TestBackward(t *testing.T) {
	long := strings.Repeat("z", 300<<10)
	for _, text := range []string{"", "\n", "a", "a\n", "a\nb", "a\n\nb\n", "\n\n",
		long + "\na\n" + long + "\n", strings.Repeat("abc\n", 60000)} {
		want := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if text == "" {
			want = nil
		}
		var got []string
		err := Backward(strings.NewReader(text), int64(len(text)), func(line []byte, at int64) bool {
			if !strings.HasPrefix(text[at:], string(line)) {
				t.Fatalf("%.20q: %.20q is not at %d", text, line, at)
			}
			got = append(got, string(line))
			return true
		})
		slices.Reverse(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%.20q: %d lines, want %d (%v)", text, len(got), len(want), err)
		}
	}
}

func FuzzBackward(f *testing.F) {
	f.Add("a\n\nb")
	f.Fuzz(func(t *testing.T, text string) {
		end := int64(len(text))
		Backward(strings.NewReader(text), int64(len(text)), func(line []byte, at int64) bool {
			if stop := at + int64(len(line)); stop != end && (stop+1 != end || text[stop] != '\n') {
				t.Fatalf("%q: a line at [%d,%d) before %d", text, at, stop, end)
			}
			end = at
			return true
		})
		if end != 0 {
			t.Fatalf("%q: stopped at %d", text, end)
		}
	})
}

// A zeros reads as two short lines with a line of zeros between them, and knows the
// largest part of it that was asked for.
type zeros struct {
	size int64
	most int
}

func (z *zeros) ReadAt(p []byte, at int64) (int, error) {
	z.most = max(z.most, len(p))
	clear(p)
	for i, c := range map[int64]byte{
		0: 'a', 1: '\n', z.size - 3: '\n', z.size - 2: 'b', z.size - 1: '\n',
	} {
		if i >= at && i < at+int64(len(p)) {
			p[i-at] = c
		}
	}
	return len(p), nil
}

// TestBackwardLongLine passes over a line that no event can be, without gathering it.
func TestBackwardLongLine(t *testing.T) {
	z := &zeros{size: 6 * event.MaxLine}
	var got []string
	var at []int64
	err := Backward(z, z.size, func(line []byte, offset int64) bool {
		got, at = append(got, string(line)), append(at, offset)
		return true
	})
	if err != nil || !slices.Equal(got, []string{"b", "", "a"}) ||
		!slices.Equal(at, []int64{z.size - 2, 2, 0}) || z.most > 2*event.MaxLine {
		t.Errorf("%q at %d, %d bytes at once: %v", got, at, z.most, err)
	}
}
