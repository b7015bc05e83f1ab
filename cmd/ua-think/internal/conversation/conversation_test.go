package conversation

import (
	"fmt"
	"strings"
	"testing"
)

// sketch is a conversation in short: U and A for the sides, each part by kind.
func sketch(c *Conversation) string {
	var b strings.Builder
	for _, m := range c.Messages {
		b.WriteString(map[bool]string{false: "U[", true: " A["}[m.Assistant])
		for i, p := range m.Parts {
			if i > 0 {
				b.WriteString(" ")
			}
			switch p.Kind {
			case "call":
				b.WriteString("call:" + p.ID)
			case "result":
				bad := ""
				if p.Bad {
					bad = "!"
				}
				fmt.Fprintf(&b, "%s=%s%s", p.ID, bad, p.Text)
			case "text":
				b.WriteString(p.Text)
			default:
				b.WriteString(p.Kind)
			}
		}
		b.WriteString("]")
		if m.Assistant {
			b.WriteString(" ")
		}
	}
	return b.String()
}

// converse is the conversation of lines.
func converse(lines []string) *Conversation {
	c := New("", false)
	for _, line := range lines {
		c.Add(line)
		c.Now() // must change nothing
	}
	return c.Now()
}

func TestConverse(t *testing.T) {
	const (
		ask   = `{"type":"instruction","text":"do"}`
		call1 = `{"type":"tool_call","id":"1","name":"shell","input":{"command":"a"}}`
		res1  = `{"type":"tool_result","call_id":"1","output":"one","exit_code":0}`
		call2 = `{"type":"tool_call","id":"2","name":"shell","input":{"command":"b"}}`
		res2  = `{"type":"tool_result","call_id":"2","output":"two\n","exit_code":3}`
		resp1 = `{"type":"response","content":[{"type":"text","text":"so"},{"type":"tool_use",` +
			`"id":"1","name":"shell","input":{"command":"a"}}],"stop_reason":"tool_use"}`
		resp12 = `{"type":"response","content":[{"type":"tool_use","id":"1","name":"shell",` +
			`"input":{}},{"type":"tool_use","id":"2","name":"shell","input":{}}],"stop_reason":"tool_use"}`
		end   = `{"type":"response","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn"}`
		empty = `{"type":"response","content":[],"stop_reason":"interrupted"}`
		gone  = "=![interrupted: it is not known whether this command ran]"
		on    = "[The answer was cut off here. Go on from where it stopped.]"
	)
	for name, c := range map[string]struct{ lines, want string }{
		"nothing":          {"", ""},
		"an instruction":   {ask, "U[do]"},
		"a turn":           {join3(ask, call1, res1, resp1), "U[do] A[so call:1] U[1=one]"},
		"the result later": {join3(ask, call1, resp1, res1), "U[do] A[so call:1] U[1=one]"},
		"two calls": {join3(ask, call1, res1, call2, res2, resp12),
			"U[do] A[call:1 call:2] U[1=one 2=two\n[exit status 3]]"},
		"results out of order": {join3(ask, call1, call2, res2, res1, resp12),
			"U[do] A[call:1 call:2] U[1=one 2=two\n[exit status 3]]"},
		"no result": {join3(ask, call1, res1, call2, resp12),
			"U[do] A[call:1 call:2] U[1=one 2" + gone + "]"},
		"two results": {join3(ask, call1, res1, res1, resp1), "U[do] A[so call:1] U[1=one]"},
		"another result later": {join3(ask, call1, res1, resp1,
			strings.Replace(res1, "one", "two", 1)), "U[do] A[so call:1] U[1=one]"},
		"a result of no call": {join3(ask, res2), "U[do]"},
		"steering": {join3(ask, call1, res1, resp1,
			`{"type":"message","text":"faster","from":"user"}`), "U[do] A[so call:1] U[1=one faster]"},
		"steering in the turn": {join3(ask, call1, `{"type":"message","text":"faster","from":"boss"}`,
			res1, resp1), "U[do] A[so call:1] U[1=one [message from boss]\nfaster]"},
		"a lost response": {join3(ask, call1, res1), "U[do] A[call:1] U[1=one]"},
		"lost, then another": {join3(ask, call1, res1, `{"type":"instruction","text":"on"}`, call2,
			res2, `{"type":"response","content":[{"type":"tool_use","id":"2","name":"shell","input":{}}]}`),
			"U[do] A[call:1] U[1=one on] A[call:2] U[2=two\n[exit status 3]]"},
		"lost, no result":   {join3(ask, call1), "U[do] A[call:1] U[1" + gone + "]"},
		"cut, then on":      {join3(ask, end), "U[do] A[done] U[" + on + "]"},
		"cut twice":         {join3(ask, end, end, ask), "U[do] A[done] U[" + on + "] A[done] U[do]"},
		"an empty response": {join3(ask, empty, ask), "U[do do]"},
		"a response first":  {join3(end, ask), "U[" + on + "] A[done] U[do]"},
		"an error of a call": {join3(ask, `{"type":"error","call_id":"1","message":"not JSON"}`,
			resp1), "U[do] A[so call:1] U[1=!error: not JSON]"},
		"an error of a stage": {join3(ask, `{"type":"error","stage":"ua-gate","message":"not JSON"}`),
			"U[do]"},
		"denied": {join3(ask, call1,
			`{"type":"tool_result","call_id":"1","status":"denied","output":"no: rm"}`, resp1),
			"U[do] A[so call:1] U[1=!no: rm]"},
		"no output": {join3(ask, call1,
			`{"type":"tool_result","call_id":"1","status":"run","exit_code":0,"output":""}`, resp1),
			"U[do] A[so call:1] U[1=[no output]]"},
		"blank output": {join3(ask, call1,
			`{"type":"tool_result","call_id":"1","status":"run","exit_code":0,"output":" \n"}`, resp1),
			"U[do] A[so call:1] U[1=[no output]]"},
		"killed": {join3(ask, call1,
			`{"type":"tool_result","call_id":"1","status":"run","signal":"KILL","exit_code":137,`+
				`"output":"x"}`, resp1), "U[do] A[so call:1] U[1=x\n[ended by signal KILL]]"},
		"timed out": {join3(ask, call1,
			`{"type":"tool_result","call_id":"1","status":"timeout","duration_ms":100,"output":""}`, resp1),
			"U[do] A[so call:1] U[1=![the time limit ended it after 100 ms]]"},
		"a shell command": {join3(`{"type":"shell_command","command":"make","cwd":"/src",`+
			`"exit_code":2,"output":"boom"}`, ask), "U[[The user ran this in the shell, in /src.]\n" +
			"$ make\nboom\n[exit status 2] do]"},
		"blank texts": {join3(ask,
			`{"type":"response","content":[{"type":"text","text":" \n"}]}`,
			`{"type":"instruction","text":" "}`), "U[do]"},
		"a text attachment": {`{"type":"instruction","text":"do",` +
			`"attachments":[{"media_type":"text/plain","name":"a.c","text":"int ` +
			`x;"}]}`, "U[do [attached: a.c]\nint x;\n[end of a.c]]"},
		"unknown block": {join3(ask,
			`{"type":"response","content":[{"type":"new","x":1},{"type":"text","text":"t"}]}`, ask),
			"U[do] A[t] U[do]"},
		"junk": {join3(ask, `{"type":"response"}`, `{"type":"tool_call"}`,
			`{"type":"tool_result"}`, `{"type":"response","content":{"type":"text"}}`,
			`{"type":"future","x":[1]}`), "U[do]"},
		"an id said twice": {join3(ask, call1, res1, resp1, ask, call1, res2, resp1),
			"U[do] A[so call:1] U[1=one do] A[so call:1] U[1" + gone + "]"},
		"checkpoint kept plain": {join3(`{"type":"checkpoint","text":"so far so good"}`, ask),
			"U[so far so good do]"},
	} {
		var lines []string
		if c.lines != "" {
			lines = strings.Split(c.lines, "\n")
		}
		if got := sketch(converse(lines)); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

func join3(lines ...string) string { return strings.Join(lines, "\n") }
