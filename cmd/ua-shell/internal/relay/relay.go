// Package relay moves bytes between the user's terminal and the PTY of a shell. One
// goroutine owns both: it waits in poll(2) and calls everything else. Other goroutines
// post it functions.
package relay

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// chunk is the most that is read at once, in bytes. The kernel returns no more than 4 KiB
// of a PTY (N_TTY_BUF_SIZE).
const chunk = 64 << 10

// pieces is how many reads of the PTY are passed on before keys and signals get their
// turn.
const pieces = 16

// A Relay is the pair of a terminal and a PTY. Its methods other than Post may be called
// only by the functions that the Relay calls.
type Relay struct {
	Output func([]byte) // takes what the shell prints; the bytes hold until it returns
	Input  func([]byte) // takes what the user types; the bytes hold until it returns
	Hangup func()       // the terminal is gone

	in, pty      int
	out          *output
	wakeR, wakeW int
	buf          []byte
	waiting      []byte // input that the PTY had no room for yet
	hold         bool
	ended        bool

	mu     sync.Mutex
	posted []func()
}

// New returns a Relay between the terminal's descriptors and the PTY's, which becomes
// non-blocking. At first what is typed goes to the shell, and what the shell prints to
// the terminal.
func New(in, out, pty int) (*Relay, error) {
	var wake [2]int
	if err := pipe(&wake); err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(pty, true); err != nil {
		return nil, err
	}
	r := &Relay{in: in, pty: pty, wakeR: wake[0], wakeW: wake[1], buf: make([]byte, chunk)}
	r.out = newOutput(out, func(err error) { r.Post(func() { r.printed(err) }) })
	r.Output, r.Input, r.Hangup = r.Print, r.Type, r.End
	return r, nil
}

// Post has the Relay's goroutine call f soon. Any goroutine may call Post.
func (r *Relay) Post(f func()) {
	r.mu.Lock()
	r.posted = append(r.posted, f)
	first := len(r.posted) == 1
	r.mu.Unlock()
	// One byte in the pipe wakes the goroutine for all that is posted.
	if first {
		unix.Write(r.wakeW, []byte{0})
	}
}

// After has the Relay's goroutine call f once d has passed.
func (r *Relay) After(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() { r.Post(f) })
}

// End ends Run as soon as the function that calls it returns.
func (r *Relay) End() { r.ended = true }

// Close closes the PTY. The programs in it get SIGHUP and read an end.
func (r *Relay) Close() {
	unix.Close(r.pty)
	r.pty = -1
}

// Hold leaves what the shell prints in the PTY until it is called with false.
func (r *Relay) Hold(on bool) { r.hold = on }

// Unread reports whether the shell has printed something that is not passed on yet.
func (r *Relay) Unread() bool {
	fds := []unix.PollFd{{Fd: int32(r.pty), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return n > 0 && err == nil && fds[0].Revents&unix.POLLIN != 0
}

// Run moves bytes until End is called.
func (r *Relay) Run() {
	more := false
	for !r.ended {
		ready := r.wait(more)
		if ready.woken {
			r.runPosted()
		}
		if ready.in && !r.ended {
			r.readKeys()
		}
		if ready.room {
			r.Type(nil)
		}
		more = ready.pty && !r.hold && !r.ended && !r.full() && r.readShell()
	}
}

// readiness says what can be done without waiting.
type readiness struct{ in, pty, room, woken bool }

// wait waits until something can be done. With more it only looks.
func (r *Relay) wait(more bool) (ready readiness) {
	fds := [3]unix.PollFd{{Fd: int32(r.wakeR), Events: unix.POLLIN}, {Fd: int32(r.in)},
		{Fd: int32(r.pty)}}
	// A shell that takes no input stops the reading of keys, too.
	if len(r.waiting) < chunk {
		fds[1].Events = unix.POLLIN
	}
	if !r.hold && !r.full() {
		fds[2].Events |= unix.POLLIN
	}
	if len(r.waiting) > 0 {
		fds[2].Events |= unix.POLLOUT
	}
	for i := range fds {
		if fds[i].Events == 0 {
			fds[i].Fd = -1 // else POLLHUP would be told without end
		}
	}
	timeout := -1
	if more {
		timeout = 0
	}
	if _, err := unix.Poll(fds[:], timeout); err != nil && err != unix.EINTR {
		r.ended = true
	}
	const any = unix.POLLIN | unix.POLLHUP | unix.POLLERR | unix.POLLNVAL
	return readiness{
		woken: fds[0].Revents&any != 0,
		in:    fds[1].Revents&any != 0,
		pty:   fds[2].Revents&any != 0 || more,
		room:  fds[2].Revents&unix.POLLOUT != 0,
	}
}

// runPosted calls the functions that were posted, outside of the lock.
func (r *Relay) runPosted() {
	var buf [64]byte
	unix.Read(r.wakeR, buf[:])
	r.mu.Lock()
	list := r.posted
	r.posted = nil
	r.mu.Unlock()
	for _, f := range list {
		f()
	}
}

// readKeys passes on what the user has typed.
func (r *Relay) readKeys() {
	n, err := unix.Read(r.in, r.buf)
	switch {
	case n > 0:
		r.Input(r.buf[:n])
	case err == unix.EINTR || err == unix.EAGAIN:
	default:
		r.in = -1
		r.Hangup()
	}
}

// readShell passes on what the shell has printed. Each read is passed on at once: the
// kernel fills the next piece while this one is printed, and gathering several would make
// both sides wait for each other. more reports whether there may be more to read.
func (r *Relay) readShell() (more bool) {
	for range pieces {
		n, err := unix.Read(r.pty, r.buf)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return false
		case err != nil || n == 0:
			r.pty = -1 // EIO: nobody has the other end open (tty_io.c)
			return false
		}
		r.Output(r.buf[:n])
		if r.hold || r.ended || r.full() {
			return false
		}
	}
	return true
}

// Drain passes on what the shell has left in the PTY at its end. It allows a moment for
// what is still on its way in the kernel, and stops at a program that prints without end.
func (r *Relay) Drain() {
	r.hold = false
	for range 256 {
		r.Settle()
		if r.pty < 0 || r.ended {
			return
		}
		fds := []unix.PollFd{{Fd: int32(r.pty), Events: unix.POLLIN}}
		if n, err := unix.Poll(fds, 50); n == 0 && err == nil {
			return
		}
		r.readShell()
	}
}

// Type gives the shell input. What the PTY has no room for waits.
func (r *Relay) Type(p []byte) {
	if r.pty < 0 {
		return
	}
	if len(r.waiting) > 0 {
		p = append(r.waiting, p...)
	}
	for len(p) > 0 {
		n, err := unix.Write(r.pty, p)
		if n > 0 {
			p = p[n:]
		}
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			if err != unix.EAGAIN {
				p = nil
			}
			break
		}
	}
	r.waiting = append(r.waiting[:0], p...)
}

// Print writes to the terminal. If the terminal takes nothing, the rest waits and so does
// the shell, but keys and signals go on.
func (r *Relay) Print(p []byte) { r.out.print(p) }

// full reports whether enough waits for the terminal.
func (r *Relay) full() bool {
	n, _ := r.out.pending()
	return n >= backlog
}

// printed is called when the terminal has taken what there was. It hangs up where a write
// has failed.
func (r *Relay) printed(err error) {
	if err != nil {
		r.Hangup()
	}
}

// Settle waits until the terminal has taken what is kept for it, or until End is called.
func (r *Relay) Settle() {
	for r.ended = false; !r.ended; {
		if _, some := r.out.pending(); !some {
			return
		}
		fds := []unix.PollFd{{Fd: int32(r.wakeR), Events: unix.POLLIN}}
		if unix.Poll(fds, -1); fds[0].Revents != 0 {
			r.runPosted()
		}
	}
}

// pipe makes a pipe that no child inherits and that never blocks.
func pipe(p *[2]int) error {
	if err := unix.Pipe(p[:]); err != nil {
		return err
	}
	for _, fd := range p {
		unix.CloseOnExec(fd)
		if err := unix.SetNonblock(fd, true); err != nil {
			return err
		}
	}
	return nil
}
