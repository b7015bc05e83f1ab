package session

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// hears has a session write where the test reads; what it wrote is returned once.
func hears(s *Session) func() []gjson.Result {
	var out bytes.Buffer
	s.Out = event.NewOutbox(&out)
	return func() (events []gjson.Result) {
		s.Out.Close(0)
		for line := range strings.Lines(out.String()) {
			events = append(events, gjson.Parse(line))
		}
		return events
	}
}

// status is the exit status that an error stands for.
func status(err error) int {
	var e *prog.Error
	var quiet prog.Exit
	switch {
	case errors.As(err, &e):
		return e.Status
	case errors.As(err, &quiet):
		return int(quiet)
	}
	return 0
}

// TestGive ends a turn: an event for what is wrong, then the response with what is whole.
func TestGive(t *testing.T) {
	for name, c := range map[string]struct {
		stop, why string
		say, call string
		schema    string
		noTools   bool
		failed    *failure.Failure
		events    string // types
		response  string // its stop reason
		outcome   int    // of the answer
		ends      int    // of the program
	}{
		"an answer": {stop: "end_turn", say: "a", events: "delta response", response: "end_turn"},
		"a call": {stop: "tool_use", call: "{}", events: "tool_call delta response",
			response: "tool_use"},
		"a call, not said": {stop: "end_turn", call: "{}", events: "tool_call delta response",
			response: "tool_use"},
		"a call, not wanted": {stop: "tool_use", call: "{}", noTools: true, events: "error",
			outcome: prog.No, ends: prog.No},
		"a call, not wanted, after words": {stop: "tool_use", say: "a", call: "{}", noTools: true,
			events: "delta response", response: "end_turn"},
		"refused": {stop: "refusal", why: "no", say: "a", events: "delta error response",
			response: "refusal",
			outcome:  prog.No},
		"too long": {stop: "max_tokens", say: "a", events: "delta error response",
			response: "max_tokens", outcome: prog.No},
		"the context is full": {stop: "max_tokens", why: "model_context_window_exceeded", say: "a",
			events: "delta error response", response: "max_tokens", outcome: prog.No},
		"the provider's error": {stop: "error", why: "oops", say: "a", events: "delta error response",
			response: "error", outcome: prog.TryLater, ends: prog.TryLater},
		"empty": {stop: "end_turn", events: "error", outcome: prog.TryLater, ends: prog.TryLater},
		"blank": {stop: "end_turn", say: " ", events: "delta error response", response: "error",
			outcome: prog.TryLater, ends: prog.TryLater},
		"of the schema": {stop: "end_turn", say: "1", schema: `{"type":"integer"}`,
			events:   "delta response",
			response: "end_turn"},
		"not of the schema": {stop: "end_turn", say: "a", schema: `{"type":"integer"}`,
			events: "delta error response", response: "error", outcome: prog.No, ends: prog.No},
		"a call before the schema": {stop: "tool_use", call: "{}", schema: `{"type":"integer"}`,
			events: "tool_call delta response", response: "tool_use"},
		"cut": {say: "a", failed: failure.CutOff(errors.New("x")), events: "delta error response",
			response: "interrupted", outcome: prog.TryLater, ends: prog.TryLater},
		"nothing came": {failed: failure.CutOff(errors.New("x")), events: "error",
			outcome: prog.TryLater, ends: prog.TryLater},
		"a signal": {failed: failure.Interrupted(143), events: "error response", response: "interrupted",
			outcome: 143, ends: 143},
	} {
		s := newSession(t, "anthropic/m")
		s.Options.Schema = c.schema
		read := hears(s)
		a := &reply{spec: "anthropic/m", start: time.Now(), Answer: &answer.Answer{Out: s.Out,
			NoCall: c.noTools, IDs: s.ids, Limits: s.Options.Answer}}
		if c.say != "" {
			a.SayText(gjson.Parse(`"` + c.say + `"`))
		}
		if c.call != "" {
			b, _ := a.Add(answer.Piece{ID: "c", Name: "shell"})
			a.Feed(b, gjson.Result{Type: gjson.String, Str: c.call})
			a.Close(b)
		}
		if a.Ended(c.stop); c.why != "" {
			a.Why = c.why
		}
		if c.failed == nil {
			a.Finish()
			c.failed = s.incomplete(a.Answer)
		}
		err := s.give(a, c.failed)
		var types []string
		stop := ""
		for _, ev := range read() {
			types = append(types, ev.Get("type").Str)
			if ev.Get("type").Str == "response" {
				stop = ev.Get("stop_reason").Str
			}
		}
		told := strings.Contains(c.events, "error")
		if got := strings.Join(types, " "); got != c.events || stop != c.response ||
			status(err) != c.ends ||
			status(s.outcome) != c.outcome || s.Told() != told {
			t.Errorf("%s: %s, stop %q, %v, outcome %v, told %v", name, got, stop, err, s.outcome, s.Told())
		}
	}
}

// TestTry asks again after failures that may pass, as often as it may, and not when
// something was said.
func TestTry(t *testing.T) {
	busy := func(wait time.Duration) *failure.Failure {
		return &failure.Failure{Msg: "busy", Status: prog.TryLater, Retry: true, Wait: wait}
	}
	for name, c := range map[string]struct {
		fails  []*failure.Failure // one after the other
		says   bool               // something before it fails
		asked  int
		failed string
		hint   string
	}{
		"at once":       {nil, false, 1, "", ""},
		"the third try": {[]*failure.Failure{busy(1), busy(1)}, false, 3, "", ""},
		"never": {[]*failure.Failure{busy(1), busy(1), busy(1), busy(1), busy(1), busy(1)}, false, 5,
			"busy", ""},
		"no try helps": {[]*failure.Failure{{Msg: "bad key", Status: prog.Trouble}}, false, 1,
			"bad key", ""},
		"something was said": {[]*failure.Failure{busy(1)}, true, 1, "busy", ""},
		"too long a wait": {[]*failure.Failure{busy(2 * time.Minute)}, false, 1, "busy",
			"asks to wait 2m0s"},
	} {
		s := newSession(t, "anthropic/m")
		read := hears(s)
		asked := 0
		q := &question{model: s.Models[0], body: provider.Body("{}"), ask: func(_ context.Context,
			a *reply) error {
			if asked++; asked > len(c.fails) {
				a.Stop = "end_turn"
				a.SayText(gjson.Parse(`"a"`))
				a.Finish()
				return nil
			}
			if c.says {
				a.SayText(gjson.Parse(`"half"`))
			}
			return c.fails[asked-1]
		}}
		_, f := s.try(t.Context(), q)
		retried := 0
		for _, ev := range read() {
			if ev.Get("type").Str == "error" && ev.Get("retryable").Bool() && ev.Get("retry_at").Exists() {
				retried++
			}
		}
		if asked != c.asked || (f == nil) != (c.failed == "") || f != nil && (f.Msg != c.failed ||
			!strings.Contains(f.Hint, c.hint)) || retried != c.asked-1 {
			t.Errorf("%s: asked %d times, told of %d, %+v", name, asked, retried, f)
		}
	}
}

// TestCharged counts what requests cost that failed after the provider took them up, once,
// and asks no more when the budget is used up by them.
func TestCharged(t *testing.T) {
	for name, c := range map[string]struct {
		used   usage.Usage // of each try
		says   bool
		budget int64
		asked  int
		events int64 // tokens that the events tell of
		spent  int64
	}{
		"refused": {asked: 5},
		"taken up": {used: usage.Usage{Input: 100, Output: 1}, asked: 5, events: 505,
			spent: 505},
		"over the budget": {used: usage.Usage{Input: 100}, budget: 250, asked: 3, events: 300,
			spent: 300},
		"a response tells": {used: usage.Usage{Input: 100, Output: 1}, says: true, asked: 1},
	} {
		s := newSession(t, "anthropic/m")
		s.Options.BudgetTokens, s.Options.MaxWait = c.budget, time.Millisecond
		read, asked := hears(s), 0
		q := &question{model: s.Models[0], ask: func(_ context.Context, a *reply) error {
			asked++
			a.paid, a.Usage = true, c.used
			if c.says {
				a.SayText(gjson.Parse(`"half"`))
			}
			return failure.CutOff(errors.New("x"))
		}}
		_, f := s.try(t.Context(), q)
		s.Out.Put(f.Event())
		told := int64(0)
		for _, ev := range read() {
			u := usage.Read(ev.Get("usage"))
			told += u.Tokens()
			s.Take(t.Context(), ev.Raw) // as the driver feeds it
		}
		if asked != c.asked || told != c.events || s.spent.Tokens() != c.spent {
			t.Errorf("%s: asked %d times, told of %d tokens, spent %d", name, asked, told,
				s.spent.Tokens())
		}
	}
}

// TestUnreported estimates what a server does not report, or not to the end.
func TestUnreported(t *testing.T) {
	text := strings.Repeat("word", 100)
	for name, c := range map[string]struct {
		used       usage.Usage
		paid, cuts bool
		want       int64
		estimated  bool
	}{
		"reported":    {usage.Usage{Input: 70, Output: 9}, true, false, 79, false},
		"nothing":     {usage.Usage{}, true, false, 150, true},
		"cut":         {usage.Usage{Input: 70, Output: 1}, true, true, 170, true},
		"a recording": {usage.Usage{}, false, false, 0, false},
	} {
		s := newSession(t, "anthropic/m")
		q := &question{model: s.Models[0], tokens: 50, ask: func(_ context.Context, a *reply) error {
			a.SayText(gjson.Parse(`"` + text + `"`))
			if a.paid, a.Usage = c.paid, c.used; c.cuts {
				return failure.CutOff(errors.New("x"))
			}
			a.Stop = "end_turn"
			return nil
		}}
		a, _ := s.try(t.Context(), q)
		if got := a.Usage.Tokens(); got != c.want || a.Usage.Estimated != c.estimated {
			t.Errorf("%s: %d, %+v", name, got, a.Usage)
		}
	}
}

// TestSpentInAll holds a conversation to what its run has spent elsewhere, too.
func TestSpentInAll(t *testing.T) {
	s := newSession(t, "anthropic/m")
	s.Options.BudgetTokens = 1000
	s.spent = usage.Usage{Input: 100, Output: 50, Cost: 0.5}
	for _, c := range []struct {
		told string
		want usage.Usage
	}{
		{`{"tokens":10,"cost_usd":0.1}`, usage.Usage{Input: 100, Output: 50, Cost: 0.5}},
		{`{"tokens":900,"cost_usd":2}`, usage.Usage{Input: 850, Output: 50, Cost: 2}},
		{`"x"`, usage.Usage{Input: 850, Output: 50, Cost: 2}},
	} {
		if s.spentInAll(gjson.Parse(c.told)); s.spent != c.want {
			t.Errorf("%s: %+v", c.told, s.spent)
		}
	}
}

// TestInterruptedTry gives up at a signal, while it asks and while it waits.
func TestInterruptedTry(t *testing.T) {
	for name, fail := range map[string]*failure.Failure{
		"asking":  {Msg: "context canceled", Retry: true},
		"waiting": {Msg: "busy", Retry: true, Wait: 30 * time.Second},
	} {
		s := newSession(t, "anthropic/m")
		ctx, cancel := context.WithCancelCause(t.Context())
		q := &question{model: s.Models[0], ask: func(context.Context, *reply) error {
			if name == "asking" {
				cancel(prog.Exit(130))
			} else {
				time.AfterFunc(10*time.Millisecond, func() { cancel(prog.Exit(130)) })
			}
			return fail
		}}
		if _, f := s.try(ctx, q); f == nil || f.Status != 130 || f.Msg != "interrupted" {
			t.Errorf("%s: %+v", name, f)
		}
		cancel(nil)
	}
}

func TestBackoff(t *testing.T) {
	for n, middle := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second,
		4 * time.Second} {
		for range 100 {
			if d := backoff(n); d < middle/2 || d >= middle*3/2 {
				t.Errorf("%d: %v", n, d)
			}
		}
	}
	for _, n := range []int{10, 100, 1 << 30} {
		if d := backoff(n); d < 15*time.Second || d > 45*time.Second {
			t.Errorf("%d: %v", n, d)
		}
	}
}

// TestAfford refuses what a budget does not cover, before it is asked.
func TestAfford(t *testing.T) {
	price := map[string]usage.Price{"anthropic/m": {Rate: usage.Rate{Input: 10, CacheRead: 1,
		CacheWrite: 10, Output: 50}}}
	for name, c := range map[string]struct {
		spec   string
		tokens int64
		usd    float64
		spent  usage.Usage
		need   int
		wrong  string
	}{
		"no budget": {"anthropic/m", 0, 0, usage.Usage{Input: 1e9}, 1e9, ""},
		"enough":    {"anthropic/m", 1000, 0, usage.Usage{Input: 400, Output: 100}, 500, ""},
		"not enough": {"anthropic/m", 1000, 0, usage.Usage{Input: 400, Output: 100}, 501,
			"the budget of 1000 tokens has 500 left"},
		"enough dollars": {"anthropic/m", 0, 0.01, usage.Usage{Cost: 0.005}, 500, ""},
		"not enough dollars": {"anthropic/m", 0, 0.01, usage.Usage{Cost: 0.006}, 500,
			"this request costs at least"},
		"no price": {"anthropic/other", 0, 1, usage.Usage{}, 1,
			"no price is known for anthropic/other"},
		"a program":          {"exec:true", 0, 0.01, usage.Usage{Cost: 5}, 500, ""},
		"a program's tokens": {"exec:true", 100, 0, usage.Usage{Input: 99}, 500, "has 1 left, and"},
		"a recording":        {"replay:f", 1, 0.01, usage.Usage{Input: 99, Cost: 5}, 500, ""},
	} {
		s := newSession(t, c.spec)
		s.Config.Price = price
		s.Options.BudgetTokens, s.Options.BudgetUSD, s.spent = c.tokens, c.usd, c.spent
		want := prog.Limit
		if name == "no price" {
			want = prog.Trouble // no later try can help
		}
		err := s.afford(&question{model: s.Models[0], tokens: c.need})
		if (err == nil) != (c.wrong == "") || err != nil && (!strings.Contains(err.Error(), c.wrong) ||
			status(err) != want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFinish asks about what is left at the end of input, or says why it does not.
func TestFinish(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		wrong string
	}{
		"nothing": {nil, "there is no instruction"},
		"no instruction": {[]string{`{"type":"run","id":"a"}`, `{"type":"system","text":"S"}`},
			"there is no instruction"},
		"answered already": {[]string{`{"type":"instruction","text":"a"}`,
			`{"type":"response","stop_reason":"end_turn","content":[{"type":"text","text":"b"}]}`},
			"nothing to ask"},
		"an instruction": {[]string{`{"type":"instruction","text":"a"}`}, ""},
		"a result": {[]string{`{"type":"instruction","text":"a"}`,
			`{"type":"response","stop_reason":"tool_use",` +
				`"content":[{"type":"tool_use","id":"c","name":"shell","input":{}}]}`,
			`{"type":"tool_result","call_id":"c","output":"x"}`}, ""},
		"a turn without a word": {[]string{`{"type":"turn"}`}, "there is no instruction"},
	} {
		s := newSession(t, `exec:echo '{"type":"delta","text":"said"}'`)
		s.Client.Limits.Total = time.Minute
		read := hears(s)
		var err error
		for _, line := range c.lines {
			if err == nil {
				err = s.Take(t.Context(), line)
			}
		}
		if err == nil {
			err = s.Finish(t.Context())
		}
		said := ""
		for _, ev := range read() {
			said += ev.Get("text").Str
		}
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) ||
			(said == "said") != (c.wrong == "") {
			t.Errorf("%s: %q, %v", name, said, err)
		}
	}
}
