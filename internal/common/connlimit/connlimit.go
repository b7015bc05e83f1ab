// Package connlimit limits how many connections a listener serves at once. A connection that
// has not sent a whole request keeps nobody out: it holds no place, and if there are too
// many such connections, the oldest gives way. One client's requests do not keep other
// clients out either.
package connlimit

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A Set is the places of one listener. Its exported fields are not changed once it is in
// use.
type Set struct {
	Most int // connections whose request is served, at once
	Open int // connections that are not served: most of them have not sent a whole request
	// Young is how long a new connection gives way to nobody: clients that come together
	// need a moment each.
	Young time.Duration
	// Share is how many requests of one client are served at once, or come next, and Wait
	// how many more of all clients wait; of more than that the oldest gives way.
	Share, Wait int

	mu     sync.Mutex
	freed  *sync.Cond
	places []*Place // those not gone, by when they got the state that they have
}

// A Place is the place of one connection.
type Place struct {
	set    *Set
	drop   func()
	since  time.Time
	state  state
	client string
}

// A state is what a place counts as.
type state int

// The states, in the order in which a connection goes through them.
const (
	unasked state = iota // without a whole request
	excess               // its client has its share already
	waiting              // to be served
	served
	gone
)

// Take takes a new connection and returns its place. If there are too many, it first
// drops the oldest one without a request. If all have sent one, it waits for one to
// leave. drop must end the connection without waiting, and is not called after Leave has
// returned. Take returns nil if ctx has ended.
func (s *Set) Take(ctx context.Context, drop func()) *Place {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer context.AfterFunc(ctx, s.wake)()
	for ctx.Err() == nil && s.count(unasked, "")+s.count(waiting, "") >= s.Open {
		if oldest := s.oldest(unasked); oldest == nil {
			s.wait(ctx)
		} else if age := time.Since(oldest.since); age >= s.Young {
			oldest.giveWay()
		} else {
			s.mu.Unlock()
			time.Sleep(s.Young - age)
			s.mu.Lock()
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	p := &Place{set: s, drop: drop}
	p.become(unasked)
	return p
}

// Hold is called when the whole request has come, with the name of the client, "" for one
// without a limit. It waits for its turn and reports whether the connection may be
// served: false means that it was dropped or that ctx has ended. Once it is true, the
// connection is not dropped any more.
func (p *Place) Hold(ctx context.Context, client string) bool {
	s := p.set
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.state != unasked {
		return p.state == served
	}
	defer context.AfterFunc(ctx, s.wake)()
	for p.client = client; client != "" && ctx.Err() == nil && p.state != gone &&
		s.count(waiting, client)+s.count(served, client) >= s.Share; s.wait(ctx) {
		if p.state != excess {
			p.become(excess)
		}
		if s.count(excess, "") > s.Wait {
			s.oldest(excess).giveWay()
		}
	}
	if p.state == gone {
		return false
	}
	for p.become(waiting); s.count(served, "") >= s.Most && ctx.Err() == nil; {
		s.wait(ctx)
	}
	if ctx.Err() != nil {
		p.become(gone)
		return false
	}
	p.become(served)
	return true
}

// Yield gives up a held place. The connection has its answer, and gives way from now on
// like one without a request.
func (p *Place) Yield() {
	p.set.mu.Lock()
	defer p.set.mu.Unlock()
	if p.state == served {
		p.become(unasked)
	}
}

// Leave is called before the connection is closed.
func (p *Place) Leave() {
	p.set.mu.Lock()
	defer p.set.mu.Unlock()
	p.become(gone)
}

// Idle waits until no request is served or waiting, or ctx ends.
func (s *Set) Idle(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer context.AfterFunc(ctx, s.wake)()
	for len(s.places) > s.count(unasked, "") && ctx.Err() == nil {
		s.wait(ctx)
	}
}

// giveWay ends a connection for another.
func (p *Place) giveWay() {
	p.drop()
	p.become(gone)
}

// become gives a place another state, and has all that wait look again.
func (p *Place) become(next state) {
	s := p.set
	if i := slices.Index(s.places, p); i >= 0 {
		s.places = slices.Delete(s.places, i, i+1)
	}
	if p.state, p.since = next, time.Now(); next != gone {
		s.places = append(s.places, p)
	}
	if s.freed != nil {
		s.freed.Broadcast()
	}
}

// count returns how many places are in a state, of one client unless that is "".
func (s *Set) count(in state, client string) (n int) {
	for _, p := range s.places {
		if p.state == in && (client == "" || p.client == client) {
			n++
		}
	}
	return n
}

// oldest returns the place that has been in a state for longest, nil if none is.
func (s *Set) oldest(in state) *Place {
	if i := slices.IndexFunc(s.places, func(p *Place) bool { return p.state == in }); i >= 0 {
		return s.places[i]
	}
	return nil
}

// wait waits for a change or for the end of ctx, of which wake tells.
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
