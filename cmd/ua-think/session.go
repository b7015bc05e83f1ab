package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// A session answers the turns of a conversation: all that one process is asked.
type session struct {
	env    *prog.Env
	o      *options
	cfg    *settings
	out    *outbox
	client *client
	models []model // the one to ask, then the ones to fall back on

	talk    *conversation
	lines   []string        // that the conversation came in
	bytes   int             // of lines
	ids     map[string]bool // of its calls
	answers int             // responses in it, those that a checkpoint stands for too
	played  int             // responses that a recording gave, in all conversations
	spent   usage           // by the run: what is fed again, cut, counts once
	counted map[string]bool // hashes of the requests in spent
	fresh   bool            // something came that is not asked about yet
	turns   bool            // a turn event came: the end of input asks only for an instruction
	outcome error
	told    bool              // the error that ends the program has its event
	prices  map[string]*price // by PROVIDER/NAME; nil for none
}

// forget starts a new conversation.
func (s *session) forget() {
	s.talk = newConversation(s.o)
	s.lines, s.bytes, s.answers = nil, 0, 0
	s.ids = map[string]bool{}
	s.fresh, s.turns = false, false
}

// take adds a line to the conversation, or asks.
func (s *session) take(ctx context.Context, line string) error {
	switch gjson.Get(line, "type").Str {
	case "turn":
		s.turns, s.fresh = true, false
		return s.ask(ctx)
	case "run":
		if id := gjson.Get(line, "id").Str; id == "" || id != s.talk.run {
			s.spent, s.counted = usage{}, map[string]bool{}
		}
		s.forget()
		s.keep(line)
	case "response":
		s.keep(line)
		s.answered(gjson.Parse(line))
	case "checkpoint":
		s.compact()
		s.keep(line)
	case "tool_call":
		s.keep(line)
		s.ids[gjson.Get(line, "id").Str] = true
		s.fresh = s.fresh || !s.turns
	case "instruction":
		s.keep(line)
		s.fresh = true
	case "shell_command", "message", "tool_result":
		s.keep(line)
		s.fresh = s.fresh || !s.turns
	case "system", "error":
		s.keep(line)
	}
	return nil
}

// answered takes note of a response in the conversation: what came before it
// was asked about, and unless it ends the matter there is more to ask.
func (s *session) answered(ev gjson.Result) {
	s.answers++
	if sha := ev.Get("request_sha256").Str; sha == "" || !s.counted[sha] {
		s.spent.add(readUsage(ev.Get("usage")))
		s.counted[sha] = true
	}
	for _, id := range ev.Get(`content.#(type=="tool_use")#.id`).Array() {
		s.ids[id.Str] = true
	}
	switch ev.Get("stop_reason").Str {
	case "tool_use", "interrupted", "max_tokens", "error":
		s.fresh = !s.turns
	default:
		s.fresh = false
	}
}

func (s *session) keep(line string) {
	s.lines = append(s.lines, line)
	s.bytes += len(line)
	s.talk.add(line)
}

// compact leaves out what a checkpoint stands for: all but the run, the system
// and the first instruction.
func (s *session) compact() {
	lines := s.lines
	s.lines, s.bytes, s.talk = nil, 0, newConversation(s.o)
	asked := false
	for _, line := range lines {
		typ := gjson.Get(line, "type").Str
		if typ == "run" || typ == "system" || typ == "instruction" && !asked {
			s.keep(line)
			asked = asked || typ == "instruction"
		}
	}
}

// finish asks about what is left at the end of input, and gives the outcome of
// the last answer.
func (s *session) finish(ctx context.Context) error {
	switch {
	case s.fresh:
		if err := s.ask(ctx); err != nil {
			return err
		}
	case s.turns:
	case s.answers > 0:
		return prog.Errorf(prog.Trouble, "the conversation ends with the model's answer: there is nothing to ask").Hintf("add an instruction")
	default:
		return prog.Errorf(prog.Trouble, "there is nothing to ask: no instruction came")
	}
	return s.outcome
}

// ask asks the first model that answers. A nil error means that an answer has
// been written, and s.outcome says whether it is a good one.
func (s *session) ask(ctx context.Context) error {
	r := &request{o: s.o, talk: s.talk.now(), lines: s.lines, bytes: s.bytes, schema: s.o.schema}
	if len(r.talk.messages) == 0 {
		return s.give(nil, &failure{msg: "there is nothing to ask: no instruction came", status: prog.Trouble})
	}
	var last *failure
	for i, m := range s.models {
		var err error
		if i > 0 {
			s.note("asking %s instead", m.spec())
			if m, err = s.cfg.unlock(m); err != nil {
				return s.give(nil, asFailure(err))
			}
		}
		k, err := prepare(m, r)
		if err == nil && s.o.dryRun {
			return s.show(m, k)
		}
		if err == nil {
			err = s.afford(m, k)
		}
		if err != nil {
			return s.give(nil, asFailure(err))
		}
		a, f := s.try(ctx, m, k)
		if f == nil || a != nil && a.began || !f.retry {
			return s.give(a, f)
		}
		last = f
	}
	return s.give(nil, last)
}

// try asks one model, again after failures that may pass and before which
// nothing was said. The answer is nil when nothing came of it.
func (s *session) try(ctx context.Context, m model, k call) (*answer, *failure) {
	for n := 0; ; n++ {
		a := &answer{out: s.out, limits: s.client.limits, ids: s.ids, sha: k.sha256(), spec: m.spec(), start: time.Now()}
		var err error
		if k.play != nil {
			err = k.play(ctx, s, a)
		} else {
			s.client.warm(k.url)
			a.paid = true
			err = s.client.do(ctx, m, k, a)
		}
		if err == nil {
			return a, nil
		}
		f := asFailure(err)
		if ctx.Err() != nil {
			return a, &failure{msg: "interrupted", status: interrupted(ctx)}
		}
		if a.began || !f.retry || n >= s.o.retries {
			return a, f
		}
		wait := f.wait
		if wait == 0 {
			wait = min(backoff(n), s.o.maxWait)
		} else if wait > s.o.maxWait {
			f.hint = fmt.Sprintf("the provider asks to wait %s, until %s; --max-wait is %s", wait.Round(time.Second), time.Now().Add(wait).UTC().Format(time.RFC3339), s.o.maxWait)
			return a, f
		}
		s.retrying(f, wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return a, &failure{msg: "interrupted", status: interrupted(ctx)}
		}
	}
}

// backoff is the wait before try n+1: half a second, doubled each time up to 30
// seconds, and moved by up to half of it, so that many that failed together do
// not come back together.
func backoff(n int) time.Duration {
	d := min(500*time.Millisecond<<min(n, 10), 30*time.Second)
	return d/2 + rand.N(d)
}

// retrying tells of a try that failed and is made again.
func (s *session) retrying(f *failure, wait time.Duration) {
	again := *f
	again.retry, again.wait = true, wait
	s.out.add(again.event())
	s.note("%s; trying again in %s", f.msg, wait.Round(time.Millisecond))
}

// note prints a dim line for people.
func (s *session) note(format string, a ...any) {
	if s.o.quiet {
		return
	}
	fmt.Fprintln(s.env.Stderr, style.For(s.env.Stderr).Dim("ua-think: "+style.Printable(fmt.Sprintf(format, a...))))
}

// give ends a turn: the failure's event first, then the response with what was
// complete, which is the barrier for the stages behind. A failure that left
// the model's words incomplete ends the program.
func (s *session) give(a *answer, f *failure) error {
	if f == nil {
		if a.calls > 0 && a.stop == "end_turn" {
			a.stop = "tool_use" // some servers don't say so
		}
		if f = judge(a); f == nil && s.o.schema != "" && a.calls == 0 {
			f = checkAnswer(s.o.schema, a)
		}
		s.outcome = nil
		if s.told = f != nil; s.told {
			s.out.add(f.event())
			s.outcome = f.exit()
		}
		s.respond(a)
		return nil
	}
	s.told = true
	s.out.add(f.event())
	if a != nil && (a.began || f.status > 128) {
		a.stop = "interrupted"
		s.respond(a)
	}
	if f.status > 128 {
		return prog.Exit(f.status)
	}
	return f.exit()
}

// judge is what is wrong with an answer that is complete, if anything.
func judge(a *answer) *failure {
	switch a.stop {
	case "refusal":
		return refused(a.why)
	case "max_tokens":
		if a.why == "model_context_window_exceeded" {
			return apiFailure("the answer is not whole", 0, "context_length_exceeded", "the model's context is full")
		}
		return &failure{msg: "the answer is not whole: it reached the limit of its tokens", hint: "--max-tokens lifts it", status: prog.No}
	case "error":
		return &failure{msg: "the provider ended the answer with an error: " + a.why, status: prog.TryLater, retry: true}
	}
	return nil
}

// respond writes the response event.
func (s *session) respond(a *answer) {
	if a.recorded != nil {
		s.out.add(a.recorded)
		return
	}
	for _, b := range a.blocks {
		if a.stop != "interrupted" {
			a.close(b)
		}
	}
	e := event.New("response").Str("model", a.spec)
	if a.model != "" && !strings.HasSuffix(a.spec, "/"+a.model) {
		e.Str("served_by", a.model)
	}
	s.price(a)
	head := e.Str("stop_reason", a.stop).Raw("content", nil).Line()
	tail := append([]byte(`,"usage":`), a.usage.json()...)
	tail = append(append(tail, `,"request_sha256":"`...), a.sha...)
	tail = fmt.Appendf(tail, `","latency_ms":%d}`, time.Since(a.start).Milliseconds())
	s.out.add(append(append([][]byte{head[:len(head)-1]}, a.content()...), tail)...)
}
