package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"
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
			if strings.Contains(string(out), "came late") && c.status != "" {
				t.Errorf("it began: %q", c.says)
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

// TestSameID has two calls with one ID: while the first has no result, a verdict may be
// about either, so the second does not run, and what is said after it counts for the first.
func TestSameID(t *testing.T) {
	call := func(command string) string {
		return fmt.Sprintf(`{"type":"tool_call","id":"c1","name":"shell","input":{"command":%q}}`+"\n",
			command)
	}
	allow, deny := judged("allow", "workspace", ""), judged("deny", "workspace", "")
	const end = `{"type":"response"}` + "\n"
	for _, c := range []struct{ in, status, ran string }{
		{call("sleep 1; touch a") + allow + call("touch b") + allow + end, "[run refused]", "[a]"},
		{call("touch a") + deny + call("touch b") + allow, "[denied run]", "[b]"},
		{call("touch a") + call("touch b") + allow, "[refused run]", "[b]"},
		{call("cat f") + allow + call("touch b") + deny + end, "[interrupted refused]", "[]"},
		{call("sleep 1; touch a") + allow + end + call("touch b") + allow, "[run refused]", "[a]"},
	} {
		cmd := uaExec(t, "--unconfined")
		if err := syscall.Mkfifo(filepath.Join(cmd.Dir, "f"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd.Stdin = strings.NewReader(c.in)
		out, err := cmd.Output()
		var status []string
		for line := range strings.Lines(string(out)) {
			if s := gjson.Get(line, "status").Str; s != "" {
				status = append(status, s)
			}
		}
		os.Remove(filepath.Join(cmd.Dir, "f"))
		names, _ := filepath.Glob(filepath.Join(cmd.Dir, "*"))
		for i := range names {
			names[i] = filepath.Base(names[i])
		}
		// One that is ended at once may not have begun.
		got := strings.Replace(fmt.Sprint(status), "[denied refused]", "[interrupted refused]", 1)
		want := strings.Replace(c.status, "[denied refused]", "[interrupted refused]", 1)
		if err != nil || got != want || fmt.Sprint(names) != c.ran {
			t.Errorf("%s: %v, ran %v: %v %s", c.in, status, names, err, out)
		}
	}
}

// TestLate has a stage say something else when the command runs already, and when
// another command runs before it.
func TestLate(t *testing.T) {
	for i, c := range []struct{ line, status, why string }{
		{judged("deny", "workspace", `,"reason":"second thoughts"`), "interrupted", "another verdict"},
		{judged("allow", "read-only", ""), "interrupted", "another verdict"},
	} {
		s := sleeper(60 + i)
		l := start(t, "--unconfined")
		l.send(task{command: "echo begun; touch there; " + s}, task{command: "touch ran"})
		until(t, "it runs", func() bool {
			_, err := os.Stat(filepath.Join(l.cmd.Dir, "there"))
			return err == nil
		})
		if _, err := io.WriteString(l.stdin, c.line+strings.ReplaceAll(judged("deny", "workspace", ""),
			"c1", "c2")); err != nil {
			t.Fatal(err)
		}
		if r := l.next("tool_result"); r.Get("status").Str != c.status ||
			!strings.Contains(text(r), c.why) || !strings.HasPrefix(text(r), "begun") {
			t.Errorf("%s: %s", c.line, r.Raw)
		}
		if r := l.next("error"); r.Get("call_id").Str != "c1" ||
			!strings.Contains(r.Get("message").Str, c.why) {
			t.Errorf("%s: %s", c.line, r.Raw)
		}
		l.stdin.Close()
		l.cmd.Wait()
		if alive(s) != nil {
			t.Errorf("it runs on after %s", c.line)
		}
		if _, err := os.Stat(filepath.Join(l.cmd.Dir, "ran")); err == nil {
			t.Errorf("what waited behind it ran, though it was denied")
		}
	}
}

// TestHalfLine has a stage stop in the middle of a line behind a verdict: the call runs.
func TestHalfLine(t *testing.T) {
	l := start(t, "--unconfined")
	io.WriteString(l.stdin, lines(task{command: "echo hello"})+`{"type":"verdict",`)
	if r := l.next("tool_result"); !strings.Contains(r.Raw, "hello") {
		t.Error(r.Raw)
	}
	io.WriteString(l.stdin, `"call_id":"x"}`+"\n")
	if r := l.next("verdict"); r.Get("call_id").Str != "x" {
		t.Error(r.Raw)
	}
}

// TestLateForLong has a denial come for a command that has ended.
func TestLateForLong(t *testing.T) {
	l := start(t, "--unconfined")
	l.send(task{command: "true"})
	l.next("tool_result")
	io.WriteString(l.stdin, judged("deny", "workspace", ""))
	if r := l.next("error"); !strings.Contains(r.Get("message").Str, "had ended already") {
		t.Error(r.Raw)
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
