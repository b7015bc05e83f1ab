// Package foreign reads the sessions that other agents keep, each a file of JSON lines, as the
// events of a run. A line of which anything is not understood is kept whole in an event of the
// type foreign, so nothing is lost.
package foreign

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/capture"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/redact"
	"ua/internal/common/scrub"
)

// A session is read from its start. Other agents write an answer before what became of its
// calls, and perhaps in several lines; a journal has the results first. So an answer is held
// back until the next one begins.
type session struct {
	from, id, cwd string
	take          func(line []byte) error
	err           error // of take
	begun         bool
	held          [][]byte        // lines before the run has begun
	seen          map[string]bool // IDs of calls
	answer        answer
	turns         int64
	results       int // of calls, so far
	model         string
	secrets       *redact.Set // of known formats
}

// An answer is one of the model, with what became of its calls.
type answer struct {
	key, ts, model string
	blocks         [][]byte
	calls          []*call
	usage          [4]int64 // input, from a cache, into a cache, output
}

// A call is one of a tool: its event, and what became of it.
type call struct {
	id, ts  string
	event   []byte
	verdict bool // it has one: a command of a shell
	denied  bool
	result  []byte // nil without one
}

// Import reads a session of an agent, and gives take the events of the run with this ID.
func Import(from, id string, in io.Reader, take func(line []byte) error) error {
	s := &session{from: from, id: id, take: take, seen: map[string]bool{},
		secrets: redact.NewSet(nil)}
	for lines := event.NewReader(in); ; {
		line, err := lines.Next()
		var bad *event.Malformed
		if err == io.EOF {
			return s.end()
		} else if err != nil && !errors.As(err, &bad) || s.err != nil {
			return cmp.Or(s.err, err)
		}
		r := gjson.ParseBytes(bytes.Clone(line))
		object := event.ValidJSON(line) && r.IsObject()
		if object {
			s.cwd = cmp.Or(s.cwd, r.Get("cwd").Str, r.Get("payload.cwd").Str)
		}
		if object && s.line(r) {
			continue
		}
		e := event.At("foreign", cmp.Or(r.Get("timestamp").Str, event.Now())).Str("from", from)
		if object {
			s.put(e.Raw("line", line).Line())
		} else {
			s.put(e.Str("text", string(line)).Line())
		}
	}
}

// put hands over an event, once the run has begun.
func (s *session) put(line []byte) {
	if !s.begun {
		s.held = append(s.held, line)
	} else if s.err == nil {
		s.err = s.take(line)
	}
}

// begin writes what a run begins with, and what came before.
func (s *session) begin(ts, task string) {
	if s.begun {
		return
	}
	s.begun = true
	s.put(event.At("run", ts).Str("id", s.id).Str("task", task).Str("from", s.from).
		Str("cwd", s.cwd).Str("version", prog.Version()).Line())
	s.put(event.System())
	for _, line := range s.held {
		s.put(line)
	}
}

// user takes what the person said.
func (s *session) user(ts, text string) {
	s.flush()
	s.begin(ts, text)
	s.put(event.At("instruction", ts).Str("text", text).Line())
}

// say adds a text to an answer.
func (a *answer) say(text string) {
	a.blocks = append(a.blocks, fmt.Appendf(nil, `{"type":"text","text":%s}`,
		event.AppendString(nil, text)))
}

// call adds a call to an answer. A command of a shell is one of ours; other tools keep their
// names. It reports whether the call is new and has an ID.
func (s *session) call(a *answer, b gjson.Result) bool {
	id, name := first(b, "call_id", "id").Str, cmp.Or(b.Get("name").Str, "local_shell")
	if id == "" || s.seen[id] {
		return false
	}
	s.seen[id] = true
	input := first(b, "input", "arguments", "action")
	if in := gjson.Parse(input.Str); in.IsObject() && event.ValidJSON([]byte(input.Str)) {
		input = in
	}
	c, raw := &call{id: id, ts: a.ts}, []byte(input.Raw)
	if command := commandOf(name, input); command != "" {
		name, c.verdict = "shell", true
		raw = append(event.AppendString([]byte(`{"command":`), command), '}')
	} else if !input.IsObject() {
		raw = append(event.AppendString([]byte(`{"input":`), input.String()), '}')
	}
	c.event = event.At("tool_call", a.ts).Str("id", id).Str("name", name).Raw("input", raw).Line()
	a.calls = append(a.calls, c)
	a.blocks = append(a.blocks, fmt.Appendf(nil, `{"type":"tool_use","id":%s,"name":%s,"input":%s}`,
		event.AppendString(nil, id), event.AppendString(nil, name), raw))
	return true
}

// result takes the result of a call, and reports whether there is such a call.
func (s *session) result(ts string, b gjson.Result) bool {
	id := first(b, "tool_use_id", "toolCallId", "call_id").Str
	i := slices.IndexFunc(s.answer.calls, func(c *call) bool { return c.id == id && c.result == nil })
	if i < 0 {
		return false
	}
	s.results++
	output, code := s.outcome(b)
	c, e := s.answer.calls[i], event.At("tool_result", ts).Str("call_id", id)
	c.denied = strings.HasPrefix(output, "The user doesn't want to") ||
		strings.HasPrefix(output, "exec command rejected by user")
	if c.denied {
		e.Str("status", "denied")
	} else {
		e.Str("status", "run").Int("exit_code", code)
	}
	text, _ := s.secrets.Text(output)
	text, _ = scrub.Text(text)
	c.result = e.Str("output", capture.Frame(text)).Line()
	return true
}

// flush writes the answer that was held back.
func (s *session) flush() {
	a := s.answer
	s.answer = answer{}
	if len(a.blocks) == 0 {
		return
	}
	s.turns++
	s.put(event.At("turn", a.ts).Int("n", s.turns).Line())
	stop := "end_turn"
	for _, c := range a.calls {
		stop = "tool_use"
		s.put(c.event)
		v := event.At("verdict", c.ts).Str("call_id", c.id)
		if c.denied {
			s.put(v.Str("decision", "deny").Str("by", "person").Line())
		} else if c.verdict {
			s.put(v.Str("decision", "allow").Str("by", s.from).Line())
		}
		if c.result != nil {
			s.put(c.result)
		}
	}
	u := a.usage
	s.put(event.At("response", a.ts).Str("model", a.model).Str("stop_reason", stop).
		Raw("content", slices.Concat([]byte("["), bytes.Join(a.blocks, []byte(",")), []byte("]"))).
		Raw("usage", fmt.Appendf(nil, `{"input":%d,"cache_read":%d,"cache_write":%d,"output":%d}`,
			u[0], u[1], u[2], u[3])).Line())
}

// end ends the run. A file without a word of a conversation is not one of the agent's.
func (s *session) end() error {
	s.flush()
	if !s.begun {
		return prog.Errorf(prog.Trouble, "no session of %s: nothing said in it is known", s.from)
	}
	s.put(event.New("summary").Int("exit_code", 0).Int("commands", int64(s.results)).Line())
	return s.err
}
