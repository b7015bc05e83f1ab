package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// An eventLog gets the events of requests and of guarded files. Nil is nowhere.
type eventLog struct {
	mu     sync.Mutex
	file   *os.File
	live   bool // the file is a descriptor of the caller's
	behind bool // its reader did not take the last event in time
	lost   int  // events
}

// logPatience is how long an event waits for a reader that is behind; those after it
// don't, until it reads again. A reader may be one that reads at the end only.
const logPatience = time.Second

// eventMax is how long an event may be, with its newline: one that a pipe takes whole, or
// not at all (pipe(7), PIPE_BUF).
const eventMax = 4096

// write writes one event. A command can make any number of them: no reader that is behind
// may hold the proxy up, or the end of the sandbox.
func (l *eventLog) write(line []byte) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	wait := logPatience
	if l.behind {
		wait = 0
	}
	if l.behind = !writable(l.file, wait); l.behind || len(line) >= eventMax {
		l.lost++
		return
	}
	_, _ = l.file.Write(append(line, '\n'))
}

// stands writes that the sandbox has been made, and at which tier, where the events go to a
// descriptor: a caller waits for no other word of it.
func (l *eventLog) stands(tier int) {
	if l != nil && l.live {
		l.write(fmt.Appendf(nil, `{"type":"sandbox","tier":%d}`, tier))
	}
}

// tellLost tells a person of events that nobody has.
func (l *eventLog) tellLost(env *prog.Env) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost > 0 {
		env.Warnf("%s of requests or guarded files are lost: their reader was behind",
			style.Plural(int64(l.lost), "event"))
	}
}

// writable waits until a write to the file does not block.
func writable(f *os.File, wait time.Duration) bool {
	ready := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLOUT}}
	for until := time.Now().Add(wait); ; {
		n, err := unix.Poll(ready, max(int(time.Until(until).Milliseconds()), 0))
		if err != unix.EINTR {
			return n == 1 && err == nil
		}
	}
}
