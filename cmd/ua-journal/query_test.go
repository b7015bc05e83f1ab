package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// An event is printed when its type, its members and its text all match.
func TestQuery(t *testing.T) {
	const line = `{"type":"verdict","risk":"write","n":3,"input":{"command":"make x"},"ok":true}`
	for _, c := range []struct {
		types  []string
		fields []string
		texts  []string
		want   bool
	}{
		{nil, nil, nil, true},
		{[]string{"response", "verdict"}, nil, nil, true},
		{[]string{"response"}, nil, nil, false},
		{nil, []string{"risk=^write$"}, nil, true},
		{nil, []string{"risk=read"}, nil, false},
		{nil, []string{"input.command=make"}, nil, true},
		{nil, []string{"n=^3$", "ok=true"}, nil, true},
		{nil, []string{"none="}, nil, false}, // there is no such member
		{nil, []string{"risk="}, nil, true},
		{nil, nil, []string{`"command":"make`, "x"}, true},
		{nil, nil, []string{"make", "absent"}, false},
		{[]string{"verdict"}, []string{"risk=write"}, []string{"(?i)MAKE"}, true},
	} {
		q := query{types: c.types}
		for _, f := range c.fields {
			if err := q.field(f); err != nil {
				t.Fatal(err)
			}
		}
		for _, x := range c.texts {
			if err := q.text(x); err != nil {
				t.Fatal(err)
			}
		}
		if got := q.matches([]byte(line)); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	var q query
	for _, wrong := range []string{"risk", "=x", "risk=("} {
		if q.field(wrong) == nil {
			t.Errorf("%q is a member and a pattern", wrong)
		}
	}
	if q.text("[") == nil {
		t.Error("[ is a pattern")
	}
}

// A line of several runs' says which run it is from, unless it does already.
func TestNamed(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"a"}`:           `{"type":"a","run":"r\"1"}`,
		`{"type":"a" } `:         `{"type":"a" ,"run":"r\"1"}`,
		`{"type":"a","run":"x"}`: `{"type":"a","run":"x"}`,
	} {
		got := string(named([]byte(line), `r"1`))
		if got != want || !gjson.Valid(got) {
			t.Errorf("%s: %s", line, got)
		}
		if got := string(named([]byte(line), "")); got != line {
			t.Errorf("%s: %s", line, got)
		}
	}
}

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "0d": 0,
		"12h":   12 * time.Hour,
		"1h30m": 90 * time.Minute, "65535d": 65535 * 24 * time.Hour} {
		if got, err := parseAge(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, wrong := range []string{"", "d", "-1d", "1.5d", "65536d", "-2h", "soon", "30"} {
		if got, err := parseAge(wrong); err == nil {
			t.Errorf("%q: %v", wrong, got)
		}
	}
}

// A call has what its events say, the last of them where they say it twice.
func TestReadCalls(t *testing.T) {
	const text = `{"type":"verdict","call_id":"none","risk":"write"}
{"type":"tool_call","ts":"T","id":"c","name":"shell","input":{"command":"ls"}}
{"type":"verdict","call_id":"c","risk":"write","decision":"allow","by":"rule",` +
		`"profile":"workspace","command":"ls -l"}
{"type":"tool_result","call_id":"c","status":"run","exit_code":0,"duration_ms":7,"output":"abc",` +
		`"profile":"network"}
{"type":"tool_call","id":"c","name":"shell","input":{"command":"rm"}}
{"type":"tool_result","call_id":"c","status":"denied"}
{"type":"tool_call","id":"@f","name":"shell","input":{"command":"=cmd|' /C calc'!A0"}}
`
	list, err := readCalls(strings.NewReader(text), int64(len(text)), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, c := range list {
		got += fmt.Sprintf("%q\n", c.row("r"))
	}
	if want := `["r" "T" "c" "shell" "ls -l" "write" "allow" "rule" "run" "0" "7" "network" "3"]
["r" "" "c" "shell" "rm" "" "" "" "denied" "" "" "" "0"]
["r" "" "'@f" "shell" "'=cmd|' /C calc'!A0" "" "" "" "" "" "" "" "0"]
`; got != want {
		t.Errorf("%s", got)
	}
}

func TestOperand(t *testing.T) {
	for name, want := range map[string]bool{"a/b": true, "/": true, "x.jsonl": true, "last": false,
		"20260102-030405-abcdef": false, "jsonl": false, "": false} {
		if got := isPath(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if got, err := operand(nil); got != "last" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := operand([]string{"a"}); got != "a" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := operand([]string{"a", "b"}); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("%v", err)
	}
}

// Each verb has a line of the usage.
func TestVerbs(t *testing.T) {
	for name := range verbs() {
		if !strings.Contains(help, "ua-journal "+name) {
			t.Errorf("%s: not in --help", name)
		}
	}
}
