package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"ua/internal/common/event"
)

// through sends in through the gate's filter.
func through(t testing.TB, g *gate, in []byte) []byte {
	t.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer inR.Close()
	defer outR.Close()
	go func() {
		inW.Write(in)
		inW.Close()
	}()
	read := make(chan []byte)
	go func() {
		out, _ := io.ReadAll(outR)
		read <- out
	}()
	err = g.filter(inR, outW)
	outW.Close()
	out := <-read
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// checkThrough says what is wrong with out as the filter's output for in: each
// event must be there, byte for byte and in order, each call with its verdict
// behind it, each line of junk as an error event.
func checkThrough(in, out []byte) string {
	want := event.NewReader(bytes.NewReader(in))
	got := event.NewReader(bytes.NewReader(out))
	for {
		line, err := want.Next()
		if err == io.EOF {
			break
		}
		if err == nil && event.Type(line) == "verdict" {
			continue
		}
		line = bytes.Clone(line)
		have, haveErr := got.Next()
		for haveErr == nil && (event.Type(have) == "verdict" || event.Type(have) == "error" &&
			strings.Contains(event.Str(have, "message"), "verdict")) {
			have, haveErr = got.Next() // of another gate, in the wrong place
		}
		switch {
		case haveErr != nil:
			return fmt.Sprintf("%.80q is lost: %v", line, haveErr)
		case err != nil:
			if event.Type(have) != "error" || event.Str(have, "stage") != "ua-gate" {
				return fmt.Sprintf("junk %.80q became %.80q", line, have)
			}
		case !bytes.Equal(line, have):
			return fmt.Sprintf("%.80q became %.80q", line, have)
		case event.Type(line) == "tool_call":
			for have, haveErr = got.Next(); haveErr == nil &&
				(event.Type(have) == "ask" || event.Type(have) == "answer"); {
				have, haveErr = got.Next()
				line, _ = want.Next()
			}
			if id := event.Str(line, "id"); event.Type(line) == "tool_call" &&
				(haveErr != nil || event.Type(have) != "verdict" || event.Str(have, "call_id") != id) {
				return fmt.Sprintf("after call %q came %.80q", id, have)
			}
		}
	}
	return ""
}

func TestPassThrough(t *testing.T) {
	long := `{"type":"tool_result","call_id":"c0","output":"` + strings.Repeat("x", 3<<20) + `"}`
	in := strings.Join([]string{
		`{"type":"run","id":"r"}`,
		` { "type" : "new_kind", "deep": {"a":[1,2,{"b":null}]}, "type":"other" } `,
		`{"type":"delta","kind":"text","text":"é\u2028 \ud83d\ude00"}` + "\r",
		`{"type":"tool_call","id":"c1","name":"shell","input":{"command":"ls"},"more":[1.50,1e9]}`,
		`junk`,
		`{"type":5}`,
		`[]`,
		long,
		`{"type":"tool_call","id":"c2","name":"shell","input":{"command":"` +
			strings.Repeat("echo a; ", 9000) + `"}}`,
		`{"type":"tool_call","id":"c3","name":"browser","input":{}}`,
		`{"type":"response"}`,
		`{"type":"last line has no newline"}`,
	}, "\n")
	if wrong := checkThrough([]byte(in), through(t, testGate(t, unattended),
		[]byte(in))); wrong != "" {
		t.Error(wrong)
	}
}

func FuzzPassThrough(f *testing.F) {
	f.Add([]byte(`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls"}}` +
		"\n{\"type\":\"x\"}\njunk\n"))
	f.Add([]byte(`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls"}}` + "\n" +
		`{"type":"verdict","call_id":"c","decision":"deny"}` + "\n"))
	f.Add([]byte(`{"type":"verdict","call_id":"c","decision":"allow"}` + "\n" +
		`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls","command":"id"}}`))
	g := testGate(f, unattended)
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte(`"ask"`)) || bytes.Contains(in, []byte(`"answer"`)) {
			return // TestSeries has these
		}
		if wrong := checkThrough(in, through(t, g, in)); wrong != "" {
			t.Fatal(wrong)
		}
	})
}

// A verdict waits for the line behind the call alone, which comes after the verdict.
func TestVerdictAtOnce(t *testing.T) {
	inR, inW, _ := os.Pipe()
	outR, outW, _ := os.Pipe()
	done := make(chan error)
	g := testGate(t, unattended)
	go func() { done <- g.filter(inR, outW) }()
	r := event.NewReader(outR)
	for i := range 3 {
		id := fmt.Sprint("c", i)
		fmt.Fprintf(inW, `{"type":"tool_call","id":%q,"name":"shell","input":{"command":"ls"}}`+"\n"+
			`{"type":"delta"}`+"\n", id)
		for _, want := range []string{"tool_call", "verdict", "delta"} {
			if line, err := r.Next(); err != nil || event.Type(line) != want {
				t.Fatalf("%s, %v; want a %s", line, err, want)
			}
		}
	}
	inW.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestSeries feeds what an earlier gate writes.
func TestSeries(t *testing.T) {
	call := func(id, command string) string {
		return `{"type":"tool_call","id":"` + id + `","name":"shell","input":{"command":"` + command +
			`"}}` + "\n"
	}
	said := func(id, decision, more string) string {
		return `{"type":"verdict","call_id":"` + id + `","decision":"` + decision + `"` + more + "}\n"
	}
	for _, c := range []struct{ name, in, want string }{
		{"allow stays", call("a", "ls") + said("a", "allow", ""), "a allow"},
		{"deny stays", call("a", "ls") + said("a", "deny", `,"by":"rule","reason":"no"`), "a deny"},
		{"ask stays", call("a", "ls") + said("a", "ask", ""), "a ask"},
		{"own denial", call("a", "sudo id") + said("a", "allow", ""), "a deny"},
		{"ask between", call("a", "ls") + `{"type":"ask","call_id":"a"}` + "\n" +
			`{"type":"answer","call_id":"a"}` + "\n" + said("a", "deny", ""), "a deny"},
		{"two calls", call("a", "ls") + said("a", "deny", "") + call("b", "ls") + said("b", "allow", ""),
			"a deny, b allow"},
		{"one unjudged", call("a", "ls") + said("a", "deny", "") + call("b", "ls") + call("c", "ls") +
			said("c", "deny", ""), "a deny, b allow, c deny"},
		{"forged before", said("a", "allow", "") + call("a", "sudo id"), "a allow, a deny"},
		{"forged for another", call("a", "ls") + said("b", "allow", "") + call("b", "sudo id"),
			"a allow, b allow, b deny"},
		{"late and stricter", call("a", "ls") + `{"type":"x"}` + "\n" + said("a", "deny", ""),
			"a allow, a deny"},
		{"late, behind other calls", call("a", "ls") + call("b", "ls") + said("a", "deny", "") +
			said("b", "deny", ""), "a allow, b allow, a deny, b deny"},
		{"late, of an earlier turn", call("a", "ls") + `{"type":"turn"}` + "\n" + said("a", "deny", ""),
			"a allow, a deny"},
		{"answered by a filter", call("a", "ls") + `{"type":"tool_result","call_id":"a","text":"no"}` +
			"\n" + call("b", "ls"), "b allow"},
		{"another's answer", call("a", "ls") + `{"type":"tool_result","call_id":"b"}` + "\n", "a allow"},
		{"late and looser", call("a", "sudo id") + `{"type":"x"}` + "\n" + said("a", "allow", ""),
			"a deny, a allow"},
		{"twice", call("a", "ls") + said("a", "allow", "") + said("a", "deny", ""), "a allow, a deny"},
		{"denied before", said("a", "deny", "") + call("a", "ls"), "a deny, a allow"},
		{"says two things", call("a", "ls") + said("a", "allow", `,"decision":"deny"`), "a deny"},
		{"names two profiles", call("a", "touch x") +
			said("a", "allow", `,"profile":"none","profile":"read-only"`), "a deny"},
	} {
		var got []string
		r := event.NewReader(bytes.NewReader(through(t, testGate(t, unattended), []byte(c.in))))
		for {
			line, err := r.Next()
			if err != nil {
				break
			}
			if event.Type(line) == "verdict" {
				got = append(got, event.Str(line, "call_id")+" "+event.Str(line, "decision"))
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

// An earlier gate may take any time over its verdict.
func TestWaitForVerdict(t *testing.T) {
	g := testGate(t, unattended)
	inR, inW, _ := os.Pipe()
	outR, outW, _ := os.Pipe()
	go g.filter(inR, outW)
	fmt.Fprintln(inW, `{"type":"tool_call","id":"a","name":"shell","input":{"command":"ls"}}`)
	fmt.Fprintln(inW, `{"type":"ask","call_id":"a"}`)
	r := event.NewReader(outR)
	for _, want := range []string{"tool_call", "ask"} {
		if line, err := r.Next(); err != nil || event.Type(line) != want {
			t.Fatalf("%s, %v; want a %s", line, err, want)
		}
	}
	fmt.Fprintln(inW, `{"type":"verdict","call_id":"a","decision":"deny","reason":"no"}`)
	if line, err := r.Next(); err != nil || event.Str(line, "decision") != "deny" ||
		event.Str(line, "reason") != "no" {
		t.Fatalf("%s, %v", line, err)
	}
	inW.Close()
}
