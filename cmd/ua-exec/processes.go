package main

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
type process struct {
	id      processID
	session int
	top     int // the child of ua-exec that it is or descends from
	name    string
	stopped bool
}

// A processID is a process for good: its pid may be used again, by one that
// started later.
type processID struct {
	pid   int
	start uint64 // in ticks since the boot
}

// endAll ends every process that list tells of: TERM, then KILL once the grace
// is over.
func endAll(list func() []process, grace time.Duration) {
	if childless() {
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
	killAll(list)
}

// killAll kills every process that list tells of, until none is left. What forks
// faster than it is found is stopped first: a stopped process makes no other.
func killAll(list func() []process) {
	for range 1000 {
		left := list()
		if len(left) == 0 {
			return
		}
		awake := slices.DeleteFunc(slices.Clone(left), func(p process) bool { return p.stopped })
		if len(awake) == 0 {
			signalAll(left, syscall.SIGKILL)
			time.Sleep(time.Millisecond)
			continue
		}
		for _, p := range awake {
			syscall.Kill(p.id.pid, syscall.SIGSTOP)
		}
	}
	signalAll(list(), syscall.SIGKILL)
}

// signalAll sends a signal to processes, stopped ones included.
func signalAll(list []process, sig syscall.Signal) {
	for _, p := range list {
		syscall.Kill(p.id.pid, sig)
		if sig != syscall.SIGKILL {
			syscall.Kill(p.id.pid, syscall.SIGCONT)
		}
	}
}

// A processTable is what is known of the processes of commands.
type processTable struct {
	mu       sync.Mutex
	sessions map[int]bool       // by the shell's pid; whether the command still runs
	told     map[processID]bool // that were named in a result
}

func newProcessTable() processTable {
	return processTable{sessions: map[int]bool{}, told: map[processID]bool{}}
}

// know keeps in mind that the command of that session runs, or has ended with
// all of its processes.
func (t *processTable) know(session int, runs bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if runs {
		t.sessions[session] = true
	} else {
		delete(t.sessions, session)
	}
}

// tell keeps in mind that the command of that session has ended and that a result
// has named what it left.
func (t *processTable) tell(session int, left []process) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(left) == 0 {
		delete(t.sessions, session)
		return
	}
	t.sessions[session] = false
	for _, p := range left {
		t.told[p.id] = true
	}
}

// of returns those of all processes that the command of that session has left: those
// of its session, and those in others that no earlier result has named and that
// no other command is the ancestor of. What has ended is forgotten.
func (t *processTable) of(session int, all []process) []process {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.told, func(id processID, _ bool) bool {
		return !slices.ContainsFunc(all, func(p process) bool { return p.id == id })
	})
	maps.DeleteFunc(t.sessions, func(s int, runs bool) bool {
		its := func(p process) bool { return p.session == s || p.top == s }
		return !runs && !slices.ContainsFunc(all, its)
	})
	known := func(s int) bool { _, ok := t.sessions[s]; return ok }
	all = slices.DeleteFunc(all, func(p process) bool {
		return p.session != session && (known(p.session) || known(p.top) || t.told[p.id])
	})
	slices.SortFunc(all, func(a, b process) int { return cmp.Compare(a.id.pid, b.id.pid) })
	return all
}

// strays returns those of all processes that belong to no command that still runs.
func (t *processTable) strays(all []process) []process {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(all, func(p process) bool {
		return t.sessions[p.session] || t.sessions[p.top]
	})
}

// maxStrays is how many processes commands that have ended may leave running. A
// server with its workers has some ten, a browser some thirty; what has more is
// out of hand, and takes the room that the next command needs.
const maxStrays = 64

// lookAtStrays is how often that is looked at while a command runs: what an earlier
// one left may go on forking.
const lookAtStrays = 500 * time.Millisecond

// endStrays ends what ended commands have left when there is too much of it, and
// says how many processes that were.
func (x *executor) endStrays() (n int) {
	if childless() {
		return 0
	}
	strays := func() []process { return x.processes.strays(x.descendants()) }
	if n = len(strays()); n <= maxStrays {
		return 0
	}
	killAll(strays)
	return n
}

// leftBy returns the processes that the command of that session has left.
func (x *executor) leftBy(session int) []process {
	if !signalGroup(session, 0) && childless() {
		return x.processes.of(session, nil)
	}
	return x.processes.of(session, x.descendants())
}
