package main

import (
	"os"
	"syscall"
	"time"

	"ua/internal/common/chain"

	"golang.org/x/sys/unix"
)

// endWithCaller has the kernel send SIGTERM to this process when its caller
// ends, and returns the caller's number. The kernel keeps that for a thread, and
// Go ends no thread that no goroutine is locked to.
func endWithCaller() int {
	caller := os.Getppid()
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGTERM), 0, 0, 0)
	// An init that is killed leaves its orphans here when there is no pid namespace.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	return caller
}

// relaySignals passes signals on. One that comes before the command runs ends
// init, and then this process.
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

// runs reports whether the command runs, or does within the time given.
func (s *parent) runs(within time.Duration) bool {
	select {
	case <-s.stands:
		return true
	case <-time.After(within):
		return false
	}
}

// wait waits until the command and all that it left are gone, and returns the
// command's status. With namespaces it does not wait for the kernel
// to take them down, which goes on after init has told the status.
func (s *parent) wait() (unix.WaitStatus, error) {
	r, _, err := s.init.ctl.report()
	switch {
	case err != nil:
		return s.died(), nil
	case r.Step != "":
		return 0, &refused{r.Step, r.err()}
	}
	if s.init.tier < 3 {
		_, _ = unix.Wait4(s.init.pid, nil, 0, nil)
	}
	return unix.WaitStatus(r.Status), nil
}

// died returns the status of an init that was killed: it stands for its command. What
// it left behind without a pid namespace ends here.
func (s *parent) died() (status unix.WaitStatus) {
	for {
		if _, err := unix.Wait4(s.init.pid, &status, 0, nil); err != unix.EINTR {
			break
		}
	}
	killTree()
	return status
}

// pass passes a signal on. One that the terminal sent has reached the command
// already; the one that the caller's death brings ends everything.
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
