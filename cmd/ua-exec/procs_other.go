//go:build !linux

package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// The kernel knows no subreaper and no parent-death signal here: a command that
// leaves its group by setsid is not ended with the run, nor are commands when
// ua-exec is killed with SIGKILL.

func adopt() {}

func sysAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func pinThread() {}

func childless() bool { return false }

// hungUp waits until nobody can read what is written to fd any more.
func hungUp(fd int) {
	for {
		p := []unix.PollFd{{Fd: int32(fd)}}
		if _, err := unix.Poll(p, -1); err != unix.EINTR {
			return
		}
	}
}

func pending(int) int { return 0 }

func widen(int) {}

// descendants is the groups of commands that still have processes.
func (x *executor) descendants() (list []process) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for session := range x.sessions {
		if signalGroup(session, 0) {
			list = append(list, process{pid: -session, session: session, name: "the command's process group"})
		}
	}
	return list
}

// peakKB is the peak memory of the largest of a command's processes.
func peakKB(u *syscall.Rusage) int64 { return u.Maxrss / 1024 }

func commandLine(p process) string { return p.name }
