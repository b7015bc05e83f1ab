package main

import (
	"os/exec"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/shelltext"
)

func TestParseCall(t *testing.T) {
	for _, c := range []struct{ line, command, bad string }{
		{`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls"}}`, "ls", ""},
		{`{"type":"tool_call","id":"c","name":"shell","input":{"command":"a\n\tb é","timeout_ms":5}}`,
			"a\n\tb é", ""},
		{`{"type":"tool_call","id":"c","name":"shell","input":{"comm\u0061nd":"ls"}}`, "ls", ""},
		{`{"type":"tool_call","name":"shell","input":{"command":"ls"}}`, "", "no id"},
		{`{"type":"tool_call","id":"c","name":"python","input":{"command":"ls"}}`, "",
			`no tool "python"`},
		{`{"type":"tool_call","id":"c","name":"shell"}`, "", "input is not an object"},
		{`{"type":"tool_call","id":"c","name":"shell","input":"ls"}`, "", "input is not an object"},
		{`{"type":"tool_call","id":"c","name":"shell","input":{}}`, "", "missing or empty"},
		{`{"type":"tool_call","id":"c","name":"shell","input":{"command":" "}}`, "", "missing or empty"},
		{`{"type":"tool_call","id":"c","name":"shell","input":{"command":["ls"]}}`, "",
			"missing or empty"},
		{`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls\u0000"}}`, "", "U+0000"},
		{`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls\u001b[2K"}}`, "", "U+001B"},
		{`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls\u0085"}}`, "", "U+0085"},
		{`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls \ud800"}}`, "",
			`lone surrogate`},
		{`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls \uDC00x"}}`, "",
			`lone surrogate`},
		{`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls \ud83d\ud83d\ude00"}}`, "",
			"lone surrogate"},
		{`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls \ud83d\ude00"}}`, "ls 😀",
			""},
		{`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls \\ud800"}}`, `ls \ud800`,
			""},
		{"{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"shell\",\"input\":{\"command\":\"ls \xff\"}}",
			"", "not UTF-8"},
		{`{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls","command":"id"}}`, "",
			`two members "command"`},
		{`{"type":"tool_call","id":"c","name":"shell",` +
			`"input":{"command":"ls"},"input":{"command":"id"}}`, "", "stands twice"},
		{`{"type":"tool_call","id":"c","id":"d","name":"shell","input":{"command":"ls"}}`, "",
			"stands twice"},
	} {
		got := parseCall([]byte(c.line))
		if c.bad == "" && (got.bad != "" || got.command != c.command || got.id != "c") ||
			!strings.Contains(got.bad, c.bad) {
			t.Errorf("%s: command %q, bad %q", c.line, got.command, got.bad)
		}
	}
}

// TestCarriageReturn: what a model is told to write instead makes the file that it wanted.
func TestCarriageReturn(t *testing.T) {
	told := shelltext.Unprintable("cat <<'E' >f\r\n$x\r\nE\r\n")
	_, program, _ := strings.Cut(told, "put ")
	program, _, ok := strings.Cut(program, " in place of cat")
	if !ok || !strings.Contains(told, "at byte 12: end its lines with a newline alone") {
		t.Fatalf("%q", told)
	}
	out, err := exec.Command("bash", "-c", program+" <<'E'\n$x\n'b\nE\n").Output()
	if err != nil || string(out) != "$x\r\n'b\r\n" {
		t.Errorf("%q %v", out, err)
	}
}
