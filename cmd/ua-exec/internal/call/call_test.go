package call

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
		want  Call
	}{
		{`{"command":"ls"}`, Call{Command: "ls"}},
		{`{"command":"ls","timeout_ms":1500,"output":"final","background":true}`,
			Call{Command: "ls", Timeout: 1500 * time.Millisecond, Final: true, Background: true}},
		{`{"command":"ls","timeout_ms":-1,"output":"full"}`, Call{Command: "ls"}},
		{`{"command":"ls","timeout_ms":1e300}`, Call{Command: "ls", Timeout: 1e9 * time.Millisecond}},
		{`{"command":["ls"]}`, Call{}},
		{`"ls"`, Call{}},
		{`null`, Call{}},
	} {
		c.want.ID, c.want.Name = "c", "shell"
		if got := New([]byte(`{"type":"tool_call","id":"c","name":"shell","input":` + c.input +
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
		c, j := New([]byte(line)), Parse([]byte(line))
		if j.Denied != "" {
			return
		}
		v := gjson.Parse(line)
		if v.Get("decision").Str != string(verdict.Allow) || v.Get("risk").Str == "denied" {
			t.Fatalf("%s lets a call through", line)
		}
		if !strings.Contains(strings.Join(verdict.Profiles(), " "), string(j.Profile)) ||
			j.Profile == "" {
			t.Fatalf("%s names the profile %q", line, j.Profile)
		}
		if !event.Valid(c.NotRun("denied", line)) {
			t.Fatalf("the answer is no event: %s", c.NotRun("denied", line))
		}
	})
}

// The answer to a call that was not run is an event, whatever its ID and the reason hold.
func TestNotRun(t *testing.T) {
	for _, text := range []string{"", "no", `"`, "\x00\xff\n", "\u2028", strings.Repeat("x", 1<<16)} {
		line := (&Call{ID: text}).NotRun("denied", text)
		want := strings.ToValidUTF8(text, "\uFFFD")
		if !event.Valid(line) || event.Str(line, "status") != "denied" ||
			event.Str(line, "output") != want || event.Str(line, "call_id") != want ||
			gjson.GetBytes(line, "exit_code").Exists() {
			t.Errorf("%.50q: %.200s", text, line)
		}
	}
}
