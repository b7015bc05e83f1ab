package main

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
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

// startThread runs do on a thread of its own: a parent-death signal goes by the thread
// that forked (PR_SET_PDEATHSIG(2const)), and a lock is one thread's.
func startThread(do func()) { confine.Thread(do) }

// childless reports whether this process has no child, adopted ones included.
func childless() bool {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == unix.ECHILD
		}
	}
}

// descendants returns every live process under this one.
func (x *executor) descendants() []process { return processes() }

// processes returns every live process under this one, whatever its session.
func processes() []process {
	names, err := readNames("/proc")
	if err != nil {
		return nil
	}
	all := map[int]process{}
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := readProcess(pid); ok {
				all[pid] = p
			}
		}
	}
	self := os.Getpid()
	var ours []process
	for _, p := range all {
		if p.top = top(all, p, self); p.top != 0 && !p.zombie {
			ours = append(ours, p)
		}
	}
	return ours
}

// top returns the child of the process self that p is or descends from, 0 for none.
func top(all map[int]process, p process, self int) int {
	for range len(all) {
		if p.parent == self {
			return p.id.pid
		}
		next, ok := all[p.parent]
		if !ok {
			return 0
		}
		p = next
	}
	return 0
}

func readNames(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// readProcess reads /proc/PID/stat (proc_pid_stat(5)). The second field, the
// program's name in parentheses, may itself hold spaces and parentheses.
func readProcess(pid int) (p process, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return p, false
	}
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return p, false
	}
	f := strings.Fields(string(stat[end+1:]))
	if len(f) < 20 {
		return p, false
	}
	p.id.pid, p.name = pid, string(stat[open+1:end])
	p.id.start, _ = strconv.ParseUint(f[19], 10, 64)
	p.zombie = f[0] == "Z" || f[0] == "X"
	p.stopped = f[0] == "T" || f[0] == "t"
	p.parent, _ = strconv.Atoi(f[1])
	p.session, _ = strconv.Atoi(f[3])
	return p, true
}

// commandLine returns what the process was started with, at most 200 bytes.
func commandLine(p process) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(p.id.pid) + "/cmdline")
	b = bytes.TrimRight(b, "\x00")
	if err != nil || len(b) == 0 {
		return p.name
	}
	return string(bytes.ReplaceAll(b[:min(len(b), 200)], []byte{0}, []byte{' '}))
}

// peakKB returns the peak memory of the largest of a command's processes.
func peakKB(u *syscall.Rusage) int64 { return int64(u.Maxrss) }
