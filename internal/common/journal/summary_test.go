package journal

import (
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

func TestTally(t *testing.T) {
	var tally Tally
	for _, line := range []string{
		`{"type":"response","usage":{"input":10,"cache_read":100,"cache_write":5,` +
			`"output":7,"cost_usd":0.25}}`,
		`{"type":"response","usage":{"input":1,"output":2}}`,
		`{"type":"response"}`,
		`{"type":"judge","usage":{"input":20,"output":1,"cost_usd":0.5}}`,
		`{"type":"judge","replay":true,"usage":{"output":1,"cost_usd":9}}`,
		`{"type":"error","retryable":true,"usage":{"input":4,"output":3,"cost_usd":0.25}}`,
		`{"type":"error","message":"x"}`,
		`{"type":"tool_result","exit_code":0}`,
		`{"type":"tool_result","status":"timeout"}`,
		`{"type":"tool_result","status":"denied"}`,
		`{"type":"tool_result","status":"refused"}`,
		`{"type":"tool_result"}`,
		`{"type":"verdict","decision":"deny"}`, `{"type":"new"}`, `junk`, ``,
	} {
		tally.Add([]byte(line))
	}
	tally.Fail("ua-think", "no", true)
	got := gjson.ParseBytes(tally.Summary(3, 1500*time.Millisecond))
	for path, want := range map[string]string{
		"type": "summary", "exit_code": "3", "tokens_in": "140", "tokens_out": "14", "cache_read": "100",
		"cost_usd": "1",
		"commands": "2", "denied": "2", "duration_ms": "1500", "stage": "ua-think", "message": "no",
		"retryable": "true",
	} {
		if got.Get(path).String() != want {
			t.Errorf("%s is %s, want %s", path, got.Get(path), want)
		}
	}
	if tally.Calls != 3 || strings.Contains(string(new(Tally).Summary(0, 0)), "stage") {
		t.Errorf("%+v", tally)
	}
}
