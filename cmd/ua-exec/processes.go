package main

import (
	"slices"
	"syscall"
	"time"
)

// A process is one that descends from ua-exec. Where the kernel doesn't tell
// those, it is a group, with a negative pid as in kill(2).
type process struct {
	pid, parent, session int
	top                  int // the child of ua-exec that it is or descends from
	name                 string
	zombie               bool
}

// endAll ends every process that list tells of: TERM, then KILL once the grace
// is over.
func endAll(list func() []process, grace time.Duration) {
	if childless() {
		return
	}
	const pause = 5 * time.Millisecond
	over := time.Now().Add(grace)
	signalAll(list(), syscall.SIGTERM)
	for tries := 0; tries < 100; time.Sleep(pause) {
		left := list()
		if len(left) == 0 {
			return
		}
		if time.Now().After(over) {
			tries++
			signalAll(left, syscall.SIGKILL)
		}
	}
}

// signalAll sends a signal to processes, stopped ones included.
func signalAll(list []process, sig syscall.Signal) {
	for _, p := range list {
		syscall.Kill(p.pid, sig)
		syscall.Kill(p.pid, syscall.SIGCONT)
	}
}

// know keeps a command's session in mind, or forgets it.
func (x *executor) know(session int, is bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if is {
		x.sessions[session] = true
	} else {
		delete(x.sessions, session)
	}
}

// leftBy is the processes that the ended command of that session has left: those
// of its session, and those in others that no earlier result has named and that
// no other command is the ancestor of.
func (x *executor) leftBy(session int) []process {
	if !signalGroup(session, 0) && childless() {
		return nil
	}
	all := x.descendants()
	x.mu.Lock()
	defer x.mu.Unlock()
	all = slices.DeleteFunc(all, func(p process) bool {
		return p.session != session && (x.sessions[p.session] || x.sessions[p.top] || x.told[p.pid])
	})
	slices.SortFunc(all, func(a, b process) int { return a.pid - b.pid })
	return all
}

// tell keeps in mind which processes a result has named.
func (x *executor) tell(list []process) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range list {
		x.told[p.pid] = true
	}
}
