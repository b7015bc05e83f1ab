package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/call"
	"ua/cmd/ua-exec/internal/options"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// A stage reads events, runs the calls among them, and writes everything in order.
type stage struct {
	env   *prog.Env
	opts  *options.Options
	exec  *executor
	queue *queue

	mu       sync.Mutex      // held while a line is taken up
	pending  *call.Call      // waits for its verdict, or for the line behind that
	verdict  *call.Judgement // nil if none has come
	answer   map[string]bool // the IDs of the calls in the newest answer
	ended    bool            // and its response has come
	stray    bool            // a verdict in it does not stand directly behind its call
	reported bool            // and an error event has said so
	calls    int             // that run in this answer
	all      int             // calls that have come
}

// read takes in the input line by line until its end.
func (s *stage) read() error {
	defer s.conclude()
	r := event.NewReader(s.env.Stdin)
	var broken event.BrokenLines
	for {
		line, err := r.Next()
		var bad *event.Malformed
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			if bad = broken.Add(bad); bad != nil {
				s.queue.put(item{line: event.Error(s.env.Name, bad.Error(), false)})
			}
		case err != nil:
			return err
		default:
			s.take(bytes.Clone(line))
		}
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
	own := s.pending != nil && id != "" && id == s.pending.ID
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
		s.propose(call.New(line))
	case typ == "response" || typ == "turn" || typ == "run" || typ == "summary":
		s.settle()
		s.calls, s.ended, s.stray = 0, true, false
	default:
		s.settle()
	}
	s.pass(line)
}

// propose makes a call wait for its verdict.
func (s *stage) propose(c *call.Call) {
	if s.ended || s.answer == nil {
		s.answer, s.ended, s.reported = map[string]bool{}, false, false
	}
	s.answer[c.ID] = true
	s.pending = c
	s.all++
}

// judge takes in a verdict on the pending call.
func (s *stage) judge(line []byte) {
	s.pass(line)
	if s.verdict == nil {
		j := call.Parse(line)
		s.verdict = &j
		return
	}
	s.verdict = &call.Judgement{Denied: "it has two verdicts: " + replaces}
	s.complain(s.pending.ID, s.verdict.Denied+", so it does not run")
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
	above := verdict.Profile(s.opts.Above)
	switch {
	case c == nil:
	case above != "" && (v == nil || v.Denied != "" || !v.Beyond(above)):
	case s.stray:
		s.reply(c, "refused", misplaced)
	case v == nil:
		s.unjudged(c)
	case v.Denied != "":
		s.reply(c, "denied", v.Denied)
	case !v.Profile.Within(verdict.Profile(s.opts.ProfileMax)):
	case s.exec.Shell.Nested && !v.Grant.Empty():
		if !s.opts.Passes {
			s.reply(c, "refused", "the sandbox around this ua-exec can't be opened to one call, so it "+
				"was not run; ua-sandbox --write PATH or --net-allow HOST opens it to all")
		}
	default:
		c.Judged(*v)
		s.submit(c)
	}
}

// submit hands the call to the executor and queues its result.
func (s *stage) submit(c *call.Call) {
	s.calls++
	if status, why := s.refusal(c); why != "" {
		s.reply(c, status, why)
		return
	}
	s.queue.put(item{call: s.exec.submit(c)})
}

// unjudged answers a call without a verdict. With --ungated it runs it instead.
func (s *stage) unjudged(c *call.Call) {
	if !s.opts.Ungated {
		s.reply(c, "refused",
			"no verdict came for this call, so it was not run (ua-gate belongs before ua-exec)")
		return
	}
	j := call.Judgement{Risk: verdict.Write, Profile: verdict.ProfileWorkspace}
	if !j.Profile.Within(verdict.Profile(s.opts.ProfileMax)) {
		j.Profile = verdict.Profile(s.opts.ProfileMax)
	}
	c.Judged(j)
	s.submit(c)
}

// refusal returns the status and the text of the result of a call that may run by its
// verdicts but does not. They are "" for a call that enters the executor's queue.
func (s *stage) refusal(c *call.Call) (status, why string) {
	switch {
	case c.Name != "shell":
		return "not_found", "there is no tool of this name, only shell"
	case c.Bad != "":
		return "refused", c.Bad
	case c.Command == "":
		return "refused", "the call has no command: input must be {\"command\": \"…\"}"
	case s.opts.Commands >= 0 && s.all > s.opts.Commands:
		return "refused", fmt.Sprintf("reached the limit of %s, so it was not run",
			style.Plural(int64(s.opts.Commands), "command"))
	case s.opts.CallsMax > 0 && s.calls > s.opts.CallsMax:
		return "refused", fmt.Sprintf(
			"more than %d calls in one turn: the rest was not run (--calls-max)", s.opts.CallsMax)
	}
	return "", ""
}

// reply queues the result of a call that was not run.
func (s *stage) reply(c *call.Call, status, why string) {
	s.queue.put(item{line: c.NotRun(status, why)})
}

// maxJoined is how many bytes of lines that are there together are written at once, about.
const maxJoined = 32 << 10

// write writes the items of the queue in order, and at once those that are there together: who
// keeps them is woken once. If a write fails, the run ends and the rest of the queue is discarded.
func (s *stage) write(cancel context.CancelCauseFunc) (failed error) {
	var ready [][]byte
	size := 0
	flush := func() {
		if failed == nil && len(ready) > 0 {
			if failed = s.exec.out.Write(ready...); failed != nil {
				cancel(failed)
			}
		}
		ready, size = nil, 0
	}
	for {
		it, ok := s.queue.take()
		if !ok {
			return failed
		}
		if it.call != nil {
			flush()
			if s.opts.Progress {
				it.call.await(s.exec.Environ.Secrets, func(line []byte) {
					ready = append(ready, line)
					flush()
				})
			}
			<-it.call.done
			it.line = it.call.line
		}
		if it.line != nil {
			ready, size = append(ready, it.line), size+len(it.line)
		}
		if size > maxJoined || s.queue.empty() {
			flush()
		}
	}
}

// lastWords is how long the earlier stages may take, after a signal has ended the run, to
// write what they have and to close the pipe. A response that ua-think has begun must not
// be lost because this stage has ended first.
const lastWords = 700 * time.Millisecond

// interrupt takes in what earlier stages still say when a signal has reached them as
// well, and answers the call that is waiting for its verdict. After a short time no
// further line is taken.
func (s *stage) interrupt(cause error, input <-chan error) (err error) {
	s.queue.hurry()
	if !errors.Is(cause, syscall.EPIPE) {
		select {
		case err = <-input:
		case <-time.After(lastWords):
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.pending; c != nil && s.opts.Above == "" {
		s.pending = nil
		s.reply(c, "refused", interrupted)
	}
	s.queue.close()
	return err
}
