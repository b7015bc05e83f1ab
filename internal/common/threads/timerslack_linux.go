package threads

import "golang.org/x/sys/unix"

// Go's runtime wakes a thread of its own (sysmon in runtime/proc.go) every 20 µs while a
// program has work, and the kernel lets it oversleep by the timer slack, which new threads
// and programs get from the thread that makes them (prctl(2), PR_SET_TIMERSLACK).
const (
	defaultSlack = 50_000    // nanoseconds, of the kernel
	coarseSlack  = 1_000_000 // of programs that mostly wait
)

// CoarseTimers lets timers of programs that the calling thread starts be up to 1 ms late,
// until undo is called. In a short run a tenth of the CPU time would go into looking
// whether there is work. A slack that the user has chosen stays.
func CoarseTimers() (undo func()) { return change(defaultSlack, coarseSlack) }

// DefaultTimers takes CoarseTimers back in a program that was started so, for what the
// calling thread starts, until undo is called.
func DefaultTimers() (undo func()) { return change(coarseSlack, defaultSlack) }

// change sets the timer slack of the calling thread if it is from.
func change(from, to int) (undo func()) {
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil || slack != from || set(to) != nil {
		return func() {}
	}
	return func() { _ = set(from) }
}

func set(slack int) error { return unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(slack), 0, 0, 0) }
