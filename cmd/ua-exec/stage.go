package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A stage reads events, runs the calls among them, and writes all in order.
type stage struct {
	env   *prog.Env
	opts  *options
	exec  *executor
	queue *queue

	mu      sync.Mutex      // held while a line is taken up
	pending *call           // waits for its verdict, or for more of them
	verdict *judgement      // what those that have come say, nil for none
	begun   map[string]*job // by the id of the call; some have ended
	kept    int             // of begun, when those were let go
	calls   int             // of this turn
}

// joinWait is how long a call that has a verdict waits for one more, or for an
// answer, while no line is there: a stage between the gate and this one may write
// its own a moment after the gate's. With --one-gate nothing is waited for.
const joinWait = 50 * time.Millisecond

// An interruption is the signal that ended the run.
type interruption struct{ sig syscall.Signal }

func (i interruption) Error() string { return i.sig.String() }

// lastWords is how long the earlier stages may take, once a signal has ended the
// run, to write what they have and close the pipe: a response that ua-think had
// begun must not be lost because this stage is gone first.
const lastWords = 700 * time.Millisecond

// serve is the program's life between its options and its exit status.
func serve(env *prog.Env, o *options, environ []string) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go spareSomeThreads()
	x, err := newExecutor(ctx, env, o, environ)
	if err != nil {
		return err
	}
	defer x.close()
	s := &stage{env: env, opts: o, exec: x, queue: newQueue(), begun: map[string]*job{}}
	go watchSignals(cancel)
	go func() {
		hungUp(int(env.Stdout.Fd()))
		cancel(syscall.EPIPE)
	}()
	input := make(chan error, 1)
	go func() { input <- s.read() }()
	written := make(chan error, 1)
	go func() { written <- s.write(cancel) }()

	var readErr, writeErr error
	select {
	case readErr = <-input:
	case <-ctx.Done():
		x.end()
		readErr = s.interrupt(context.Cause(ctx), input)
	}
	s.queue.close()
	select {
	case writeErr = <-written:
	case <-ctx.Done():
		select {
		case writeErr = <-written:
		case <-time.After(hurry): // nobody reads
		}
	}
	x.end()
	return status(context.Cause(ctx), readErr, writeErr)
}

// interrupt takes up what the earlier stages still say when a signal has reached
// them too, and answers the call that waits for its verdict. The line that is
// being taken up then is the last one.
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
	if c := s.pending; c != nil && s.opts.above == "" {
		s.pending = nil
		s.answer(c, "refused", interrupted)
	}
	s.queue.close()
	return err
}

// interrupted is what calls are told whose turn did not come.
const interrupted = "the run was interrupted before this call's turn, so it was not run"

// status is the error that the stage ends with. Nobody is there to read it
// when the reader of its output is gone.
func status(cause, readErr, writeErr error) error {
	var i interruption
	switch {
	case errors.As(cause, &i):
		return prog.Exit(128 + int(i.sig))
	case errors.Is(cause, syscall.EPIPE) || errors.Is(writeErr, syscall.EPIPE):
		return prog.Exit(128 + int(syscall.SIGPIPE))
	case writeErr != nil:
		return prog.Errorf(prog.Trouble, "stdout: %v", writeErr)
	case readErr != nil:
		return prog.Errorf(prog.Trouble, "stdin: %v", readErr)
	}
	return nil
}

// endings are the signals that end the run.
func endings() []os.Signal { return []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} }

// watchSignals ends the run at one of endings. SIGPIPE and SIGXFSZ become a
// write's error, so that a gone reader or a full file does not end this program
// before its commands.
func watchSignals(cancel context.CancelCauseFunc) {
	ch := make(chan os.Signal, 4)
	prog.Notify(ch, endings()...)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGXFSZ)
	sig := <-ch
	cancel(interruption{sig.(syscall.Signal)})
}

// read takes up the input, line by line, until its end.
func (s *stage) read() error {
	r := event.NewReader(s.env.Stdin)
	for {
		if s.judged() && !s.ready(r) {
			s.conclude()
		}
		line, err := r.Next()
		var bad *event.Malformed
		switch {
		case err == io.EOF:
			s.conclude()
			return nil
		case errors.As(err, &bad):
			s.queue.put(item{line: event.Error(s.env.Name, bad.Error(), false)})
		case err != nil:
			s.conclude()
			return err
		default:
			s.take(bytes.Clone(line))
		}
	}
}

// judged says whether a call waits that has a verdict.
func (s *stage) judged() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending != nil && s.verdict != nil
}

// ready says whether a further line is there, or comes within joinWait.
func (s *stage) ready(r *event.Reader) bool {
	if r.Ready() {
		return true
	}
	wait := joinWait
	if s.opts.oneGate {
		wait = 0
	}
	return readable(int(s.env.Stdin.Fd()), wait)
}

// conclude runs or answers the call that waits, by the verdicts that have come.
func (s *stage) conclude() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
}

// take takes up one event. Verdicts are bound to the call before them: of several
// the strictest of each member holds, and a result by another stage comes before
// all of them.
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
		s.pending, s.verdict = newCall(line), nil
	case "response", "turn", "run", "summary":
		s.settle()
		s.calls = 0
	case "ask", "answer":
	default:
		if s.verdict != nil {
			s.settle()
		}
	}
	s.pass(line)
}

// about takes up what an event says of the call with the id, and says whether it
// is one of ours.
func (s *stage) about(typ, id string, line []byte) bool {
	if c := s.pending; c != nil && c.id == id {
		s.pass(line)
		if typ != "verdict" { // an earlier stage has answered it
			s.pending, s.verdict = nil, nil
			return true
		}
		j := parseJudgement(line)
		if s.verdict != nil {
			j = s.verdict.join(j)
		}
		s.verdict = &j
		return true
	}
	j := s.begun[id]
	if j == nil || typ == "error" {
		return false
	}
	s.pass(line)
	s.late(typ, j, line)
	return true
}

// late takes up what comes for a call that was begun: a result by another stage
// takes the place of ours, and a verdict that is stricter ends the command.
func (s *stage) late(typ string, j *job, line []byte) {
	why, answered := "another stage has answered the call", typ == "tool_result"
	if !answered {
		joined := j.joined.join(parseJudgement(line))
		if joined == j.joined {
			return
		}
		if why = joined.denied; why == "" {
			why = "the gates judged it differently"
		}
	}
	if j.revoke(why, answered) {
		why = "its command was ended: " + why
	} else {
		why = "its command had ended already: " + why
	}
	s.queue.put(item{line: event.New("error").Str("stage", s.env.Name).Str("call_id", j.call.id).
		Str("message", typ+" for call "+j.call.id+" came late; "+why).Bool("retryable", false).Line()})
}

func (s *stage) pass(line []byte) { s.queue.put(item{line: line}) }

// settle runs or answers the call that waits. One that needs a wider profile is
// left to the next stage; with --profile-over the stage before this one has
// answered all that it could run or was denied.
func (s *stage) settle() {
	c, v := s.pending, s.verdict
	s.pending, s.verdict = nil, nil
	above := verdict.Profile(s.opts.above)
	switch {
	case c == nil:
	case v == nil && above == "":
		s.unjudged(c)
	case v == nil || above != "" && (v.denied != "" || v.profile.Within(above)):
	case v.denied != "":
		s.answer(c, "denied", v.denied)
	case !v.profile.Within(verdict.Profile(s.opts.profileMax)):
	default:
		c.judged(*v)
		s.run(c, *v)
	}
}

// unjudged answers a call whose verdict did not come, or runs it --ungated.
func (s *stage) unjudged(c *call) {
	if !s.opts.ungated {
		s.answer(c, "refused", "no verdict came for this call, so it was not run (ua-gate belongs before ua-exec)")
		return
	}
	j := judgement{risk: verdict.Write, profile: verdict.ProfileWorkspace}
	if !j.profile.Within(verdict.Profile(s.opts.profileMax)) {
		j.profile = verdict.Profile(s.opts.profileMax)
	}
	c.judged(j)
	s.run(c, j)
}

func (s *stage) answer(c *call, status, why string) {
	s.queue.put(item{line: answer(c, status, why)})
}

// run has the call run as soon as its turn has come, and queues its result.
func (s *stage) run(c *call, joined judgement) {
	s.calls++
	switch {
	case c.name != "shell":
		s.answer(c, "not_found", "there is no tool of this name, only shell")
		return
	case c.command == "":
		s.answer(c, "refused", "the call has no command: input must be {\"command\": \"…\"}")
		return
	case s.opts.callsMax > 0 && s.calls > s.opts.callsMax:
		s.answer(c, "refused", fmt.Sprintf("more than %d calls in one turn: the rest was not run (--calls-max)", s.opts.callsMax))
		return
	}
	if len(s.begun) > 2*s.kept+64 {
		maps.DeleteFunc(s.begun, func(_ string, j *job) bool { return j.isDone() })
		s.kept = len(s.begun)
	}
	j := s.exec.submit(c, joined)
	s.begun[c.id] = j
	s.queue.put(item{job: j})
}

// write writes the queue's items in order. When that fails the run ends, and
// what was taken up is thrown away.
func (s *stage) write(cancel context.CancelCauseFunc) (failed error) {
	w := event.NewWriter(s.env.Stdout)
	for {
		it, ok := s.queue.take()
		if !ok {
			return failed
		}
		if it.job != nil {
			<-it.job.done
			it.line = it.job.line
		}
		if failed != nil || it.line == nil {
			continue
		}
		if failed = w.Write(it.line); failed != nil {
			cancel(failed)
		}
	}
}
