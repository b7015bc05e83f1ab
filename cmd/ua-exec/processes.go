package main

import (
	"syscall"
	"time"
)

// A process is one that descends from ua-exec.
type process struct {
	pid, parent, group, session int
	name                        string
	zombie                      bool
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

// signalAll sends a signal to every process that descends from ua-exec.
func signalAll(sig syscall.Signal) {
	for _, p := range processes() {
		syscall.Kill(p.pid, sig)
		if sig != syscall.SIGKILL {
			syscall.Kill(p.pid, syscall.SIGCONT)
		}
	}
}
