package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
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

	mu       sync.Mutex      // held while a line is taken up
	pending  *call           // waits for its verdict, or for the line behind that
	verdict  *judgement      // nil if none has come
	answer   map[string]bool // the IDs of the calls in the newest answer
	ended    bool            // and its response has come
	stray    bool            // a verdict in it does not stand directly behind its call
	reported bool            // and an error event has said so
	calls    int             // that run in this answer
	all      int             // calls that have come
}

// read takes in the input line by line until its end.
func (s *stage) read() error {
	r := event.NewReader(s.env.Stdin)
	var broken event.BrokenLines
	for {
		line, err := r.Next()
		var bad *event.Malformed
		switch {
		case err == io.EOF:
			s.conclude()
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

// conclude settles the call that is waiting, under the lock.
func (s *stage) conclude() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
}

// take takes in one event. A call is settled by the first line behind it that is no verdict on
// it: whoever adds to what the gate says of it writes that before. ua-think has such a line
// follow each call, so that nobody waits for one.
func (s *stage) take(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := event.Str(line, "call_id")
	own := s.pending != nil && id != "" && id == s.pending.id
	switch typ := event.Type(line); {
	case typ == "ask" || typ == "answer":
	case typ == "verdict" && own:
		s.judge(line)
		return
	case own && (typ == "tool_result" || typ == "error"): // an earlier stage has answered it
		s.pending, s.verdict = nil, nil
	case typ == "verdict":
		s.stray = s.stray || !s.ended || !s.answer[id]
		s.settle()
		s.pass(line)
		if s.answer != nil && !s.reported {
			s.reported = true
			s.complain(id, misplaced)
		}
		return
	case typ == "tool_call":
		s.settle()
		s.propose(newCall(line))
	case typ == "response" || typ == "turn" || typ == "run" || typ == "summary":
		s.settle()
		s.calls, s.ended, s.stray = 0, true, false
	default:
		s.settle()
	}
	s.pass(line)
}

// propose makes a call wait for its verdict.
func (s *stage) propose(c *call) {
	if s.ended || s.answer == nil {
		s.answer, s.ended, s.reported = map[string]bool{}, false, false
	}
	s.answer[c.id] = true
	s.pending = c
	s.all++
}

// judge takes in a verdict on the pending call.
func (s *stage) judge(line []byte) {
	s.pass(line)
	if s.verdict == nil {
		j := parseJudgement(line)
		s.verdict = &j
		return
	}
	s.verdict = &judgement{denied: "it has two verdicts: " + replaces}
	s.complain(s.pending.id, s.verdict.denied+", so it does not run")
}

// replaces is what a stage has to do that says something of a call, too.
const replaces = "a second gate replaces the verdict behind the call by the stricter one " +
	"(ua-events(5))"

// misplaced is said of a verdict that stands behind no call, or not directly.
const misplaced = "a verdict does not stand directly behind its call, " +
	"so no further call of this answer runs: " + replaces

// complain queues an error event about what was said of a call.
func (s *stage) complain(id, message string) {
	s.queue.put(item{line: event.New("error").Str("stage", s.env.Name).Str("call_id", id).
		Str("message", message).Bool("retryable", false).Line()})
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
	case above != "" && (v == nil || v.denied != "" || !v.beyond(above)):
	case s.stray:
		s.reply(c, "refused", misplaced)
	case v == nil:
		s.unjudged(c)
	case v.denied != "":
		s.reply(c, "denied", v.denied)
	case !v.profile.Within(verdict.Profile(s.opts.profileMax)):
	case s.exec.shell.nested && !v.grant.Empty():
		if !s.opts.passes {
			s.reply(c, "refused", "the sandbox around this ua-exec can't be opened to one call, so it "+
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
		s.reply(c, status, why)
		return
	}
	s.queue.put(item{call: s.exec.submit(c)})
}

// write writes the items of the queue in order. If a write fails, the run ends and the
// rest of the queue is discarded.
func (s *stage) write(cancel context.CancelCauseFunc) (failed error) {
	pass := func(line []byte) {
		if failed != nil || line == nil {
			return
		}
		if failed = s.exec.out.Write(line); failed != nil {
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

// An item is a line to pass on, or a call whose result is still to come.
type item struct {
	line []byte
	call *queuedCall
}

// size returns about how many bytes of memory the item takes.
func (it *item) size() int {
	n := itemBytes + len(it.line)
	if it.call != nil {
		n += jobBytes + len(it.call.call.command)
	}
	return n
}

// A queue holds what is to be written, in order. It is no outbox.Outbox, which holds lines:
// most items here are calls that still run, and who takes one waits for its result.
type queue struct {
	mu     sync.Mutex
	change *sync.Cond
	items  []item
	size   int // of the items, by what they take in memory
	max    int
	closed bool
}

// newQueue returns an empty queue that holds up to maxAhead bytes.
func newQueue() *queue {
	q := &queue{max: maxAhead}
	q.change = sync.NewCond(&q.mu)
	return q
}

// put adds an item, and first waits while the queue is full. Once the queue is closed it
// does nothing.
func (q *queue) put(it item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.size > q.max && !q.closed {
		q.change.Wait()
	}
	if q.closed {
		return
	}
	q.items = append(q.items, it)
	q.size += it.size()
	q.change.Broadcast()
}

// take returns the next item. ok is false when no more will come.
func (q *queue) take() (it item, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		if q.closed {
			return item{}, false
		}
		q.change.Wait()
	}
	it = q.items[0]
	q.items[0] = item{}
	q.items = q.items[1:]
	q.size -= it.size()
	q.change.Broadcast()
	return it, true
}

// hurry raises the limit, so that put no longer waits.
func (q *queue) hurry() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.max = math.MaxInt
	q.change.Broadcast()
}

// close closes the queue. take still returns what the queue holds.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.change.Broadcast()
}
