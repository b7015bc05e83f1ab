package main

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

func TestNewCall(t *testing.T) {
	for _, c := range []struct {
		input string
		want  call
	}{
		{`{"command":"ls"}`, call{command: "ls"}},
		{`{"command":"ls","timeout_ms":1500,"output":"final","background":true}`,
			call{command: "ls", timeout: 1500 * time.Millisecond, final: true, background: true}},
		{`{"command":"ls","timeout_ms":-1,"output":"full"}`, call{command: "ls"}},
		{`{"command":"ls","timeout_ms":1e300}`, call{command: "ls", timeout: 1e9 * time.Millisecond}},
		{`{"command":["ls"]}`, call{}},
		{`"ls"`, call{}},
		{`null`, call{}},
	} {
		c.want.id, c.want.name = "c", "shell"
		if got := newCall([]byte(`{"type":"tool_call","id":"c","name":"shell","input":` + c.input +
			`}`)); !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%s: %+v", c.input, *got)
		}
	}
}

// FuzzJudge holds that nothing runs on a verdict that does not plainly say so.
func FuzzJudge(f *testing.F) {
	f.Add(`{"type":"verdict","call_id":"c","risk":"write","decision":"allow","profile":"workspace",` +
		`"command":"x","delegates":true}`)
	f.Add(`{"risk":"denied","decision":"allow","profile":"none"}`)
	f.Add(`A{"risk""write""decision""allow""profile""workspace"`)
	f.Fuzz(func(t *testing.T, line string) {
		c, j := newCall([]byte(line)), parseJudgement([]byte(line))
		if j.denied != "" {
			return
		}
		v := gjson.Parse(line)
		if v.Get("decision").Str != string(verdict.Allow) || v.Get("risk").Str == "denied" {
			t.Fatalf("%s lets a call through", line)
		}
		if !strings.Contains(strings.Join(verdict.Profiles(), " "), string(j.profile)) ||
			j.profile == "" {
			t.Fatalf("%s names the profile %q", line, j.profile)
		}
		if !event.Valid(answer(c, "denied", line)) {
			t.Fatalf("the answer is no event: %s", answer(c, "denied", line))
		}
	})
}
