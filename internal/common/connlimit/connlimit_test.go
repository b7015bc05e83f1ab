package connlimit

import (
	"context"
	"testing"
	"time"
)

// TestGiveWay: of too many connections the oldest without a request gives way; one whose
// request has come does not, nor a young one.
func TestGiveWay(t *testing.T) {
	s := &Set{Most: 2, Open: 3}
	var dropped []int
	take := func(n int) *Place {
		return s.Take(t.Context(), func() { dropped = append(dropped, n) })
	}
	first, second := take(1), take(2)
	if !first.Hold(t.Context(), "") {
		t.Fatal("the first is not served")
	}
	for n := 3; n <= 6; n++ {
		take(n)
	}
	if len(dropped) != 2 || dropped[0] != 2 || dropped[1] != 3 || second.Hold(t.Context(), "") {
		t.Fatalf("dropped: %v", dropped)
	}
	second.Leave()
	first.Yield()
	if take(7); len(dropped) != 4 || dropped[3] != 5 {
		t.Fatalf("dropped: %v", dropped)
	}
	first.Leave()
	if first.Leave(); len(s.places) != 2 || s.count(unasked, "") != 2 {
		t.Fatalf("%d places, %d of them without a request", len(s.places), s.count(unasked, ""))
	}

	begin := time.Now()
	s = &Set{Most: 1, Open: 1, Young: 50 * time.Millisecond}
	if take(8); len(dropped) != 4 {
		t.Fatalf("dropped: %v", dropped)
	}
	if take(9); len(dropped) != 5 || time.Since(begin) < s.Young {
		t.Fatalf("a young one gives way: %v", dropped)
	}
}

// TestTurn: whole requests beyond the bound wait, in the set and then before it, and lose
// nothing; the end of the context ends the waiting.
func TestTurn(t *testing.T) {
	s := &Set{Most: 1, Open: 1}
	keep := func() { t.Error("one with a whole request is dropped") }
	first := s.Take(t.Context(), keep)
	if !first.Hold(t.Context(), "") {
		t.Fatal("the first is not served")
	}
	turn := make(chan bool)
	second := s.Take(t.Context(), keep)
	go func() { turn <- second.Hold(t.Context(), "") }()
	taken := make(chan *Place)
	for waits := 0; waits == 0; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		waits = s.count(waiting, "")
		s.mu.Unlock()
	}
	go func() { taken <- s.Take(t.Context(), func() {}) }()
	select {
	case <-turn:
		t.Fatal("two are served at once")
	case <-taken:
		t.Fatal("a third one is taken")
	case <-time.After(50 * time.Millisecond):
	}
	first.Leave()
	if !<-turn {
		t.Fatal("the second has lost its turn")
	}
	third := <-taken
	ctx, cancel := context.WithCancel(t.Context())
	go func() { turn <- third.Hold(ctx, "") }()
	cancel()
	if <-turn {
		t.Error("served after the end")
	}
	second.Leave()
	s.Idle(t.Context())
	fourth := s.Take(t.Context(), func() {})
	if s.Take(ctx, func() {}) != nil || !fourth.Hold(t.Context(), "") ||
		s.count(served, "") != 1 || s.count(waiting, "") != 0 {
		t.Error("the set is not as before")
	}
	if s.Idle(ctx); s.count(served, "") != 1 {
		t.Error("idle while one is served")
	}
	go fourth.Leave()
	s.Idle(t.Context())
}

// TestShare: one client's requests take its share of the places, and the others none; of its
// requests beyond them so many wait, and a client without a name has no bound.
func TestShare(t *testing.T) {
	s := &Set{Most: 4, Open: 2, Share: 2, Wait: 3}
	type turn struct {
		p      *Place
		served bool
	}
	turns := make(chan turn, 10)
	dropped := make(chan int, 10)
	hold := func(n int, client string) {
		p := s.Take(t.Context(), func() { dropped <- n })
		go func() { turns <- turn{p, p.Hold(t.Context(), client)} }()
	}
	next := func(served bool) *Place {
		t.Helper()
		select {
		case x := <-turns:
			if x.served != served {
				t.Fatalf("served: %v", x.served)
			}
			return x.p
		case <-time.After(10 * time.Second):
			t.Fatal("none has its turn")
			return nil
		}
	}
	waiting := func(n int) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			s.mu.Lock()
			over := s.count(excess, "")
			s.mu.Unlock()
			if over == n {
				return
			} else if time.Now().After(end) {
				t.Fatalf("%d wait", over)
			}
		}
	}
	var greedy []*Place
	for n := range 2 {
		hold(n, "greedy")
		greedy = append(greedy, next(true))
	}
	for n := 2; n < 5; n++ {
		hold(n, "greedy")
		waiting(n - 1)
	}
	hold(5, "greedy")
	if next(false); <-dropped != 2 {
		t.Error("not the oldest one gives way")
	}
	hold(6, "other")
	other := next(true)
	hold(7, "")
	trusted := next(true)
	greedy[0].Leave()
	greedy[0] = next(true)
	waiting(2)
	for _, p := range append(greedy, other, trusted) {
		p.Leave()
	}
	next(true).Leave()
	next(true).Leave()
	if s.Idle(t.Context()); len(s.places) != 0 {
		t.Errorf("the set is not as before: %+v", s)
	}
}
