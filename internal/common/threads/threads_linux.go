package threads

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Go's runtime wakes a thread of its own (sysmon in runtime/proc.go) every 20 µs while a
// program has work, which costs a short run a tenth of its CPU time. The kernel lets it
// oversleep by the timer slack, which new threads and programs get from the thread that
// makes them (prctl(2), PR_SET_TIMERSLACK).
const (
	defaultSlack = 50_000 // nanoseconds, of the kernel
	coarseSlack  = 1_000_000
)

// CoarseTimers lets timers of programs that the calling thread starts be up to 1 ms late,
// until undo is called. A slack that the user has chosen stays.
func CoarseTimers() (undo func()) { return changeSlack(defaultSlack, coarseSlack) }

// DefaultTimers takes CoarseTimers back for what the calling thread starts.
func DefaultTimers() { changeSlack(coarseSlack, defaultSlack) }

func changeSlack(from, to int) (undo func()) {
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil || slack != from {
		return func() {}
	}
	set := func(slack int) { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(slack), 0, 0, 0) }
	set(to)
	return func() { set(from) }
}

// FewPids reports whether commands may have so few processes that they can use them up
// within a moment: by RLIMIT_NPROC, or for root by pid_max (proc_sys_kernel(5)).
func FewPids() bool {
	var own unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NPROC, &own) == nil && own.Cur < manyPids {
		return true
	}
	var text [24]byte
	fd, err := unix.Open("/proc/sys/kernel/pid_max", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	n, _ := unix.Read(fd, text[:]) // without the poller, which a program may not need yet
	most, err := strconv.Atoi(strings.TrimSpace(string(text[:max(n, 0)])))
	return err == nil && most < manyPids
}

// running returns the number of all threads of the system (sysinfo(2)).
func running() int {
	var info unix.Sysinfo_t
	_ = unix.Sysinfo(&info)
	return int(info.Procs)
}
