package main

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/execwrap"
)

// toldAfter is how long a command may have run before this process has read that it does.
const toldAfter = 200 * time.Millisecond

// endWithCaller makes the kernel send SIGTERM to this process when its caller ends, and
// returns the caller's process ID. The setting belongs to the thread (prctl(2),
// PR_SET_PDEATHSIG), and Go ends a thread only when a goroutine is locked to it.
func endWithCaller() int {
	caller := os.Getppid()
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGTERM), 0, 0, 0)
	// Without a PID namespace, the orphans of an init that is killed become children of
	// this process.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	return caller
}

// relaySignals passes signals on. A signal that comes before the command runs ends init,
// and then this process.
func (s *parent) relaySignals(signals <-chan os.Signal, caller int) {
	for sig := range signals {
		n := sig.(syscall.Signal)
		switch {
		case n != unix.SIGWINCH && !s.runs(toldAfter):
			s.ended.Store(int32(n))
			if pid := s.initPID.Load(); pid > 0 {
				_ = unix.Kill(int(pid), unix.SIGKILL)
			}
		case n == unix.SIGTERM && os.Getppid() != caller: // the one that comes when the caller dies
			s.init.End()
		case !execwrap.FromTerminal(n): // or it has already reached the command
			s.init.Signal(n)
		}
	}
}

// runs reports whether the command runs, or begins to within the given time.
func (s *parent) runs(within time.Duration) bool {
	select {
	case <-s.stands:
		return true
	case <-time.After(within):
		return false
	}
}
