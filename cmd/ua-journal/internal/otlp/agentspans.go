package otlp

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/style"
)

// An agent is a run or a subagent as the events of its journal tell of it.
type agent struct {
	id, name, model string
	trace, span     string // its IDs
	start, end      time.Time
	exit            int64 // the run's exit status, -1 without a summary
	in, out         int64 // tokens
	asked           time.Time
	turn            int // from 1; 0 before the first
	steps           []step
	calls           map[string]*call
}

// A step is a model call or a command, whose times tell those of its turn.
type step struct {
	turn int
	span
}

// A call is a tool call without a result so far.
type call struct{ command, level, reason string }

// event takes in one event.
func (a *agent) event(line []byte, _ int64) error {
	get := func(path string) string { return event.Str(line, path) }
	at, _ := time.Parse(time.RFC3339, get("ts"))
	// A clock may go back, so an agent spans all times that occur.
	if !at.IsZero() && (a.start.IsZero() || at.Before(a.start)) {
		a.start = at
	}
	if at.After(a.end) {
		a.end = at
	}
	switch event.Type(line) {
	case "run":
		a.id, a.name = get("id"), get("agent")
		a.identify(get("traceparent"))
	case "turn":
		a.asked = at
		a.turn++
	case "tool_call":
		a.calls[get("id")] = &call{command: get("input.command")}
	case "verdict":
		if c := a.calls[get("call_id")]; c != nil {
			c.level, c.reason = get("risk"), get("reason")
			if changed := get("command"); changed != "" {
				c.command = changed
			}
		}
	case "tool_result":
		a.command(line, at)
	case "response":
		a.answer(line, at)
	case "summary":
		a.exit = gjson.GetBytes(line, "exit_code").Int()
	}
	return nil
}

// identify takes the IDs from the run's traceparent (W3C Trace Context), or derives them
// from the ID of the run.
func (a *agent) identify(traceparent string) {
	parts := strings.Split(traceparent, "-")
	if len(parts) == 4 && isHex(parts[1], 32) && isHex(parts[2], 16) {
		a.trace, a.span = parts[1], parts[2]
		return
	}
	sum := sha256.Sum256([]byte(a.id))
	a.trace, a.span = hex.EncodeToString(sum[:16]), hex.EncodeToString(sum[16:24])
}

// isHex reports whether s is a valid ID of so many digits; all zeros is none.
func isHex(s string, digits int) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == digits && strings.Trim(s, "0") != ""
}

// command adds a command that has ended or was not run.
func (a *agent) command(line []byte, at time.Time) {
	c := a.calls[event.Str(line, "call_id")]
	if c == nil {
		c = &call{}
	}
	outcome, note := "done", ""
	status, code := event.Str(line, "status"), gjson.GetBytes(line, "exit_code")
	switch {
	case status == "denied" || status == "refused":
		outcome, note = "denied", c.reason
	case code.Int() != 0 || event.Str(line, "signal") != "" || status != "" && status != "run":
		outcome, note = "failed", strings.TrimSpace(status+" exit "+code.Raw)
	}
	s := span{Name: "execute_tool shell", Kind: kindInternal, Attributes: []attribute{
		text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", "shell"),
		text("gen_ai.tool.type", "function"),
		text("gen_ai.tool.call.id", legible(event.Str(line, "call_id"), 200)),
		text("process.command_line", legible(c.command, 4000)),
		text("ua.level", legible(c.level, 20)), text("ua.outcome", outcome)}}
	if code.Exists() {
		s.Attributes = append(s.Attributes, number("process.exit.code", code.Int()))
	}
	a.step(s, before(at, gjson.GetBytes(line, "duration_ms").Int()), at, outcome, note)
}

// answer adds a model call. It begins with the turn that asked; without a turn it is as long
// as the model took.
func (a *agent) answer(line []byte, at time.Time) {
	start := a.asked
	if start.IsZero() || start.After(at) {
		start = before(at, gjson.GetBytes(line, "latency_ms").Int())
	}
	a.asked = time.Time{}
	u := gjson.GetBytes(line, "usage")
	cached, out := u.Get("cache_read").Int(), u.Get("output").Int()
	in := u.Get("input").Int() + cached + u.Get("cache_write").Int()
	a.model, a.in, a.out = event.Str(line, "model"), a.in+in, a.out+out
	provider, model, _ := strings.Cut(a.model, "/")
	stop, outcome := event.Str(line, "stop_reason"), "done"
	if stop == "error" || stop == "interrupted" {
		outcome = "failed"
	}
	reasons := map[string]any{"values": []any{map[string]any{"stringValue": stop}}}
	a.step(span{Name: "chat " + oneLine(model, 100), Kind: kindClient, Attributes: []attribute{
		text("gen_ai.operation.name", "chat"), text("gen_ai.provider.name", legible(provider, 100)),
		text("gen_ai.request.model", legible(model, 200)),
		text("gen_ai.response.model", legible(model, 200)),
		number("gen_ai.usage.input_tokens", in),
		number("gen_ai.usage.cache_read.input_tokens", cached),
		number("gen_ai.usage.output_tokens", out),
		{"gen_ai.response.finish_reasons", map[string]any{"arrayValue": reasons}}}},
		start, at, outcome, "")
}

// before returns the time so many milliseconds before another one.
func before(at time.Time, ms int64) time.Time {
	return at.Add(-time.Duration(ms) * time.Millisecond)
}

// step adds a span to the present turn.
func (a *agent) step(s span, start, end time.Time, outcome, note string) {
	s.Start, s.End = start.UnixNano(), end.UnixNano()
	if end.IsZero() { // the journal does not say when
		s.Start, s.End = a.start.UnixNano(), a.start.UnixNano()
	}
	if outcome != "done" {
		s.Attributes = append(s.Attributes, text("error.type", outcome))
		s.Status = &status{statusError, oneLine(note, 200)}
	}
	a.steps = append(a.steps, step{a.turn, s})
}

// spans returns the spans of the agent. A turn lasts from its first step to its last.
func (a *agent) spans(parent string) []span {
	if a.trace == "" {
		a.identify("")
	}
	own := span{TraceID: a.trace, SpanID: a.span, ParentID: parent, Kind: kindInternal,
		Name:  strings.TrimSpace("invoke_agent " + oneLine(a.name, 100)),
		Start: a.start.UnixNano(), End: a.end.UnixNano(), Attributes: []attribute{
			text("gen_ai.operation.name", "invoke_agent"),
			text("gen_ai.agent.name", legible(a.name, 100)),
			text("gen_ai.agent.id", legible(a.id, 100)),
			text("gen_ai.conversation.id", legible(a.id, 100)),
			text("gen_ai.request.model", legible(a.model, 200)),
			number("gen_ai.usage.input_tokens", a.in),
			number("gen_ai.usage.output_tokens", a.out), number("ua.exit_code", a.exit)}}
	if a.exit != 0 {
		own.Status = &status{statusError, "exit status " + strconv.FormatInt(a.exit, 10)}
	}
	list, turns := []span{own}, map[int]int{} // where in list a turn's span is
	for i, s := range a.steps {
		at, ok := turns[s.turn]
		if !ok {
			at = len(list)
			turns[s.turn] = at
			list = append(list, span{TraceID: a.trace, SpanID: a.spanID("turn", s.turn),
				ParentID: a.span, Name: "turn " + strconv.Itoa(s.turn), Kind: kindInternal,
				Start: s.Start, End: s.End})
		}
		s.TraceID, s.SpanID, s.ParentID = a.trace, a.spanID("step", i), list[at].SpanID
		list[at].Start, list[at].End = min(list[at].Start, s.Start), max(list[at].End, s.End)
		list = append(list, s.span)
	}
	return list
}

// spanID returns an ID that is the same every time the same run is exported.
func (a *agent) spanID(kind string, n int) string {
	sum := sha256.Sum256([]byte(a.span + kind + strconv.Itoa(n)))
	return hex.EncodeToString(sum[:8])
}

// text returns an attribute with text.
func text(key, s string) attribute { return attribute{key, map[string]any{"stringValue": s}} }

// number returns an attribute with a whole number.
func number(key string, n int64) attribute {
	return attribute{key, map[string]any{"intValue": strconv.FormatInt(n, 10)}}
}

// legible returns text with control characters shown, and at most limit characters long.
func legible(text string, limit int) string {
	text = style.Printable(strings.ToValidUTF8(text, "\ufffd"))
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// oneLine returns legible text without line breaks.
func oneLine(text string, limit int) string {
	return legible(strings.Join(strings.Fields(text), " "), limit)
}
