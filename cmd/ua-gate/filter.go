package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// firstWait is how long the first call waits for an upstream gate's verdict
// while nothing tells whether there is one. A ua-gate writes a call and what
// follows it in one write(2), so the verdict is there already when the call is.
const firstWait = 50 * time.Millisecond

// upstream is what is known of a gate before this one.
type upstream int

const (
	unknown upstream = iota
	absent
	present
)

// A stream is the events on the way through the gate.
type stream struct {
	r    *event.Reader
	in   *os.File
	w    *event.Writer
	gate upstream

	held    bool // whether line and err are a line that was read ahead
	line    []byte
	err     error
	last    string  // the id of the call judged last
	verdict Verdict // and what was said of it
}

// next is the next line, as event.Reader.Next gives it.
func (s *stream) next() ([]byte, error) {
	if s.held {
		s.held = false
		return s.line, s.err
	}
	return s.r.Next()
}

// ready says whether a further line is there, or comes within d.
func (s *stream) ready(d time.Duration) bool {
	if s.held || s.r.Ready() {
		return true
	}
	fds := []unix.PollFd{{Fd: int32(s.in.Fd()), Events: unix.POLLIN}}
	for end := time.Now().Add(d); d > 0; d = time.Until(end) {
		n, err := unix.Poll(fds, int(d.Milliseconds())+1)
		if err != unix.EINTR {
			return err == nil && n > 0
		}
	}
	return false
}

// filter passes the events of in to out, with a verdict after each call.
func (g *gate) filter(in, out *os.File) error {
	s := &stream{r: event.NewReader(in), in: in, w: event.NewWriter(out)}
	if g.afterGate {
		s.gate = present
	} else if g.firstGate {
		s.gate = absent
	}
	for {
		line, err := s.next()
		var bad *event.Malformed
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			err = s.w.Write(event.Error("ua-gate", bad.Error(), false))
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

// pass deals with one event.
func (g *gate) pass(s *stream, line []byte) error {
	switch event.Type(line) {
	case "tool_call":
		return g.judge(s, parseCall(bytes.Clone(line)))
	case "verdict":
		return s.late(line)
	case "instruction":
		g.instruction = event.Str(line, "text")
	}
	return s.w.Write(line)
}

// judge writes the call and its verdict, in one write, so that the next gate
// has both at once.
func (g *gate) judge(s *stream, c call) error {
	up, err := s.upstream(&c)
	if err != nil {
		return err
	}
	there, err := g.at(&c)
	if err != nil {
		there, c.bad = g, "no policy for the call's folder: "+err.Error()
	}
	v, err := there.decide(&c, up, func(line []byte) error { return s.w.Write(c.with(line)) })
	if err != nil && err != errQuit {
		return err
	}
	s.last, s.verdict = c.id, v
	if err := s.w.Write(c.with(v.event(c.id))); err != nil {
		return err
	}
	if err == errQuit {
		s.w.Write(event.New("error").Str("stage", "ua-gate").Str("message", errQuit.Error()).Bool("retryable", false).Int("status", prog.No).Line())
		return prog.Exit(prog.No)
	}
	return nil
}

// upstream is the verdict of a gate before this one, or nil. A gate writes its
// verdict right after the call; only an ask or answer may stand between, and is
// passed on.
func (s *stream) upstream(c *call) (*Verdict, error) {
	wait := time.Duration(0)
	if s.gate == unknown {
		wait = firstWait
	}
	for s.gate == present || s.ready(wait) {
		line, err := s.next()
		typ := ""
		if err == nil {
			typ = event.Type(line)
		}
		switch {
		case typ == "verdict" && event.Str(line, "call_id") == c.id:
			s.gate = present
			up := parseVerdict(line)
			return &up, nil
		case typ == "ask" || typ == "answer":
			s.gate = present
			if err := s.w.Write(c.with(line)); err != nil {
				return nil, err
			}
		default:
			s.held, s.line, s.err = true, line, err
			if s.gate == unknown {
				s.gate = absent
			}
			return nil, nil
		}
	}
	if s.gate == unknown {
		s.gate = absent
	}
	return nil, nil
}

// late deals with a verdict that no call waits for. One that is stricter than
// what was said of the last call is passed on, tightened; no other is, since a
// forged one could take the place of this gate's.
func (s *stream) late(line []byte) error {
	id := event.Str(line, "call_id")
	up := parseVerdict(line)
	if id == s.last && id != "" {
		s.gate = present
	}
	if s.gate != present || id != s.last || strictness(up.Decision) <= strictness(s.verdict.Decision) {
		return s.w.Write(event.Error("ua-gate", "a verdict without a call before it is left out", false))
	}
	s.verdict.tighten(up)
	if err := s.w.Write(s.verdict.event(id)); err != nil {
		return err
	}
	return s.w.Write(event.Error("ua-gate", "an earlier gate's verdict came late: start this one with --after-gate", false))
}
