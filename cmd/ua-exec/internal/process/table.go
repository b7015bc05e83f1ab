package process

import (
	"cmp"
	"slices"
	"sync"
)

// A Table is what is known about the processes of commands.
type Table struct {
	mu       sync.Mutex
	sessions map[int]bool // of commands that are running or being collected
	told     map[ID]bool  // that were named in a result, and what these have started
}

// NewTable returns a Table of no commands.
func NewTable() Table {
	return Table{sessions: map[int]bool{}, told: map[ID]bool{}}
}

// Know records that the command of a session is running, or that it has ended together
// with all of its processes.
func (t *Table) Know(session int, runs bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if runs {
		t.sessions[session] = true
	} else {
		delete(t.sessions, session)
	}
}

// Tell records that the command of a session has ended, and that a result has named what
// it left.
func (t *Table) Tell(session int, left []Process) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.sessions, session)
	for _, p := range left {
		t.told[p.ID] = true
	}
}

// of returns those of all processes that belong to the command of a session: those of its
// session, and those in other sessions that belong to no other command. What cannot be
// shown to be another one's is this one's, so that nothing of it outlives a command that
// is stopped: once a shell has ended, its number may be that of any process.
func (t *Table) of(session int, all []Process) []Process {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.follow(all)
	others := func(s int) bool { return s != session && t.sessions[s] }
	all = slices.DeleteFunc(all, func(p Process) bool {
		return p.Session != session && (others(p.Session) || others(p.Top) || t.told[p.ID])
	})
	slices.SortFunc(all, func(a, b Process) int { return cmp.Compare(a.ID.PID, b.ID.PID) })
	return all
}

// Told returns what the results of ended commands have named, with what that has started.
func (t *Table) Told() []Process {
	all := t.Descendants()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.follow(all)
	return slices.DeleteFunc(all, func(p Process) bool { return !t.told[p.ID] })
}

// follow adds to the processes that were named in a result those that are in a session of
// one of them or below one, and forgets those that have ended. Both the number of a
// session and that of a process are in use as long as one of them lives.
func (t *Table) follow(all []Process) {
	was := t.told
	t.told = map[ID]bool{}
	if len(was) == 0 {
		return
	}
	sessions, pids := map[int]bool{}, map[int]bool{}
	for n := -1; n < len(t.told); {
		n = len(t.told)
		for _, p := range all {
			if t.told[p.ID] || !was[p.ID] && !sessions[p.Session] && !pids[p.Top] {
				continue
			}
			t.told[p.ID], pids[p.PID] = true, true
			sessions[p.Session] = !t.sessions[p.Session]
		}
	}
}

// LeftBy returns the processes of the command of a session: what it has left, if its shell
// has ended.
func (t *Table) LeftBy(session int) []Process { return t.of(session, t.Descendants()) }
