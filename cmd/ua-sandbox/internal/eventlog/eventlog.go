// Package eventlog writes events about requests and protected files for the caller of a
// sandbox.
package eventlog

import (
	"cmp"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// A Log receives the events about requests and protected files. A nil one discards
// them.
type Log struct {
	mu     sync.Mutex
	file   *os.File
	live   bool  // the file is a descriptor of the caller's
	behind bool  // its reader did not take the last event in time
	lost   int   // events
	failed error // of the first write that did
}

// New returns the log of a file, which is live if it is a descriptor of the caller's.
func New(file *os.File, live bool) *Log { return &Log{file: file, live: live} }

// logPatience is how long an event waits for a reader that is behind. Later events do not
// wait until the reader has caught up, because some readers read only at the end.
const logPatience = time.Second

// Max is the limit on an event's length, newline included: a pipe takes that much
// completely or not at all (pipe(7), PIPE_BUF).
const Max = 4096

// Write writes one event. A command can cause any number of events, so a reader that is
// behind must not hold up the proxy or the end of the sandbox.
func (l *Log) Write(line []byte) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	wait := logPatience
	if l.behind {
		wait = 0
	}
	if l.behind = !writable(l.file, wait); l.behind || len(line) >= Max {
		l.lost++
		return
	}
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		l.lost++
		l.failed = cmp.Or(l.failed, err)
	}
}

// Begins writes at which tier a sandbox is being made, if the events go to a descriptor. A
// caller has no other way to know.
func (l *Log) Begins(tier int) {
	if l != nil && l.live {
		l.Write(fmt.Appendf(nil, `{"type":"sandbox","tier":%d}`, tier))
	}
}

// TellLost tells a person about events that were lost. It reports whether the file that was
// to have them could not take them.
func (l *Log) TellLost(env *prog.Env) (failed bool) {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost == 0 {
		return false
	}
	why := "their reader fell behind"
	if l.failed != nil {
		why = l.failed.Error()
	}
	env.Warnf("%s of requests or protected files were lost: %s",
		style.Plural(int64(l.lost), "event"), why)
	return l.failed != nil && !l.live
}

// writable waits until a write to the file would not block, and reports whether it would
// not.
func writable(f *os.File, wait time.Duration) bool {
	ready := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLOUT}}
	for until := time.Now().Add(wait); ; {
		n, err := unix.Poll(ready, max(int(time.Until(until).Milliseconds()), 0))
		if err != unix.EINTR {
			return n == 1 && err == nil
		}
	}
}
