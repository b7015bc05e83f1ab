package main

import (
	"os"
	"syscall"
	"time"

	"ua/internal/common/chain"

	"golang.org/x/sys/unix"
)

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
		if n != unix.SIGWINCH && !s.runs(toldAfter) {
			s.ended.Store(int32(n))
			if pid := s.initPID.Load(); pid > 0 {
				_ = unix.Kill(int(pid), unix.SIGKILL)
			}
			continue
		}
		s.pass(n, caller)
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

// wait waits until the command and everything that it left behind are gone, and returns
// the command's status. With namespaces, the kernel then still removes them.
func (s *parent) wait() (unix.WaitStatus, error) {
	r, _, err := s.init.ctl.report()
	for err == nil && r.Answer {
		s.git.answer <- r.So
		r, _, err = s.init.ctl.report()
	}
	close(s.over)
	switch {
	case err != nil:
		return s.died(), nil
	case r.Step != "":
		return 0, &refused{r.Step, r.err()}
	}
	if s.init.tier < 3 {
		s.reap()
	}
	return unix.WaitStatus(r.Status), nil
}

// reap waits until init is gone, and with it all processes of its namespace. It returns the
// status of init itself.
func (s *parent) reap() (status unix.WaitStatus) {
	for {
		if _, err := unix.Wait4(s.init.pid, &status, 0, nil); err != unix.EINTR {
			return status
		}
	}
}

// died returns the status of an init that was killed, which stands for the command's.
// Without a PID namespace, what the command left behind is ended here.
func (s *parent) died() unix.WaitStatus {
	status := s.reap()
	killTree()
	return status
}

// pass passes a signal on. A signal from the terminal has already reached the command.
// The one that comes when the caller dies ends everything.
func (s *parent) pass(sig syscall.Signal, caller int) {
	if sig == unix.SIGTERM && os.Getppid() != caller {
		// Init takes the end of the connection for this process's own end.
		_ = unix.Shutdown(int(s.init.ctl), unix.SHUT_WR)
		return
	}
	if chain.FromTerminal(sig) {
		return
	}
	_ = s.init.ctl.write([]byte{byte(sig)})
}
