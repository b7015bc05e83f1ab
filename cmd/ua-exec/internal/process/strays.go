package process

import (
	"slices"
	"time"
)

// strays returns those of all processes that belong to no command that still runs.
func (t *Table) strays(all []Process) []Process {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(all, func(p Process) bool {
		return t.sessions[p.Session] || t.sessions[p.Top]
	})
}

// LookAtStrays is how often that is looked at while a command runs: what an earlier
// one left may go on forking.
const LookAtStrays = 500 * time.Millisecond

// EndStrays ends what ended commands have left when there is too much of it, and
// says how many processes that were.
func (t *Table) EndStrays() (n int) {
	if Childless() {
		return 0
	}
	strays := func() []Process { return t.strays(t.Descendants()) }
	if n = len(strays()); n <= MaxStrays {
		return 0
	}
	KillAll(strays)
	return n
}

// Remains returns those of all processes that are of the list, or that belong to one of it
// by session or descent.
func Remains(list, all []Process) []Process {
	return slices.DeleteFunc(slices.Clone(all), func(p Process) bool {
		return !slices.ContainsFunc(list, func(l Process) bool {
			return p.ID == l.ID || p.Session == l.Session || p.Top == l.PID
		})
	})
}
