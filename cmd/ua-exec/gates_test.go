package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// judged is a verdict for the call c1 of the tests below.
func judged(decision, profile, more string) string {
	const form = `{"type":"verdict","call_id":"c1","risk":"write","decision":%q,"profile":%q%s}`
	return fmt.Sprintf(form, decision, profile, more) + "\n"
}

// TestSeries has several stages say something of one call, in every order: exactly one verdict
// stands behind it, or it does not run.
func TestSeries(t *testing.T) {
	const (
		call = `{"type":"tool_call","id":"c1","name":"shell","input":{"command":"touch ran; echo ` +
			`hello"}}` + "\n"
		answer = `{"type":"tool_result","call_id":"c1","output":"mine"}` + "\n"
		end    = `{"type":"response"}` + "\n"
	)
	allow, deny, ask := judged("allow", "workspace", ""),
		judged("deny", "workspace", `,"reason":"not here"`), judged("ask", "workspace", "")
	for _, c := range []struct {
		says   []string
		status string // of ua-exec's own result, or "" for none
	}{
		{[]string{allow}, "run"},
		{[]string{deny}, "denied"},
		{[]string{allow, deny}, "denied"},
		{[]string{allow, ask}, "denied"},
		{[]string{allow, allow, deny}, "denied"},
		{[]string{allow, answer}, ""},
		{[]string{deny, answer}, ""},
		{[]string{allow, allow}, "denied"},
		{[]string{allow, judged("allow", "sideways", "")}, "denied"},
		{[]string{allow, `{"type":"answer","call_id":"c1"}` + "\n", deny}, "denied"},
		{[]string{allow, "junk\n", deny}, "denied"},
	} {
		for range c.says {
			c.says = append(c.says[1:], c.says[0]) // every rotation
			cmd := uaExec(t, "--unconfined")
			cmd.Stdin = strings.NewReader(call + strings.Join(c.says, "") + end)
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var own []string
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, `"tool_result"`) && !strings.Contains(line, "mine") {
					own = append(own, line)
				}
			}
			if _, err := os.Stat(filepath.Join(cmd.Dir, "ran")); err == nil && c.status != "run" {
				t.Errorf("it ran: %q", c.says)
			}
			if two := len(c.says) > 1 && c.status != ""; two !=
				strings.Contains(string(out), "has two verdicts") {
				t.Errorf("%q: it is not said why: %s", c.says, out)
			}
			got := strings.Join(own, "")
			if c.status == "" && got != "" || c.status != "" &&
				(len(own) != 1 || !strings.Contains(got, `"status":"`+c.status+`"`)) {
				t.Errorf("%q: %s", c.says, out)
			}
		}
	}
}

// TestEarly has a stage say something of a call before it passes the call on: it does not run,
// and nothing of it holds in the next answer.
func TestEarly(t *testing.T) {
	const (
		call   = `{"type":"tool_call","id":"c1","name":"shell","input":{"command":"touch ran"}}` + "\n"
		answer = `{"type":"tool_result","call_id":"c1","output":"mine"}` + "\n"
		end    = `{"type":"response"}` + "\n"
	)
	allow, deny, ask := judged("allow", "workspace", ""), judged("deny", "workspace", ""),
		judged("ask", "workspace", "")
	for _, c := range []struct{ in, status string }{
		{deny + call + allow + end, "refused"},
		{ask + call + allow + end, "refused"},
		{allow + deny + allow + call + allow + end, "refused"},
		{deny + call, "refused"},
		{allow + call + end, "refused"},
		{allow + call + allow, "refused"},
		{strings.ReplaceAll(deny, "c1", "c0") + call + allow + end, "refused"},
		{deny + end + call + allow, "run"},
		{answer + `{"type":"turn","n":1}` + "\n" + call + allow, "run"},
	} {
		cmd := uaExec(t, "--unconfined")
		cmd.Stdin = strings.NewReader(c.in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, `"tool_result"`) && !strings.Contains(line, "mine") {
				got = append(got, line)
			}
		}
		_, missing := os.Stat(filepath.Join(cmd.Dir, "ran"))
		ran, want := missing == nil, c.status == "run"
		if ran != want || len(got) > 1 || (len(got) == 1) != (c.status != "") ||
			c.status != "" && !strings.Contains(got[0], `"status":"`+c.status+`"`) {
			t.Errorf("%s: ran %v, %s", c.in, ran, out)
		}
	}
}

// TestTwice runs no call, and heeds no verdict, in which a member stands twice: a gate of the
// user's may read the other one.
func TestTwice(t *testing.T) {
	const allow = `{"type":"verdict","call_id":"c1","risk":"write",` +
		`"decision":"allow","profile":"workspace"`
	for _, c := range []struct{ call, more string }{
		{`"input":{"command":"touch ran","command":"true"}`, ""},
		{`"input":{"comm\u0061nd":"touch ran","command":"true"}`, ""},
		{`"input":{"command":"touch ran"},"input":{"command":"true"}`, ""},
		{`"input":{"command":"touch ran","timeout_ms":1000000,"timeout_ms":1000}`, ""},
		{`"input":{"command":"touch ran"}`, `,"decision":"deny"`},
		{`"input":{"command":"touch  ran"}`, `,"command":"touch ran","command":"true"`},
	} {
		cmd := uaExec(t, "--unconfined")
		event := `{"type":"tool_call","id":"c1","name":"shell",` + c.call + "}\n"
		says := allow + c.more + "}"
		cmd.Stdin = strings.NewReader(event + says + "\n")
		out, err := cmd.Output()
		if _, missing := os.Stat(filepath.Join(cmd.Dir, "ran")); missing == nil || err != nil ||
			!strings.Contains(string(out), "has two members") {
			t.Errorf("%s %s: %v: %s", c.call, says, err, out)
		}
	}
}

// TestMisplaced has a verdict stand elsewhere than directly behind its call: that call does not
// run by it, nor does any later one of the answer, and it is said why.
func TestMisplaced(t *testing.T) {
	call := func(id string) string {
		return fmt.Sprintf(`{"type":"tool_call","id":%q,"name":"shell","input":{"command":"touch %s"}}`+
			"\n", id, id)
	}
	verdict := func(id, decision string) string {
		return strings.ReplaceAll(judged(decision, "workspace", ""), "c1", id)
	}
	const between, end = `{"type":"delta"}` + "\n", `{"type":"response"}` + "\n"
	for in, want := range map[string]string{
		call("c1") + between + verdict("c1", "allow"):                             "[]",
		call("c1") + call("c2") + verdict("c1", "allow") + verdict("c2", "allow"): "[]",
		call("c1") + call("c2") + verdict("c2", "allow") + verdict("c1", "allow"): "[]",
		call("c1") + verdict("c1", "allow") + between + verdict("c1", "deny") + call("c2") +
			verdict("c2", "allow"): "[c1]",
		call("c1") + between + verdict("c1", "allow") + end + call("c2") +
			verdict("c2", "allow"): "[c2]",
	} {
		cmd := uaExec(t, "--unconfined")
		cmd.Stdin = strings.NewReader(in)
		out, err := cmd.Output()
		names, _ := filepath.Glob(filepath.Join(cmd.Dir, "*"))
		for i := range names {
			names[i] = filepath.Base(names[i])
		}
		if err != nil || fmt.Sprint(names) != want ||
			!strings.Contains(string(out), `"type":"error"`) || !strings.Contains(string(out),
			"does not stand directly behind its call") {
			t.Errorf("%s: ran %v, want %s: %v: %s", in, names, want, err, out)
		}
	}
}

// TestSlow has the line behind a verdict come long after it, as from a stage that takes its time:
// the call waits for that line, whether it is another verdict or the end of the call.
func TestSlow(t *testing.T) {
	const call = `{"type":"tool_call","id":"c1","name":"shell","input":{"command":"echo hello"}}` +
		"\n"
	allow := judged("allow", "workspace", "")
	for line, status := range map[string]string{
		allow:                                "denied",
		judged("deny", "workspace", ""):      "denied",
		`{"type":"delta","kind":"call_end"}`: "run",
		"":                                   "run",
	} {
		l := start(t, "--unconfined")
		io.WriteString(l.stdin, call+allow)
		l.next("verdict")
		time.Sleep(time.Second)
		io.WriteString(l.stdin, line+"\n")
		if line == "" || status == "denied" {
			l.stdin.Close()
		}
		if r := l.next("tool_result"); r.Get("status").Str != status {
			t.Errorf("%s: %s", line, r.Raw)
		}
	}
}

// TestCallsMax has one answer hold more calls than may run.
func TestCallsMax(t *testing.T) {
	args := []string{"--unconfined", "--calls-max", "3"}
	list := results(t, args, slices.Repeat([]task{{command: "true"}}, 5)...)
	for i, r := range list {
		if refused := strings.Contains(text(r), "more than 3 calls"); refused != (i >= 3) {
			t.Errorf("call %d: %s", i, r.Raw)
		}
	}
	cmd := uaExec(t, args...)
	turn := lines(slices.Repeat([]task{{command: "true"}}, 2)...) + `{"type":"response"}` + "\n"
	cmd.Stdin = strings.NewReader(turn + turn)
	if out, err := cmd.Output(); err != nil || strings.Contains(string(out), "more than") {
		t.Errorf("%v: %s", err, out)
	}
}
