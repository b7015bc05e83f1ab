package main

import (
	"math"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopt makes this process the one that orphans of its commands come to, so
// that none escapes by setsid or a double fork, keeps others of the user from
// tracing it, and keeps descriptors that it was left with from its commands.
func adopt() {
	unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// sysAttr starts a command in a session of its own that dies when the thread
// that started it dies, which is the case when ua-exec is killed.
func sysAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// pinThread keeps the calling goroutine on one thread for good: a parent-death
// signal goes by the thread that forked (PR_SET_PDEATHSIG(2const)).
func pinThread() { runtime.LockOSThread() }

// childless says whether this process has no child, adopted ones included.
func childless() bool {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == unix.ECHILD
		}
	}
}

// hungUp waits until nobody can read what is written to fd any more.
func hungUp(fd int) {
	for {
		p := []unix.PollFd{{Fd: int32(fd)}}
		if _, err := unix.Poll(p, -1); err != unix.EINTR {
			return
		}
	}
}

// pending is how many bytes wait in the pipe.
func pending(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}

// widen lets the pipe hold 1 MiB, the most that an ordinary user may ask for.
func widen(fd int) { unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 1<<20) }

// peakKB is the peak memory of the largest of a command's processes.
func peakKB(u *syscall.Rusage) int64 { return int64(u.Maxrss) }
