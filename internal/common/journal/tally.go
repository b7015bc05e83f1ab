package journal

import (
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// A Tally adds up what a run cost and did, event by event. Its zero value is
// a run that did nothing.
type Tally struct {
	Calls     int64 // responses
	TokensIn  int64 // all that was sent, CacheRead included
	TokensOut int64
	CacheRead int64 // the part of TokensIn that the provider had kept
	CostUSD   float64
	Commands  int64 // that ran, or were started
	Denied    int64 // refused by gate, person or sandbox

	stage, message string
	retryable      bool
}

// Add counts one event.
func (t *Tally) Add(line []byte) {
	switch event.Type(line) {
	case "response":
		t.Calls++
		t.usage(gjson.GetBytes(line, "usage"), gjson.GetBytes(line, "replay").Bool())
	case "tool_result":
		switch status := event.Str(line, "status"); {
		case status == "denied" || status == "refused":
			t.Denied++
		case status != "" || gjson.GetBytes(line, "exit_code").Exists():
			t.Commands++
		}
	}
}

// usage adds a response's tokens, and its price unless nobody was asked.
func (t *Tally) usage(u gjson.Result, replayed bool) {
	read := u.Get("cache_read").Int()
	t.TokensIn += u.Get("input").Int() + read + u.Get("cache_write").Int()
	t.CacheRead += read
	t.TokensOut += u.Get("output").Int()
	if !replayed {
		t.CostUSD += u.Get("cost_usd").Float()
	}
}

// Fail notes what ended the run: the stage that failed, how, and whether trying
// again makes sense. The summary says so.
func (t *Tally) Fail(stage, message string, retryable bool) {
	t.stage, t.message, t.retryable = stage, message, retryable
}

// Summary returns the run's summary event.
func (t *Tally) Summary(exitCode int, duration time.Duration) []byte {
	e := event.New("summary").Int("exit_code", int64(exitCode)).
		Int("tokens_in", t.TokensIn).Int("tokens_out", t.TokensOut).Int("cache_read", t.CacheRead).
		Float("cost_usd", t.CostUSD).Int("commands", t.Commands).Int("denied", t.Denied).
		Int("duration_ms", duration.Milliseconds())
	if t.stage != "" || t.message != "" {
		e.OptStr("stage", t.stage).OptStr("message", t.message).Bool("retryable", t.retryable)
	}
	return e.Line()
}
