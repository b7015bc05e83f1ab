package journal

import (
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// A Tally adds up event by event what a run did and what it cost. The zero value is a run
// that did nothing.
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
	switch typ := event.Type(line); typ {
	case "response", "judge":
		if typ == "response" {
			t.Calls++
		}
		cost := t.CostUSD
		t.Use(gjson.GetBytes(line, "usage"))
		if gjson.GetBytes(line, "replay").Bool() { // nobody was asked
			t.CostUSD = cost
		}
	case "error":
		t.Use(gjson.GetBytes(line, "usage")) // of a request that failed
	case "tool_result":
		switch status := event.Str(line, "status"); {
		case status == "denied" || status == "refused":
			t.Denied++
		case status != "" || gjson.GetBytes(line, "exit_code").Exists():
			t.Commands++
		}
	}
}

// Use adds a usage object: an answer's tokens and price. A command could have written any
// number into the journal, so each is limited to more than any answer has.
func (t *Tally) Use(u gjson.Result) {
	amount := func(name string, most float64) float64 {
		v := u.Get(name)
		if v.Type != gjson.Number {
			return 0
		}
		return min(max(v.Num, 0), most)
	}
	tokens := func(name string) int64 { return int64(amount(name, 1e12)) }
	read := tokens("cache_read")
	t.TokensIn += tokens("input") + read + tokens("cache_write")
	t.CacheRead += read
	t.TokensOut += tokens("output")
	t.CostUSD += amount("cost_usd", 1e9)
}

// Fail notes what ended the run, for the summary: the stage that failed, how, and whether
// trying again makes sense.
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

// Guarded returns in words what a "guarded" event of ua-sandbox(1) tells: which file of a
// command was moved aside, put back or not taken, why, and the option that lets a command keep it.
func Guarded(line []byte) string {
	text := strconv.Quote(event.Str(line, "path")) + ": " // a command chose the name
	switch event.Str(line, "state") {
	case "set_aside":
		text += "moved aside as *.refused"
	case "put_back":
		text += "put back as it was"
	case "refused":
		text += "not taken into the repository"
	case "unseen":
		text += "not looked at"
	default:
		text += "left, as it could not be moved aside or put back"
	}
	if reason := event.Str(line, "reason"); reason != "" {
		text += ": " + reason
	}
	if option := event.Str(line, "option"); option != "" {
		text += " (" + option + " lets it)"
	}
	return text
}
