package transport

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
	"ua/internal/common/prog"
)

// How long an answer may take to begin unless the user says: a server on this machine
// may have to load the model first.
const (
	defaultFirst      = time.Minute
	defaultFirstLocal = 5 * time.Minute
)

// ToBegin returns how long an answer of m may take to begin: First if that is given, or
// the default.
func (l Limits) ToBegin(m provider.Model) time.Duration {
	switch {
	case l.First > 0:
		return l.First
	case m.Local():
		return defaultFirstLocal
	}
	return defaultFirst
}

// A patient reader restarts a timer each time that bytes come.
type patient struct {
	io.ReadCloser
	watch *time.Timer
	idle  time.Duration
	begun atomic.Bool
}

// Read reads from the stream. From the first bytes on, the timer is that for pauses.
func (p *patient) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if n > 0 {
		p.begun.Store(true)
		p.watch.Reset(p.idle)
	}
	return n, err
}

// stalled returns the failure of an answer that takes too long to begin, or to go on.
func (c *Client) stalled(m provider.Model, begun bool) error {
	f := &failure.Failure{
		Msg:    "no answer from " + m.Provider + " in " + c.Limits.ToBegin(m).String(),
		Hint:   "--first-timeout gives it more time",
		Status: prog.TryLater, Retry: true,
	}
	if begun {
		f.Msg = "no data from the model for " + c.Limits.Idle.String()
		f.Hint = "--idle-timeout gives it more time"
	}
	return f
}

// tooLong returns the failure of an answer that takes more than the time for all of
// it.
func tooLong(limit time.Duration) error {
	return &failure.Failure{
		Msg:  "the model's answer took longer than " + limit.String(),
		Hint: "--timeout raises the limit", Status: prog.Limit,
	}
}

// Because returns err, or the reason for which the request was given up.
func Because(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// reassure tells the user that the model has not begun to answer: after the time Quiet,
// and again each time the wait has doubled.
func (c *Client) reassure(ctx context.Context, m provider.Model, stream *patient) {
	for waited, wait := time.Duration(0), c.Limits.Quiet; ; wait = waited {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if waited += wait; stream.begun.Load() {
			return
		}
		c.Note("no answer from %s for %v, waiting", m.Spec(), waited)
	}
}
