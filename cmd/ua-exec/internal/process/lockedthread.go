package process

import "errors"

// A Lock confines a thread permanently, with everything that the thread starts. Locks of
// the same name are equivalent. The zero Lock does nothing.
type Lock struct {
	Name  string
	Apply func() error
}

// A starter is a thread that is confined permanently and starts programs. It ends when
// another lock needs its place and none of its programs is left. Ending it earlier would
// kill them (PR_SET_PDEATHSIG).
type starter struct {
	work chan func(error)
	live int // programs that it has started or is to start
	used int // when it was needed last
}

// MaxStarters limits the threads that start programs. Each folder that replaces another
// one needs a lock of its own, and so a thread.
const MaxStarters = 16

// starter returns the thread behind the lock and reserves it for one more program.
func (c *Children) starter(l Lock) (*starter, error) {
	c.forks.Lock()
	defer c.forks.Unlock()
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

// retire ends the least recently used thread among those without a running program, and
// reports whether there was one.
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

// run does the work on the calling thread, behind the lock. If the lock cannot be
// applied, the work gets the error and must start nothing; the next work tries again.
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
