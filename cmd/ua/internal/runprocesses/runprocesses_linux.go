// Package runprocesses ends what the stages of a run leave behind, and what is below a run that is
// to end.
package runprocesses

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/procfs"
)

// Adopt makes this process a subreaper (prctl(2)). Orphans of the stages then become its
// children, where EndOrphans finds them.
func Adopt() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// EndOrphans kills what the stages have left behind: every child of this process except
// stay, once all stages have ended. It repeats this because the dead hand over children
// of their own. Most often only the sandbox's init is left, and it has ended as well.
func EndOrphans(stay []int) {
	for range 50 {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		for pid > 0 {
			pid, err = unix.Wait4(-1, nil, unix.WNOHANG, nil)
		}
		if err != nil {
			return // ECHILD: there is none
		}
		others := without(procfs.Children(0), stay)
		if len(others) == 0 {
			return
		}
		for _, pid := range others {
			// The leader of a process group takes its group with it.
			if pgid, err := unix.Getpgid(pid); err == nil && pgid == pid {
				unix.Kill(-pid, unix.SIGKILL)
			}
			unix.Kill(pid, unix.SIGKILL)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// KillChildren kills all children but one and those of stay, and does not reap them. A
// process that a killed stage has left could hold the pipe open.
func KillChildren(but int, stay []int) {
	for _, pid := range without(procfs.Children(0), stay) {
		if pid != but {
			unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// without returns the pids that are not in stay.
func without(pids, stay []int) []int {
	return slices.DeleteFunc(pids, func(pid int) bool { return slices.Contains(stay, pid) })
}

// Members are a process and all processes below it. A PID may be reused after a process
// has died, so each comes with its start time (proc(5), stat, starttime).
type Members []member

// A member is one of these processes.
type member struct {
	pid   int
	start uint64
}

// Of returns a process and all processes below it, or nil if pid is not positive.
func Of(pid int) (f Members) {
	if pid <= 0 {
		return nil
	}
	f = Members{{pid, started(pid)}}
	for _, child := range procfs.Children(pid) {
		f = append(f, Of(child)...)
	}
	return f
}

// Kill kills the members that are still the same processes, and the children that they
// have now.
func (f Members) Kill() {
	for _, m := range f {
		if m.start == 0 || started(m.pid) != m.start {
			continue
		}
		for _, child := range procfs.Children(m.pid) {
			unix.Kill(child, unix.SIGKILL)
		}
		unix.Kill(m.pid, unix.SIGKILL)
	}
}

// started returns the start time of a process in ticks since boot, 0 if there is none.
func started(pid int) uint64 {
	p, _ := procfs.Read(pid)
	return p.Start
}
