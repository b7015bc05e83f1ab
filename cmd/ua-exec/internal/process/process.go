// Package process starts programs of commands and ends all that they leave behind.
package process

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"syscall"
	"time"
)

// A process is one that descends from ua-exec. Where the kernel doesn't tell
// those, it is a group, with a negative pid as in kill(2).
type Process struct {
	ID
	Session int
	Top     int // the child of ua-exec that it is or descends from
	Name    string
	stopped bool
	threads int
}

// An ID is a process for good: its pid may be used again, by one that
// started later.
type ID struct {
	PID   int
	start uint64 // in ticks since the boot
}

// EndAll ends every process that list tells of: TERM, then KILL once the grace
// is over.
func EndAll(list func() []Process, grace time.Duration) {
	if Childless() {
		return
	}
	over := time.Now().Add(grace)
	signalAll(list(), syscall.SIGTERM)
	for time.Now().Before(over) {
		if len(list()) == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	KillAll(list)
}

// KillAll kills every process that list tells of, until none is left. What forks
// faster than it is found is stopped first: a stopped process makes no other.
func KillAll(list func() []Process) {
	for range 1000 {
		left := list()
		if len(left) == 0 {
			return
		}
		awake := slices.DeleteFunc(slices.Clone(left), func(p Process) bool { return p.stopped })
		if len(awake) == 0 {
			signalAll(left, syscall.SIGKILL)
			time.Sleep(time.Millisecond)
			continue
		}
		for _, p := range awake {
			syscall.Kill(p.PID, syscall.SIGSTOP)
		}
	}
	signalAll(list(), syscall.SIGKILL)
}

// signalAll sends a signal to processes, stopped ones included.
func signalAll(list []Process, sig syscall.Signal) {
	for _, p := range list {
		syscall.Kill(p.PID, sig)
		if sig != syscall.SIGKILL {
			syscall.Kill(p.PID, syscall.SIGCONT)
		}
	}
}

// A Table is what is known of the processes of commands.
type Table struct {
	mu       sync.Mutex
	sessions map[int]bool // by the shell's pid; whether the command still runs
	told     map[ID]bool  // that were named in a result
}

// NewTable returns one that knows nothing.
func NewTable() Table {
	return Table{sessions: map[int]bool{}, told: map[ID]bool{}}
}

// Know keeps in mind that the command of that session runs, or has ended with
// all of its processes.
func (t *Table) Know(session int, runs bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if runs {
		t.sessions[session] = true
	} else {
		delete(t.sessions, session)
	}
}

// Tell keeps in mind that the command of that session has ended and that a result
// has named what it left.
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

// of returns those of all processes that the command of that session has left: those
// of its session, and those in others that no earlier result has named and that
// no other command is the ancestor of. What has ended is forgotten.
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

// strays returns those of all processes that belong to no command that still runs.
func (t *Table) strays(all []Process) []Process {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(all, func(p Process) bool {
		return t.sessions[p.Session] || t.sessions[p.Top]
	})
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

// MaxStrays is how many processes commands that have ended may leave running. A
// server with its workers has some ten, a browser some thirty; what has more is
// out of hand, and takes the room that the next command needs.
const MaxStrays = 64

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

// EndCrowd ends a command that runs, by its session, when it has more processes and
// threads than most, and reports whether it had: it may be root, for whom the kernel has
// no such limit (RLIMIT_NPROC, setrlimit(2)).
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

// LeftBy returns the processes that the command of that session has left.
func (t *Table) LeftBy(session int) []Process {
	if !SignalGroup(session, 0) && Childless() {
		return t.of(session, nil)
	}
	return t.of(session, t.Descendants())
}
