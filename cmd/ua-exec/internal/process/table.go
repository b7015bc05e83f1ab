package process

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// A Table is what is known about the processes of commands.
type Table struct {
	mu       sync.Mutex
	sessions map[int]bool // by the shell's pid; whether the command still runs
	told     map[ID]bool  // that were named in a result
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
	if len(left) == 0 {
		delete(t.sessions, session)
		return
	}
	t.sessions[session] = false
	for _, p := range left {
		t.told[p.ID] = true
	}
}

// of returns those of all processes that the command of a session has left. These are the
// processes of its session, and those in other sessions that no earlier result has named
// and that descend from no other command. Commands and processes that have ended are
// forgotten.
func (t *Table) of(session int, all []Process) []Process {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.told, func(id ID, _ bool) bool {
		return !slices.ContainsFunc(all, func(p Process) bool { return p.ID == id })
	})
	maps.DeleteFunc(t.sessions, func(s int, runs bool) bool {
		its := func(p Process) bool { return p.Session == s || p.Top == s }
		return !runs && !slices.ContainsFunc(all, its)
	})
	known := func(s int) bool { _, ok := t.sessions[s]; return ok }
	all = slices.DeleteFunc(all, func(p Process) bool {
		return p.Session != session && (known(p.Session) || known(p.Top) || t.told[p.ID])
	})
	slices.SortFunc(all, func(a, b Process) int { return cmp.Compare(a.ID.PID, b.ID.PID) })
	return all
}

// LeftBy returns the processes that the command of a session has left. If its group is
// empty and this process has no child, /proc need not be read.
func (t *Table) LeftBy(session int) []Process {
	if !SignalGroup(session, 0) && Childless() {
		return t.of(session, nil)
	}
	return t.of(session, t.Descendants())
}
