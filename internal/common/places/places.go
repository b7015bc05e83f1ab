// Package places limits how many connections a listener serves at once. A connection that
// has not sent a whole request keeps nobody out: it holds no place, and if there are too
// many such connections, the oldest gives way. One client's requests do not keep other
// clients out either.
package places

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

	mu      sync.Mutex
	freed   *sync.Cond
	held    int
	whole   int            // that wait to be served
	open    []*Place       // without a request, oldest first
	over    []*Place       // with a request beyond their client's share, oldest first
	clients map[string]int // how many are held or whole
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

// What a place can be, in the order in which a connection goes through it: without a
// request; over its client's share; whole, waiting to be served; held, being served;
// gone.
const (
	open state = iota
	over
	whole
	held
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

// Hold is called when the whole request has come, with the name of the client, "" for one
// without a limit. It waits for its turn and reports whether the connection may be
// served: false means that it was dropped or that ctx has ended. Once it is true, the
// connection is not dropped any more.
func (p *Place) Hold(ctx context.Context, client string) bool {
	s := p.set
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.state != open {
		return p.state == held
	}
	p.leave()
	p.client = client
	defer context.AfterFunc(ctx, s.wake)()
	if !p.awaitShare(ctx) {
		return false
	}
	p.state = whole
	s.whole++
	s.count(client, 1)
	for s.held >= s.Most && ctx.Err() == nil {
		s.wait(ctx)
	}
	p.leave()
	if ctx.Err() != nil {
		return false
	}
	p.state = held
	s.held++
	s.count(client, 1)
	return true
}

// awaitShare waits until the place's client has less than its share. It returns false if
// ctx ends first, or if the place has to give way.
func (p *Place) awaitShare(ctx context.Context) bool {
	s := p.set
	for p.client != "" && s.clients[p.client] >= s.Share && ctx.Err() == nil {
		if p.state != over {
			p.state = over
			s.over = append(s.over, p)
			if len(s.over) > s.Wait {
				s.over[0].drop()
				s.over[0].leave()
			}
		}
		s.wait(ctx)
		if p.state == gone {
			return false
		}
	}
	p.leave()
	return ctx.Err() == nil
}

// count adds n to the places of a client.
func (s *Set) count(client string, n int) {
	if client == "" {
		return
	}
	if s.clients == nil {
		s.clients = map[string]int{}
	}
	if s.clients[client] += n; s.clients[client] == 0 {
		delete(s.clients, client)
	}
}

// Yield gives up a held place. The connection has its answer, and gives way from now on
// like one without a request.
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

// Idle waits until no request is served or waiting, or ctx ends.
func (s *Set) Idle(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer context.AfterFunc(ctx, s.wake)()
	for s.held+s.whole+len(s.over) > 0 && ctx.Err() == nil {
		s.wait(ctx)
	}
}

// leave removes the place from what it counts for.
func (p *Place) leave() {
	s := p.set
	switch p.state {
	case open:
		s.open = without(s.open, p)
	case over:
		s.over = without(s.over, p)
	case whole:
		s.whole--
		s.count(p.client, -1)
	case held:
		s.held--
		s.count(p.client, -1)
	}
	p.state = gone
	if s.freed != nil {
		s.freed.Broadcast()
	}
}

// without returns the list without the place.
func without(list []*Place, p *Place) []*Place {
	if i := slices.Index(list, p); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
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
