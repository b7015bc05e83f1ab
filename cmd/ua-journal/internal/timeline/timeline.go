// Package timeline arranges in time what a run and its subagents did. An agent is a lane,
// and a model call or a command is a bar.
package timeline

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/event"
	"ua/internal/common/run"
	"ua/internal/common/style"
)

// A Lane is one agent: a run or a subagent of it.
type Lane struct {
	ID, Agent, Model, Task string
	Depth                  int    // 0 for the run itself
	Trace                  string // its traceparent (W3C Trace Context), or ""
	Start, End             time.Time
	Status                 int64 // the run's exit status, -1 when its journal has no summary
	TokensIn, TokensOut    int64
	CostUSD                float64
	Bars                   []Bar
	Events                 []Event
}

// A Bar is a model call or a command.
type Bar struct {
	Kind       string // "model" or "command"
	Start, End time.Time
	Label      string // the model, or the command
	Level      string // the command's risk, "" for a model call
	Outcome    string // "done", "failed" or "denied"
	Note       string // what else a reader wants to know, in one line
	Turn       int    // from 1; 0 before the first
	Call       string // the tool call's id
	Event      []byte // the response, or the tool_result
}

// An Event is one line of the journal, for the list of a page.
type Event struct {
	Time time.Time
	Type string
	Line []byte // without its newline
}

// maxDepth is how many levels of subagents are followed.
const maxDepth = 16

// Read returns the lane of the run whose journal is at path, and then the lanes of its
// subagents, each after the agent that started it. bad is called with a line that is no
// event, and with a subagent's journal that cannot be read.
func Read(path string, bad func(error)) ([]*Lane, error) { return read(path, 0, bad) }

// read is Read for an agent at a depth.
func read(path string, depth int, bad func(error)) ([]*Lane, error) {
	j, size, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	r := reader{lane: &Lane{Depth: depth, Status: -1}, calls: map[string]*call{}}
	if err := store.Each(j, size, bad, r.event); err != nil {
		return nil, err
	}
	lanes := []*Lane{r.lane}
	children, err := run.Run{Dir: filepath.Dir(path)}.Children()
	if err != nil || depth == maxDepth {
		return lanes, err
	}
	for i := len(children) - 1; i >= 0; i-- { // oldest first
		below, err := read(children[i].Journal(), depth+1, bad)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			bad(err)
		}
		lanes = append(lanes, below...)
	}
	return lanes, nil
}

// A reader makes a lane of events.
type reader struct {
	lane  *Lane
	asked time.Time // when the model was asked last
	turn  int
	calls map[string]*call
}

// A call is a tool call without a result so far.
type call struct {
	command, level, reason string
	denied                 bool
}

// event takes in one event.
func (r *reader) event(line []byte, _ int64) error {
	get := func(path string) string { return event.Str(line, path) }
	at, _ := time.Parse(time.RFC3339, get("ts"))
	typ := event.Type(line)
	l := r.lane
	l.Events = append(l.Events, Event{at, typ, append([]byte(nil), line...)})
	// A clock may go back, so the lane spans all times that occur.
	if !at.IsZero() && (l.Start.IsZero() || at.Before(l.Start)) {
		l.Start = at
	}
	if at.After(l.End) {
		l.End = at
	}
	switch typ {
	case "run":
		l.ID, l.Agent, l.Task, l.Trace = get("id"), get("agent"), get("task"), get("traceparent")
	case "instruction":
		if l.Task == "" {
			l.Task = get("text")
		}
	case "turn":
		r.asked = at
		r.turn++
	case "tool_call":
		r.calls[get("id")] = &call{command: get("input.command")}
	case "verdict":
		if c := r.calls[get("call_id")]; c != nil {
			c.level, c.reason, c.denied = get("risk"), get("reason"), c.denied ||
				get("decision") == "deny"
			if changed := get("command"); changed != "" {
				c.command = changed
			}
		}
	case "tool_result":
		r.result(line, at)
	case "response":
		r.response(line, at)
	case "summary":
		l.Status = gjson.GetBytes(line, "exit_code").Int()
	}
	return nil
}

// result adds the bar of a command that has ended or was not run.
func (r *reader) result(line []byte, at time.Time) {
	c := r.calls[event.Str(line, "call_id")]
	if c == nil {
		c = &call{}
	}
	took := gjson.GetBytes(line, "duration_ms").Int()
	b := Bar{Kind: "command", Start: at.Add(-time.Duration(took) * time.Millisecond), End: at,
		Label: c.command, Level: c.level, Outcome: "done",
		Turn: r.turn, Call: event.Str(line, "call_id"), Event: append([]byte(nil), line...)}
	status, code := event.Str(line, "status"), gjson.GetBytes(line, "exit_code")
	switch {
	case status == "denied" || status == "refused":
		b.Outcome, b.Note = "denied", c.reason
	case code.Int() != 0 || event.Str(line, "signal") != "" || status != "" && status != "run":
		b.Outcome, b.Note = "failed", strings.TrimSpace(status+" exit "+code.Raw)
	}
	r.lane.Bars = append(r.lane.Bars, b)
}

// response adds the bar of a model call. It begins with the turn that asked; without a
// turn it is as long as the model took.
func (r *reader) response(line []byte, at time.Time) {
	l := r.lane
	start := r.asked
	if start.IsZero() || start.After(at) {
		start = at.Add(-time.Duration(gjson.GetBytes(line, "latency_ms").Int()) * time.Millisecond)
	}
	u := gjson.GetBytes(line, "usage")
	in := u.Get("input").Int() + u.Get("cache_read").Int() + u.Get("cache_write").Int()
	out := u.Get("output").Int()
	l.Model = event.Str(line, "model")
	l.TokensIn, l.TokensOut, l.CostUSD = l.TokensIn+in, l.TokensOut+out,
		l.CostUSD+u.Get("cost_usd").Float()
	b := Bar{Kind: "model", Start: start, End: at, Label: l.Model, Outcome: "done", Turn: r.turn,
		Note:  style.Count(in) + " tokens in, " + style.Count(out) + " out",
		Event: append([]byte(nil), line...)}
	if stop := event.Str(line, "stop_reason"); stop == "error" || stop == "interrupted" {
		b.Outcome = "failed"
	}
	r.asked = time.Time{}
	l.Bars = append(l.Bars, b)
}

// span returns when the first lane began and the last one ended.
func span(lanes []*Lane) (start, end time.Time) {
	for _, l := range lanes {
		if !l.Start.IsZero() && (start.IsZero() || l.Start.Before(start)) {
			start = l.Start
		}
		if l.End.After(end) {
			end = l.End
		}
	}
	return start, end
}
