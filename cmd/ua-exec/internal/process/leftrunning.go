// Package process starts the programs of commands, and ends everything that they leave
// behind.
package process

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// A Table is what is known about the processes of commands.
type Table struct {
	mu        sync.Mutex
	sessions  map[int]bool // of commands that are running or being collected
	leftovers map[ID]bool  // that were named in a result, and what these have started
}

// newTable returns a Table of no commands.
func newTable() Table { return Table{sessions: map[int]bool{}, leftovers: map[ID]bool{}} }

// begin records that the command of a session is running.
func (t *Table) begin(session int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sessions[session] = true
}

// Tell records that the command of a session has ended, and that a result has named what
// it left.
func (t *Table) Tell(session int, left []Process) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.sessions, session)
	for _, p := range left {
		t.leftovers[p.ID] = true
	}
}

// of returns those of all processes that belong to the command of a session: those of its
// session, and those in other sessions that belong to no other command. A process of which
// nothing tells whose it is counts as this command's, since its shell may have ended: so
// nothing outlives a command that is stopped.
func (t *Table) of(session int, all []Process) []Process {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.follow(all)
	others := func(s int) bool { return s != session && t.sessions[s] }
	all = slices.DeleteFunc(all, func(p Process) bool {
		return p.Session != session && (others(p.Session) || others(p.Top) || t.leftovers[p.ID])
	})
	slices.SortFunc(all, func(a, b Process) int { return cmp.Compare(a.ID.PID, b.ID.PID) })
	return all
}

// Leftovers returns what the results of ended commands have named, with what that has started.
func (t *Table) Leftovers() []Process {
	all := t.Descendants()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.follow(all)
	return slices.DeleteFunc(all, func(p Process) bool { return !t.leftovers[p.ID] })
}

// follow adds to the processes that were named in a result those that are in a session of
// one of them or below one, and forgets those that have ended. Both the number of a
// session and that of a process are in use as long as one of them lives.
func (t *Table) follow(all []Process) {
	was := t.leftovers
	t.leftovers = map[ID]bool{}
	if len(was) == 0 {
		return
	}
	sessions, pids := map[int]bool{}, map[int]bool{}
	for n := -1; n < len(t.leftovers); {
		n = len(t.leftovers)
		for _, p := range all {
			if t.leftovers[p.ID] || !was[p.ID] && !sessions[p.Session] && !pids[p.Top] {
				continue
			}
			t.leftovers[p.ID], pids[p.PID] = true, true
			sessions[p.Session] = !t.sessions[p.Session]
		}
	}
}

// LeftBy returns the processes of the command of a session: what it has left, if its shell
// has ended.
func (t *Table) LeftBy(session int) []Process { return t.of(session, t.Descendants()) }

// A Process is one that descends from ua-exec. Where the kernel does not report those, it
// stands for a process group, with a negative PID as in kill(2).
type Process struct {
	ID
	Session int
	Top     int // the child of ua-exec that it is or descends from
	Name    string
	parent  int
	group   int
	stopped bool // or does not show it
	threads int
}

// An ID identifies a process permanently. The PID alone may be reused by a process that
// starts later.
type ID struct {
	PID   int
	start uint64 // in ticks since the boot
}

// EndCrowd ends a running command, identified by its session, if it has more than most
// processes and threads, and reports whether it had. RLIMIT_NPROC does not bind root
// (setrlimit(2)), so that this has to be counted here.
func (t *Table) EndCrowd(session, most int) bool {
	its := func() []Process {
		return slices.DeleteFunc(t.Descendants(), func(p Process) bool {
			return p.Session != session && p.Top != session
		})
	}
	n := 0
	for _, p := range its() {
		n += max(1, p.threads)
	}
	if n > most {
		KillAll(its)
	}
	return n > most
}

// LookAtStrays is how often strays are looked for while a command runs. What an earlier
// command has left may keep forking.
const LookAtStrays = 500 * time.Millisecond

// EndStrays ends what ended commands have left, which belongs to none that is still running,
// if it is more than MaxStrays processes, and returns how many these were.
func (t *Table) EndStrays() (n int) {
	strays := func() []Process {
		all := t.Descendants()
		t.mu.Lock()
		defer t.mu.Unlock()
		return slices.DeleteFunc(all, func(p Process) bool {
			return t.sessions[p.Session] || t.sessions[p.Top]
		})
	}
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

// MaxStrays is how many processes commands that have ended may leave running. A server
// with its workers has about ten, and a browser about thirty. More than this is out of
// hand, and takes the room that the next command needs.
const MaxStrays = 64
