package relay

import (
	"sync"

	"golang.org/x/sys/unix"
)

// backlog is how many bytes may wait for the terminal before the PTY is left alone.
const backlog = 64 << 10

// An output prints on the terminal from a goroutine of its own: a terminal that takes nothing
// for a while (a stopped one, a slow line) must not keep us from keys and signals.
type output struct {
	fd    int
	drain func(error) // is called when all is printed, or when the terminal is gone

	mu   sync.Mutex
	more sync.Cond
	left []byte // is still to be printed, beside what is being written
	busy bool   // something is being written
	gone bool   // the terminal
}

// newOutput returns an output to the terminal of the descriptor.
func newOutput(fd int, drain func(error)) *output {
	o := &output{fd: fd, drain: drain}
	o.more.L = &o.mu
	go o.run()
	return o
}

// print has p printed after what was to be printed before.
func (o *output) print(p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.gone {
		o.left = append(o.left, p...)
		o.more.Signal()
	}
}

// pending returns how many bytes wait, and whether any is not printed yet.
func (o *output) pending() (n int, some bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.left), len(o.left) > 0 || o.busy
}

// run prints what comes, each time all that has come meanwhile.
func (o *output) run() {
	var buf []byte
	for {
		o.mu.Lock()
		for len(o.left) == 0 {
			o.more.Wait()
		}
		o.left, buf, o.busy = buf[:0], o.left, true
		o.mu.Unlock()
		if len(buf) >= backlog {
			o.drain(nil) // the next bytes may come meanwhile
		}
		err := write(o.fd, buf)
		o.mu.Lock()
		o.busy, o.gone = false, err != nil
		idle := len(o.left) == 0
		o.mu.Unlock()
		if idle || err != nil {
			o.drain(err)
		}
		if err != nil {
			return
		}
	}
}

// write writes all of p, and waits for that. An error means that the terminal is gone.
func write(fd int, p []byte) error {
	for len(p) > 0 {
		n, err := unix.Write(fd, p)
		switch {
		case err == unix.EAGAIN: // somebody else has set it non-blocking
			unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, -1)
		case err != nil && err != unix.EINTR:
			return err
		}
		p = p[max(n, 0):]
	}
	return nil
}
