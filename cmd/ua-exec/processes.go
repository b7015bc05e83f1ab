package main

import (
	"slices"
	"syscall"
	"time"
)

// A process is one that descends from ua-exec.
type process struct {
	pid, parent, session int
	top                  int // the child of ua-exec that it is or descends from
	name                 string
	zombie               bool
}

// endAll ends every process that descends from ua-exec: TERM, then KILL once
// the grace is over.
func endAll(grace time.Duration) {
	if childless() {
		return
	}
	signalAll(syscall.SIGTERM)
	for until := time.Now().Add(grace); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if childless() {
			return
		}
	}
	for range 100 {
		signalAll(syscall.SIGKILL)
		if childless() {
			return
		}
		time.Sleep(5 * time.Millisecond)
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
	all := processes()
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

// kill ends processes at once.
func kill(list []process) {
	for _, p := range list {
		syscall.Kill(p.pid, syscall.SIGKILL)
	}
}

// signalAll sends a signal to every process that descends from ua-exec.
func signalAll(sig syscall.Signal) {
	for _, p := range processes() {
		syscall.Kill(p.pid, sig)
		if sig != syscall.SIGKILL {
			syscall.Kill(p.pid, syscall.SIGCONT)
		}
	}
}
