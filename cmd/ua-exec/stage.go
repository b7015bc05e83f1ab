package main

import (
	"bytes"
	"context"
	"errors"
	"io"
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
	env     *prog.Env
	opts    *options
	exec    *executor
	queue   *queue
	mu      sync.Mutex // held while a line is taken up
	pending *call      // waits for its verdict
}

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
	x, err := newExecutor(ctx, env, o, environ)
	if err != nil {
		return err
	}
	defer x.close()
	s := &stage{env: env, opts: o, exec: x, queue: newQueue()}
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

// endings are the signals that end the run. One that the caller has ignored, as
// nohup does, stays ignored.
func endings() (list []os.Signal) {
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			list = append(list, sig)
		}
	}
	return list
}

// watchSignals ends the run at one of endings. SIGPIPE and SIGXFSZ become a
// write's error, so that a gone reader or a full file does not end this program
// before its commands.
func watchSignals(cancel context.CancelCauseFunc) {
	ch := make(chan os.Signal, 4)
	for _, sig := range endings() {
		signal.Notify(ch, sig)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGXFSZ)
	sig := <-ch
	cancel(interruption{sig.(syscall.Signal)})
}

// read takes up the input, line by line, until its end.
func (s *stage) read() error {
	r := event.NewReader(s.env.Stdin)
	for {
		line, err := r.Next()
		var bad *event.Malformed
		switch {
		case err == io.EOF:
			s.end()
			return nil
		case errors.As(err, &bad):
			s.queue.put(item{line: event.Error(s.env.Name, bad.Error(), false)})
		case err != nil:
			s.end()
			return err
		default:
			s.take(bytes.Clone(line))
		}
	}
}

// end takes up the end of the input.
func (s *stage) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unjudged()
}

// take takes up one event. A verdict is bound to the call before it.
func (s *stage) take(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch event.Type(line) {
	case "tool_call":
		s.unjudged()
		s.pending = newCall(line)
	case "verdict":
		if c := s.pending; c != nil && event.Str(line, "call_id") == c.id {
			s.pending = nil
			s.pass(line)
			s.decide(c, line)
			return
		}
	case "tool_result", "error":
		if c := s.pending; c != nil && event.Str(line, "call_id") == c.id {
			s.pending = nil // an earlier stage has answered it
		}
	case "response", "turn", "run", "summary":
		s.unjudged()
	}
	s.pass(line)
}

func (s *stage) pass(line []byte) { s.queue.put(item{line: line}) }

// decide runs or answers a call that has its verdict, or leaves one that needs
// a wider profile to the next stage. With --profile-over the stage before this
// one has answered all that it could run or was denied.
func (s *stage) decide(c *call, line []byte) {
	denied := c.judge(line)
	above := verdict.Profile(s.opts.above)
	switch {
	case above != "" && (denied != "" || c.profile.Within(above)):
	case denied != "":
		s.answer(c, "denied", denied)
	case !c.profile.Within(verdict.Profile(s.opts.profileMax)):
	default:
		s.run(c)
	}
}

// unjudged answers a call whose verdict did not come, or runs it --ungated.
func (s *stage) unjudged() {
	c := s.pending
	s.pending = nil
	if c == nil || s.opts.above != "" {
		return
	}
	if !s.opts.ungated {
		s.answer(c, "refused", "no verdict came for this call, so it was not run (ua-gate belongs before ua-exec)")
		return
	}
	c.risk, c.profile = verdict.Write, verdict.ProfileWorkspace
	if !c.profile.Within(verdict.Profile(s.opts.profileMax)) {
		c.profile = verdict.Profile(s.opts.profileMax)
	}
	s.run(c)
}

func (s *stage) answer(c *call, status, why string) {
	s.queue.put(item{line: answer(c, status, why)})
}

// run starts the call as soon as its turn has come, and queues its result.
func (s *stage) run(c *call) {
	if c.name != "shell" {
		s.answer(c, "not_found", "there is no tool of this name, only shell")
		return
	}
	if c.command == "" {
		s.answer(c, "refused", "the call has no command: input must be {\"command\": \"…\"}")
		return
	}
	s.queue.put(item{result: s.exec.start(c)})
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
		if it.result != nil {
			<-it.result.done
			it.line = it.result.line
		}
		if failed != nil {
			continue
		}
		if failed = w.Write(it.line); failed != nil {
			cancel(failed)
		}
	}
}
