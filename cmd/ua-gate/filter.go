package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"ua/cmd/ua-gate/internal/person"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// A stream is the events on their way through the gate.
type stream struct {
	r *event.Reader
	w *event.Writer

	verdict []byte // the last one

	held bool // whether line and err are a line that was read ahead
	line []byte
	err  error
}

// next returns the next line in the way of event.Reader.Next.
func (s *stream) next() ([]byte, error) {
	if s.held {
		s.held = false
		return s.line, s.err
	}
	return s.r.Next()
}

// filter passes the events of in to out, with a verdict after each call.
func (g *gate) filter(in *os.File, out io.Writer) error {
	// What is held is some MiB, most of it rows of the table, and each call leaves little: it is
	// collected when 20 MiB are full.
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(20 << 20))
	s := &stream{r: event.NewReader(in), w: event.NewWriter(out)}
	var broken event.BrokenLines
	for {
		line, err := s.next()
		var bad *event.Malformed
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			err = s.w.Broken("ua-gate", broken.Add(bad))
		case err != nil:
			return err
		default:
			err = g.pass(s, line)
		}
		if err != nil {
			return err
		}
	}
}

// pass handles one event.
func (g *gate) pass(s *stream, line []byte) error {
	switch event.Type(line) {
	case "tool_call":
		return g.judge(s, parseCall(bytes.Clone(line)))
	case "verdict":
		// Whoever runs the call finds it beside the gate's own one, and does not run it.
		message := "a verdict that does not stand right behind its call, which can't run therefore"
		if err := s.w.Write(event.Error("ua-gate", message, false)); err != nil {
			return err
		}
	case "instruction":
		g.instruction = event.Str(line, "text")
	}
	return s.w.Write(line)
}

// judge writes the call and its verdict. One write holds both, so that the next gate has
// them at once.
func (g *gate) judge(s *stream, c call) error {
	up, answered, err := s.upstream(&c)
	if err != nil {
		return err
	}
	if answered != nil {
		return s.w.Write(c.with(answered)...)
	}
	there, err := g.at(&c)
	if err != nil {
		there, c.bad = g, "no policy for the call's folder: "+err.Error()
	}
	v, err := there.decide(&c, up, func(line []byte) error { return s.w.Write(c.with(line)...) })
	stop := err
	ends := []error{nil, errQuit, person.ErrUnanswered, person.ErrInterrupted}
	if !slices.Contains(ends, stop) {
		return stop
	}
	s.verdict = v.members(event.Again(s.verdict, "verdict").Str("call_id", c.id)).Line()
	err = s.w.Write(c.with(s.verdict)...)
	for _, line := range there.reviewed(c.id) {
		err = errors.Join(err, s.w.Write(line))
	}
	if err != nil {
		return err
	}
	switch status := prog.No; stop {
	case person.ErrUnanswered:
		status = prog.TryLater
		fallthrough
	case errQuit:
		s.w.Write(event.New("error").Str("stage", "ua-gate").Str("message", stop.Error()).
			Bool("retryable", stop == person.ErrUnanswered).Int("status", int64(status)).Line())
		s.rest()
		return prog.Exit(status)
	case person.ErrInterrupted:
		s.rest()
		signal.Reset(syscall.SIGINT)
		syscall.Kill(os.Getpid(), syscall.SIGINT)
		return prog.Exit(128 + int(syscall.SIGINT)) // for who ignores it
	}
	return nil
}

// upstream returns what a stage before has said of a call: the verdict of an earlier
// gate, or the line with which a stage has answered the call itself, or neither. Such a
// line comes right after the call, with only an ask or answer between, which are passed
// on. So a call is judged at the next line, which ua-think writes at once.
// The verdict of the earlier gate is replaced, since exactly one stands behind a call.
func (s *stream) upstream(c *call) (up *Verdict, answered []byte, err error) {
	for {
		line, err := s.next()
		typ := ""
		if err == nil {
			typ = event.Type(line)
		}
		own := func() bool { return event.Str(line, "call_id") == c.id }
		switch {
		case typ == "verdict" && own():
			v := parseVerdict(line)
			return &v, nil, nil
		case (typ == "tool_result" || typ == "error") && own():
			return nil, line, nil
		// An earlier gate asks before it has a verdict.
		case typ == "ask" || typ == "answer":
			if err := s.w.Write(c.with(line)...); err != nil {
				return nil, nil, err
			}
		default:
			s.held, s.line, s.err = true, line, err
			return nil, nil, nil
		}
	}
}

// restTime is how long the gate waits for the end of an answer that the person has cut
// off.
const restTime = 2 * time.Second

// rest passes on what is left of the model's answer, up to the response, which says what
// it cost. Calls in it are denied.
func (s *stream) rest() {
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			line, err := s.next()
			if err != nil {
				return
			}
			switch typ := event.Type(line); typ {
			case "tool_call":
				c := parseCall(bytes.Clone(line))
				v := refusal("person", ended)
				err = s.w.Write(c.with(v.event(c.id))...)
			case "delta", "response", "error":
				if err = s.w.Write(line); typ == "response" {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	// The answer was paid for, and its response says how much. But a model that goes on
	// for long must not keep the person waiting.
	select {
	case <-over:
	case <-time.After(restTime):
	}
}
