package process

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
	"ua/internal/common/procfs"
)

// Adopt makes this process the one that orphans of its commands come to, so
// that none escapes by setsid or a double fork, keeps others of the user from
// tracing it, and keeps descriptors that it was left with from its commands.
func Adopt() {
	unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// sysAttr starts a command in a session of its own that dies when the thread
// that started it dies, which is the case when ua-exec is killed.
func sysAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// startThread runs do on a thread of its own: a parent-death signal goes by the thread
// that forked (PR_SET_PDEATHSIG(2const)), and a lock is one thread's.
func startThread(do func()) { confine.Thread(do) }

// Childless reports whether this process has no child, adopted ones included.
func Childless() bool {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == unix.ECHILD
		}
	}
}

// Descendants returns every live process under this one.
func (t *Table) Descendants() []Process { return Under() }

// Under returns every live process under this one, whatever its session.
func Under() []Process {
	all, self := procfs.All(), os.Getpid()
	var ours []Process
	for pid, p := range all {
		if top := top(all, pid, self); top != 0 && !p.Ended() {
			ours = append(ours, Process{ID: ID{pid, p.Start}, Session: p.Session,
				Top: top, Name: p.Name, stopped: p.Stopped(), threads: p.Threads})
		}
	}
	return ours
}

// top returns the child of the process self that pid is or descends from, 0 for none.
func top(all map[int]procfs.Stat, pid, self int) int {
	for range len(all) {
		p, ok := all[pid]
		if !ok {
			return 0
		}
		if p.Parent == self {
			return pid
		}
		pid = p.Parent
	}
	return 0
}

// CommandLine returns what the process was started with, at most 200 bytes.
func CommandLine(p Process) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/cmdline")
	b = bytes.TrimRight(b, "\x00")
	if err != nil || len(b) == 0 {
		return p.Name
	}
	return string(bytes.ReplaceAll(b[:min(len(b), 200)], []byte{0}, []byte{' '}))
}

// PeakKB returns the peak memory of the largest of a command's processes.
func PeakKB(u *syscall.Rusage) int64 { return int64(u.Maxrss) }
