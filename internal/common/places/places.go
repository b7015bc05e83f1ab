// Package places bounds how many connections a listener serves at once, so that one which
// has not sent a whole request keeps nobody out: it holds no place, and of too many such
// the oldest gives way.
package places

import (
	"context"
	"sync"
	"time"
)

// A Set is the places of one listener. Its fields are not changed once it is used.
type Set struct {
	Most int // connections whose request is served, at once
	Open int // connections that are not served: most of them have not sent a whole request
	// Young is how long a new connection gives way to nobody: clients that come together
	// need a moment each.
	Young time.Duration

	mu    sync.Mutex
	freed *sync.Cond
	held  int
	whole int      // that wait to be served
	open  []*Place // without a request, oldest first
}

// A Place is one connection's.
type Place struct {
	set   *Set
	drop  func()
	since time.Time
	state state
}

type state int

const (
	open state = iota
	whole
	held
	gone
)

// Take takes up a new connection. Where there are too many, it first drops the oldest one
// without a request or, when all have sent one, waits for one to leave. drop
// must end the connection without waiting; it is not called after Leave has returned.
// Take returns nil when ctx has ended.
func (s *Set) Take(ctx context.Context, drop func()) *Place {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer context.AfterFunc(ctx, s.wake)()
	for ctx.Err() == nil && s.whole+len(s.open) >= s.Open {
		if len(s.open) == 0 {
			s.wait(ctx)
		} else if age := time.Since(s.open[0].since); age >= s.Young {
			s.open[0].drop()
			s.open[0].leave()
		} else {
			s.mu.Unlock()
			time.Sleep(s.Young - age)
			s.mu.Lock()
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	p := &Place{set: s, drop: drop, since: time.Now()}
	s.open = append(s.open, p)
	return p
}

// Hold is called when the request has come whole. It waits for its turn, and reports
// whether the connection may be served: it has not been dropped, and ctx has not ended. It
// then drops it no more.
func (p *Place) Hold(ctx context.Context) bool {
	s := p.set
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.state != open {
		return p.state == held
	}
	p.leave()
	p.state = whole
	s.whole++
	defer context.AfterFunc(ctx, s.wake)()
	for s.held >= s.Most && ctx.Err() == nil {
		s.wait(ctx)
	}
	p.leave()
	if ctx.Err() != nil {
		return false
	}
	p.state = held
	s.held++
	return true
}

// Yield gives a held place back: the connection has its answer, and gives way as one
// without a request does.
func (p *Place) Yield() {
	p.set.mu.Lock()
	defer p.set.mu.Unlock()
	if p.state == held {
		p.leave()
		p.state, p.since = open, time.Now()
		p.set.open = append(p.set.open, p)
	}
}

// Leave is called before the connection is closed.
func (p *Place) Leave() {
	p.set.mu.Lock()
	defer p.set.mu.Unlock()
	p.leave()
}

// Idle waits until no request is served or waits for it, or ctx ends.
func (s *Set) Idle(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer context.AfterFunc(ctx, s.wake)()
	for s.held+s.whole > 0 && ctx.Err() == nil {
		s.wait(ctx)
	}
}

// leave takes the place off whatever it counts for.
func (p *Place) leave() {
	s := p.set
	switch p.state {
	case open:
		for i, q := range s.open {
			if q == p {
				s.open = append(s.open[:i], s.open[i+1:]...)
				break
			}
		}
	case whole:
		s.whole--
	case held:
		s.held--
	}
	p.state = gone
	if s.freed != nil {
		s.freed.Broadcast()
	}
}

// wait waits for a change, or for the end of ctx, which wake tells.
func (s *Set) wait(ctx context.Context) {
	if s.freed == nil {
		s.freed = sync.NewCond(&s.mu)
	}
	if ctx.Err() == nil {
		s.freed.Wait()
	}
}

// wake has all that wait look again.
func (s *Set) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed != nil {
		s.freed.Broadcast()
	}
}
