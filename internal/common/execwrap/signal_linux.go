// Package execwrap holds what chain loaders share that stay above their command. Signals
// pass to the command, and its status passes out.
package execwrap

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// passed are the signals that are meant for a command.
var passed = [...]os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1,
	unix.SIGUSR2, unix.SIGWINCH}

// Catch has the signals that are meant for a command sent to a channel, so that they do
// not end this process. Signals that the caller ignores stay ignored, for the command
// too.
func Catch() <-chan os.Signal {
	signals := make(chan os.Signal, 16)
	prog.Notify(signals, passed[:]...)
	return signals
}

// Ignore has this process ignore those signals, and not what it starts: the runtime gives each
// signal that it has a handler for back to a child.
func Ignore() {
	ignored := [4]uint64{1} // struct sigaction: SIG_IGN
	for _, sig := range passed {
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig.(syscall.Signal)),
			uintptr(unsafe.Pointer(&ignored)), 0, 8, 0, 0)
	}
}

// FromTerminal reports whether the terminal has sent a signal to this process's whole
// group, and so to the command too.
func FromTerminal(sig os.Signal) bool {
	switch sig {
	case unix.SIGINT, unix.SIGQUIT, unix.SIGWINCH:
		return inForeground()
	}
	return false
}

// inForeground reports whether this process's group has the terminal, so that the
// terminal's keys signal the whole group.
func inForeground() bool {
	fd, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// Exit ends this process as the command ended, by the same signal or with the same
// status.
func Exit(status unix.WaitStatus) error {
	if status.Signaled() {
		return Reraise(status.Signal())
	}
	if status.ExitStatus() == 0 {
		return nil
	}
	return prog.Exit(status.ExitStatus())
}

// Reraise ends this process by a signal as the kernel would, but without a core dump. If
// the signal does not end a process, it returns the status 128+n.
func Reraise(sig syscall.Signal) error {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	var byDefault [4]uint64 // struct sigaction of zeros: SIG_DFL
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig),
		uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
	runtime.LockOSThread() // sent to itself, the signal comes before the next step
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), sig)
	return prog.Exit(128 + int(sig))
}
