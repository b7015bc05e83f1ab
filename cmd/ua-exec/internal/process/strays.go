package process

import (
	"slices"
	"time"
)

// strays returns the processes that belong to no command that is still running.
func (t *Table) strays(all []Process) []Process {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(all, func(p Process) bool {
		return t.sessions[p.Session] || t.sessions[p.Top]
	})
}

// LookAtStrays is how often strays are looked for while a command runs. What an earlier
// command has left may keep forking.
const LookAtStrays = 500 * time.Millisecond

// EndStrays ends what ended commands have left if it is more than MaxStrays processes,
// and returns how many these were.
func (t *Table) EndStrays() (n int) {
	strays := func() []Process { return t.strays(t.Descendants()) }
	if n = len(strays()); n <= MaxStrays {
		return 0
	}
	KillAll(strays)
	return n
}

// Remains returns those of all processes that are in list, or that belong to one in it by
// session or by descent.
func Remains(list, all []Process) []Process {
	return slices.DeleteFunc(slices.Clone(all), func(p Process) bool {
		return !slices.ContainsFunc(list, func(l Process) bool {
			return p.ID == l.ID || p.Session == l.Session || p.Top == l.PID
		})
	})
}
