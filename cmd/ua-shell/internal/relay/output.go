package relay

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// An output prints on the terminal. It has two descriptors of its own for that terminal.
// One never waits, and is tried first. The other one waits: a write(2) that waits for
// room passes twice as much as poll(2) and small pieces. A terminal that takes nothing
// for a while (a stopped one, a slow line) must not keep us from keys and signals: the
// waiting write is interrupted then, and the rest is kept until there is room.
type output struct {
	now     int    // the descriptor that never waits; the only one where there is no other
	wait    int    // the one that does, -1 for none
	left    []byte // is still to be printed
	thread  int    // that prints
	waited  bool   // the last print did not find room for all at once
	writes  atomic.Uint32
	watched atomic.Bool
}

// burst is the size in bytes from which a write waits at once, since there is hardly room
// for all.
const burst = 8 << 10

// stall is how long a write may wait before it is interrupted.
const stall = 50 * time.Millisecond

// newOutput returns an output to the terminal of the descriptor. Others may share the
// descriptor's flags, so the terminal is opened anew. Where that is not possible, every
// write waits.
func newOutput(fd int) *output {
	o := &output{now: fd, wait: -1}
	if wait := again(fd, 0); wait >= 0 {
		if now := again(fd, unix.O_NONBLOCK); now >= 0 {
			o.now, o.wait = now, wait
		} else {
			unix.Close(wait)
		}
	}
	return o
}

// full reports whether something still has to be printed.
func (o *output) full() bool { return len(o.left) > 0 }

// print prints p, or keeps what the terminal does not take. An error means that the
// terminal is gone.
func (o *output) print(p []byte) error {
	o.waited = false
	// The order has to stay.
	if o.full() {
		o.left = append(o.left, p...)
		return nil
	}
	if len(p) < burst || o.wait < 0 {
		var err error
		if p, err = o.write(o.now, p); err != unix.EAGAIN || o.wait < 0 {
			return o.result(err)
		}
	}
	o.waited = true
	// watch knows by an odd count that a write is under way.
	if !o.watched.Swap(true) {
		o.watch(o.writes.Load())
	}
	o.writes.Add(1)
	p, err := o.write(o.wait, p)
	o.writes.Add(1)
	if err == unix.EAGAIN {
		o.left, err = append(o.left[:0], p...), nil
	}
	return o.result(err)
}

// flush prints what was kept, as far as there is room.
func (o *output) flush() error {
	p, err := o.write(o.now, o.left)
	o.left = append(o.left[:0], p...)
	if err == unix.EAGAIN {
		return nil
	}
	// watch has switched waiting off to end the last write.
	unix.SetNonblock(o.wait, false)
	return o.result(err)
}

// result returns the error of a write. After an error nothing more is printed.
func (o *output) result(err error) error {
	if err != nil {
		o.now, o.wait, o.left = -1, -1, nil
	}
	return err
}

// write writes p to the descriptor. It returns what is left of p, with an error if
// anything is.
func (o *output) write(fd int, p []byte) (left []byte, err error) {
	for len(p) > 0 && fd >= 0 {
		n, err := o.try(fd, p)
		if n > 0 {
			p = p[n:]
		}
		switch {
		case err == nil || err == unix.EINTR:
		case err == unix.EAGAIN && o.wait < 0: // somebody else set it non-blocking
			unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, -1)
		default:
			return p, err
		}
	}
	return nil, nil
}

// try writes to the descriptor once. A write that never waits goes around Go's scheduler.
func (o *output) try(fd int, p []byte) (int, error) {
	if fd == o.now && o.wait >= 0 {
		return writeNow(fd, p)
	}
	return unix.Write(fd, p)
}

// watch interrupts a write that lasts longer than stall. It ends when nothing has been
// written for that time.
func (o *output) watch(last uint32) {
	time.AfterFunc(stall, func() {
		switch now := o.writes.Load(); {
		case now != last:
			o.watch(now)
		case now%2 == 1:
			unix.SetNonblock(o.wait, true)
			interrupt(o.thread)
			o.watch(now)
		default:
			o.watched.Store(false)
		}
	})
}
