package stage

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/procfs"
)

// withHandle makes the start of a process store its PID file descriptor in fd.
func withHandle(a *syscall.SysProcAttr, fd *int) { a.PidFD = fd }

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
		others := without(children(), stay)
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
	for _, pid := range without(children(), stay) {
		if pid != but {
			unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// killBelow kills the children of a process.
func killBelow(pid int) {
	for _, child := range childrenOf(strconv.Itoa(pid)) {
		unix.Kill(child, unix.SIGKILL)
	}
}

// without returns the pids that are not in stay.
func without(pids, stay []int) []int {
	return slices.DeleteFunc(pids, func(pid int) bool { return slices.Contains(stay, pid) })
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
	for _, child := range childrenOf(strconv.Itoa(pid)) {
		// A second ua-exec does the work that the first one supervises.
		own := p.Name == "ua-exec" || p.Name == "ua-gate" || p.Name == "ua-think"
		if below, _ := procfs.Read(child); !own || below.Name == p.Name {
			pids = append(pids, stoppedUnder(child, !own)...)
		}
	}
	return pids
}

// children returns the children of this process.
func children() []int { return childrenOf("self") }

// childrenOf returns the children of a process (proc(5), /proc/PID/task/TID/children).
func childrenOf(of string) (pids []int) {
	dir := "/proc/" + of + "/task/"
	tasks, _ := os.ReadDir(dir)
	for _, t := range tasks {
		list, _ := os.ReadFile(dir + t.Name() + "/children")
		for _, word := range strings.Fields(string(list)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// A Family is a process and all processes below it. A PID may be reused after a process
// has died, so each comes with its start time (proc(5), stat, starttime).
type Family []member

// A member is one process of a Family.
type member struct {
	pid   int
	start uint64
}

// FamilyOf returns a process and all processes below it, or nil if pid is not positive.
func FamilyOf(pid int) (f Family) {
	if pid <= 0 {
		return nil
	}
	f = Family{{pid, started(pid)}}
	for _, child := range childrenOf(strconv.Itoa(pid)) {
		f = append(f, FamilyOf(child)...)
	}
	return f
}

// Kill kills the members that are still the same processes, and the children that they
// have now.
func (f Family) Kill() {
	for _, m := range f {
		if m.start == 0 || started(m.pid) != m.start {
			continue
		}
		for _, child := range childrenOf(strconv.Itoa(m.pid)) {
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
