package process

import (
	"bytes"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
	"ua/internal/common/procfs"
)

// Adopt makes this process a subreaper: orphans of its commands become its children, and
// none escapes by setsid or a double fork. It also makes the process non-dumpable, so
// that the user's other processes cannot trace it, and keeps inherited descriptors from
// commands (close_range(2), prctl(2)).
func Adopt() {
	unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// sysAttr starts a command in a new session. The command is killed when the thread that
// started it ends, which happens when ua-exec is killed.
func sysAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// startThread runs do on a thread of its own. Both the death signal of a parent
// (PR_SET_PDEATHSIG(2const)) and a lock belong to one thread.
func startThread(do func()) { confine.Thread(do) }

// Childless reports whether this process has no child, not even an adopted one. WNOWAIT
// leaves a child that has ended to reap (waitid(2)).
func Childless() bool {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == unix.ECHILD
		}
	}
}

// Descendants returns all live processes below this one.
func (t *Table) Descendants() []Process { return Under() }

// Under returns all live processes below this one, in whatever session they are. Without a
// child there are none, and /proc need not be read.
func Under() []Process {
	if Childless() {
		return nil
	}
	all, self := procfs.All(), os.Getpid()
	var ours []Process
	for pid, p := range all {
		if top := top(all, pid, self); top != 0 && !p.Ended() {
			ours = append(ours, Process{ID: ID{pid, p.Start}, Session: p.Session,
				Top: top, Name: p.Name, parent: p.Parent, group: p.Group, stopped: p.Stopped() || p.Headless(),
				threads: p.Threads})
		}
	}
	return ours
}

// top returns the child of self that pid descends from or is, 0 if there is none. The
// loop is limited, because processes change while /proc is read. One whose parent is not
// there was read before that parent ended, and has another one by now.
func top(all map[int]procfs.Stat, pid, self int) int {
	for range len(all) {
		p := all[pid]
		if p.Parent == self {
			return pid
		}
		if _, ok := all[p.Parent]; ok {
			pid = p.Parent
			continue
		}
		if p.Parent == 0 {
			return 0
		}
		now, ok := procfs.Read(pid)
		if !ok {
			return 0
		}
		all[pid] = now
	}
	return 0
}

// CommandLine returns the arguments with which the process was started, at most 200 bytes
// (proc(5), cmdline), or its name if there are none.
func CommandLine(p Process) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/cmdline")
	b = bytes.TrimRight(b, "\x00")
	if err != nil || len(b) == 0 {
		return p.Name
	}
	return string(bytes.ReplaceAll(b[:min(len(b), 200)], []byte{0}, []byte{' '}))
}

// PeakKB returns the peak resident memory in KiB of the largest process of a command
// (getrusage(2), ru_maxrss).
func PeakKB(u *syscall.Rusage) int64 { return int64(u.Maxrss) }

// newbornMax is how long a program may take from fork to exec before it is checked
// whether something has stopped it there.
const newbornMax = 200 * time.Millisecond

// watchNewborn watches over a fork until the function that it returns is called. A
// running command may signal what the same thread starts, and can stop a child before its
// exec. That also stops the thread here, which the kernel continues only at the exec
// (CLONE_VFORK, clone(2)). The runtime does not get that thread's processor back
// meanwhile. So there must be another one, and nothing may begin that waits for all
// threads: no garbage collection and no change of their number.
func watchNewborn() (over func()) {
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), 2)) // the runtime leaves a number that was set
	percent := debug.SetGCPercent(-1)
	var end runtime.MemStats
	runtime.ReadMemStats(&end) // waits for what a collection does after its end
	born := make(chan struct{})
	go func() {
		look := time.NewTicker(newbornMax)
		defer look.Stop()
		for {
			select {
			case <-born:
				return
			case <-look.C:
				endNewborn()
			}
		}
	}()
	return func() {
		close(born)
		debug.SetGCPercent(percent)
	}
}

// endNewborn kills children that are stopped and still have this process's own command
// line, which means before their exec. To continue them would not help, as they could be
// stopped again every time.
func endNewborn() {
	own := CommandLine(Process{ID: ID{PID: os.Getpid()}})
	for _, p := range Under() {
		if p.stopped && p.Top == p.PID && CommandLine(p) == own {
			_ = syscall.Kill(p.PID, syscall.SIGKILL)
		}
	}
}
