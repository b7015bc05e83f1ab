package process

import "errors"

// A Lock confines a thread for good, and what the thread starts. Locks of one
// name do the same. The zero lock does nothing.
type Lock struct {
	Name  string
	Apply func() error
}

// A starter is a thread behind a lock, for good. It ends when another lock needs
// its place and nothing that it started is left: its end would kill that
// (PR_SET_PDEATHSIG).
type starter struct {
	work chan func(error)
	live int // programs that it has started or is to start
	used int // when it was needed last
}

// starter returns the thread behind the lock, for one more program.
func (c *Children) starter(l Lock) (*starter, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.starters[l.Name]
	if s == nil {
		if len(c.starters) >= MaxStarters && !c.retire() {
			return nil, errors.New("too many commands in the background hold folders that were replaced")
		}
		s = &starter{work: make(chan func(error))}
		c.starters[l.Name] = s
		startThread(func() { s.run(l.Apply) })
	}
	c.uses++
	s.used = c.uses
	s.live++
	return s, nil
}

// retire ends the thread that was needed least lately, of those that have nothing
// running.
func (c *Children) retire() bool {
	oldest := ""
	var s *starter
	for name, other := range c.starters {
		if other.live == 0 && (s == nil || other.used < s.used) {
			oldest, s = name, other
		}
	}
	if s == nil {
		return false
	}
	close(s.work)
	delete(c.starters, oldest)
	return true
}

// run does the work on the calling thread, behind the lock. The work is told when that
// could not be put on.
func (s *starter) run(apply func() error) {
	for do := range s.work {
		var err error
		if apply != nil {
			err = apply()
		}
		if err == nil {
			apply = nil
		}
		do(err)
	}
}
