package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A stage reads events, runs the calls among them, and writes everything in order.
type stage struct {
	env   *prog.Env
	opts  *options
	exec  *executor
	queue *queue

	mu      sync.Mutex             // held while a line is taken up
	pending *call                  // waits for its verdict, or for the line behind that
	verdict *judgement             // nil if none has come
	refused string                 // why it does not run whatever that says, or ""
	begun   map[string]*queuedCall // by the id of the call; nil for one that does not run
	kept    int                    // of begun, when those were let go
	calls   int                    // of this turn
	all     int                    // calls that have come
	stray   bool                   // a verdict of this answer stood behind no call
}

// read takes in the input line by line until its end. A call with a verdict is concluded
// as soon as no further line is waiting.
func (s *stage) read() error {
	r := event.NewReader(s.env.Stdin)
	var broken event.BrokenLines
	for {
		if s.judged() && !s.ready(r) {
			s.conclude()
		}
		line, err := r.Next()
		var bad *event.Malformed
		switch {
		case err == io.EOF:
			s.conclude()
			s.broken(broken.Rest())
			return nil
		case errors.As(err, &bad):
			s.broken(broken.Add(bad))
		case err != nil:
			s.conclude()
			return err
		default:
			s.take(bytes.Clone(line))
		}
	}
}

// broken queues the report on broken lines, if there is one.
func (s *stage) broken(bad *event.Malformed) {
	if bad != nil {
		s.queue.put(item{line: event.Error(s.env.Name, bad.Error(), false)})
	}
}

// judged reports whether a call is waiting that has a verdict.
func (s *stage) judged() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending != nil && s.verdict != nil
}

// conclude settles the call that is waiting, under the lock.
func (s *stage) conclude() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
}

// take takes in one event. A verdict belongs to the call before it, and the result of another
// stage counts more.
func (s *stage) take(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	typ := event.Type(line)
	if typ == "verdict" || typ == "tool_result" || typ == "error" {
		if id := event.Str(line, "call_id"); id != "" && s.about(typ, id, line) {
			return
		}
	}
	switch typ {
	case "tool_call":
		s.settle()
		s.pass(line)
		s.all++
		s.expect(newCall(line))
		return
	case "response", "turn", "run", "summary":
		s.settle()
		s.calls = 0
		s.stray = false
	case "ask", "answer":
	default:
		if s.verdict != nil { // a gate may write more before its verdict
			s.settle()
		}
	}
	s.pass(line)
}

// pass queues a line to be passed on.
func (s *stage) pass(line []byte) { s.queue.put(item{line: line}) }

// settle runs or answers the call that is waiting, by its verdict. A call
// that needs a wider profile is left to the next stage. With --profile-over the stage
// before this one has answered all calls that were denied or that it could run.
func (s *stage) settle() {
	c, v := s.pending, s.verdict
	s.pending, s.verdict = nil, nil
	above := verdict.Profile(s.opts.above)
	switch {
	case c == nil:
	case s.refused != "":
		s.answer(c, "refused", s.refused)
	case v == nil && above == "":
		s.unjudged(c)
	case v == nil || above != "" && (v.denied != "" || !v.beyond(above)):
	case v.denied != "":
		s.answer(c, "denied", v.denied)
	case !v.profile.Within(verdict.Profile(s.opts.profileMax)):
	case s.exec.shell.nested && !v.grant.Empty():
		if !s.opts.passes {
			s.answer(c, "refused", "the sandbox around this ua-exec can't be opened to one call, so it "+
				"was not run; ua-sandbox --write PATH or --net-allow HOST opens it to all")
		}
	default:
		c.judged(*v)
		s.run(c)
	}
}

// run submits the call and queues its result.
func (s *stage) run(c *call) {
	s.calls++
	if status, why := s.refusal(c); why != "" {
		s.answer(c, status, why)
		return
	}
	j := s.exec.submit(c)
	s.begun[c.id] = j
	s.queue.put(item{call: j})
}

// write writes the items of the queue in order. If a write fails, the run ends and the
// rest of the queue is discarded.
func (s *stage) write(cancel context.CancelCauseFunc) (failed error) {
	w := event.NewWriter(s.env.Stdout)
	pass := func(line []byte) {
		if failed != nil || line == nil {
			return
		}
		if failed = w.Write(line); failed != nil {
			cancel(failed)
		}
	}
	for {
		it, ok := s.queue.take()
		if !ok {
			return failed
		}
		if it.call != nil {
			if s.opts.progress {
				it.call.await(s.exec.environ.Secrets, pass)
			}
			<-it.call.done
			it.line = it.call.line
		}
		pass(it.line)
	}
}
