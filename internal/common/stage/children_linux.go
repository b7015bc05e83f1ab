package stage

import (
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/procfs"
)

// withHandle makes the start of a process store its PID file descriptor in fd.
func withHandle(a *syscall.SysProcAttr, fd *int) { a.PidFD = fd }

// killBelow kills the children of a process.
func killBelow(pid int) {
	for _, child := range procfs.Children(pid) {
		unix.Kill(child, unix.SIGKILL)
	}
}

// stoppedUnder returns which processes a signal has stopped: the one with that pid and,
// if deep, those below it down to the stages. What these have started is not looked at:
// ua-exec enforces the time limits of commands, ua-gate those of hooks.
func stoppedUnder(pid int, deep bool) (pids []int) {
	p, _ := procfs.Read(pid)
	if p.State == 'T' {
		pids = append(pids, pid)
	}
	if !deep {
		return pids
	}
	for _, child := range procfs.Children(pid) {
		// A second ua-exec does the work that the first one supervises.
		own := p.Name == "ua-exec" || p.Name == "ua-gate" || p.Name == "ua-think"
		if below, _ := procfs.Read(child); !own || below.Name == p.Name {
			pids = append(pids, stoppedUnder(child, !own)...)
		}
	}
	return pids
}
