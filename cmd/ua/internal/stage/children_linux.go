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

// withHandle has the start of a process put its handle into fd.
func withHandle(a *syscall.SysProcAttr, fd *int) { a.PidFD = fd }

// Adopt makes us the parent of what our stages leave behind, so that EndOrphans
// finds it.
func Adopt() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// EndOrphans kills what the stages left behind: every child of ours, once all
// stages have ended. It goes on while the dead hand over children of their own.
// Most often there is only the sandbox's init, which has ended too.
// What stays is no stage's.
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
			if pgid, err := unix.Getpgid(pid); err == nil && pgid == pid {
				unix.Kill(-pid, unix.SIGKILL)
			}
			unix.Kill(pid, unix.SIGKILL)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// KillChildren kills our children but one, and leaves it to others to wait for
// them. What a killed stage left behind may hold the pipe open.
func KillChildren(but int, stay []int) {
	for _, pid := range without(children(), stay) {
		if pid != but {
			unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// killBelow kills a process's children.
func killBelow(pid int) {
	for _, child := range childrenOf(strconv.Itoa(pid)) {
		unix.Kill(child, unix.SIGKILL)
	}
}

// without returns pids without those that stay.
func without(pids, stay []int) []int {
	return slices.DeleteFunc(pids, func(pid int) bool { return slices.Contains(stay, pid) })
}

// stoppedUnder returns the pids, of a stage's process and, if deep, of those below it
// down to ua-exec, that a signal has stopped. Commands are below ua-exec, which
// holds their time limits.
func stoppedUnder(pid int, deep bool) (pids []int) {
	p, _ := procfs.Read(pid)
	if p.State == 'T' {
		pids = append(pids, pid)
	}
	if !deep {
		return pids
	}
	for _, child := range childrenOf(strconv.Itoa(pid)) {
		// the second does what the first guards
		if below, _ := procfs.Read(child); p.Name != "ua-exec" || below.Name == "ua-exec" {
			pids = append(pids, stoppedUnder(child, p.Name != "ua-exec")...)
		}
	}
	return pids
}

// children returns the pids of our children.
func children() []int { return childrenOf("self") }

// childrenOf returns the pids of a process's children (proc(5), PID/task/TID/children).
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

// A Family is a process and all below it. One that has died may have its pid used
// by another by now: the time of its start tells (proc(5), stat, starttime).
type Family []member

type member struct {
	pid   int
	start uint64
}

// FamilyOf returns the process and all below it, none for no process.
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

// Kill kills those that are still themselves, and what they have started since.
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

// started returns when a process was started, in ticks since the boot; 0 for none.
func started(pid int) uint64 {
	p, _ := procfs.Read(pid)
	return p.Start
}
