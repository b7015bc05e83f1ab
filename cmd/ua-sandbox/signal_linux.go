package main

import (
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// forwarded are the signals that are passed on to the command.
func forwarded() []os.Signal {
	return []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH}
}

// catch has the signals sent to a channel instead of ending this process. What
// the caller ignores stays ignored, for the command too.
func catch() <-chan os.Signal {
	signals := make(chan os.Signal, 16)
	for _, s := range forwarded() {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	return signals
}

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
		if !s.stands.Load() && n != unix.SIGWINCH {
			s.ended.Store(int32(n))
			if pid := s.initPID.Load(); pid > 0 {
				_ = unix.Kill(int(pid), unix.SIGKILL)
			}
			continue
		}
		s.pass(n, caller)
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
	if s.init.level < 3 {
		_, _ = unix.Wait4(s.init.pid, nil, 0, nil)
	}
	return unix.WaitStatus(r.Status), nil
}

// died is the status of an init that was killed: it stands for its command. What
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
	switch sig {
	case unix.SIGINT, unix.SIGQUIT, unix.SIGWINCH:
		if inForeground() {
			return
		}
	}
	_ = s.init.ctl.write([]byte{byte(sig)})
}

// inForeground says whether this process's group has the terminal, so that its
// keys signal the whole group.
func inForeground() bool {
	fd, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// exit is how this process ends as the command did.
func exit(status unix.WaitStatus) error {
	if status.Signaled() {
		return reraise(status.Signal())
	}
	if status.ExitStatus() == 0 {
		return nil
	}
	return prog.Exit(status.ExitStatus())
}

// reraise ends this process by a signal, as the kernel would and without a core
// of this one; or returns the status 128+n when the signal does not end a process.
func reraise(sig syscall.Signal) error {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	var byDefault [4]uint64 // struct sigaction of zeros: SIG_DFL
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
	runtime.LockOSThread() // sent to itself, the signal comes before the next step
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), sig)
	return prog.Exit(128 + int(sig))
}
