// Package relay moves bytes between the user's terminal and the PTY of a shell.
// One goroutine owns both: it waits with poll(2) and calls everything else; who
// wants something of the terminal posts it a function.
package relay

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// chunk is how many bytes are taken up at once, at most. The kernel hands out no more than
// 4 KiB of a PTY (N_TTY_BUF_SIZE).
const chunk = 64 << 10

// pieces is how many reads of the PTY are passed on before keys and signals are looked at.
const pieces = 16

// A Relay is the pair of terminal and PTY. Its methods but Post are for the
// functions that it calls, and for posted ones.
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

// New returns a Relay between the terminal's descriptors and a PTY's, which it
// sets non-blocking. What is typed goes to the shell, what the shell prints to
// the terminal.
func New(in, out, pty int) (*Relay, error) {
	var wake [2]int
	if err := pipe(&wake); err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(pty, true); err != nil {
		return nil, err
	}
	r := &Relay{in: in, out: newOutput(out), pty: pty, wakeR: wake[0], wakeW: wake[1],
		buf: make([]byte, chunk)}
	r.Output, r.Input, r.Hangup = r.Print, r.Type, r.End
	return r, nil
}

// Post has the Relay's goroutine call f soon. Any goroutine may call it.
func (r *Relay) Post(f func()) {
	r.mu.Lock()
	r.posted = append(r.posted, f)
	first := len(r.posted) == 1
	r.mu.Unlock()
	if first {
		unix.Write(r.wakeW, []byte{0})
	}
}

// End ends Run after the function that calls it.
func (r *Relay) End() { r.ended = true }

// Close closes the PTY: its programs get SIGHUP and no more input.
func (r *Relay) Close() {
	unix.Close(r.pty)
	r.pty = -1
}

// Hold leaves what the shell prints in the PTY, until it is called with false.
func (r *Relay) Hold(on bool) { r.hold = on }

// Run moves bytes until End is called.
func (r *Relay) Run() {
	runtime.LockOSThread() // by which a write that takes long is interrupted
	defer runtime.UnlockOSThread()

	r.out.thread = threadID()
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
		if ready.out {
			r.printed(r.out.flush())
		}
		more = ready.pty && !r.hold && !r.ended && !r.out.full() && r.readShell()
	}
}

// readiness says what can be done without waiting.
type readiness struct{ in, pty, room, out, woken bool }

// wait waits until something can be done; with more it only looks.
func (r *Relay) wait(more bool) (ready readiness) {
	fds := [4]unix.PollFd{{Fd: int32(r.wakeR), Events: unix.POLLIN}, {Fd: int32(r.in)},
		{Fd: int32(r.pty)}, {Fd: int32(r.out.now)}}
	if len(r.waiting) < chunk {
		fds[1].Events = unix.POLLIN
	}
	if r.out.full() {
		fds[3].Events = unix.POLLOUT
	} else if !r.hold {
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
		out:   fds[3].Revents != 0,
	}
}

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

// readKeys takes up what the user has typed.
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

// readShell passes on what the shell has printed, each read at once: while this piece is
// printed the kernel fills the next one in, so that gathering several would only have both
// sides wait for each other. It says whether there may be more.
func (r *Relay) readShell() (more bool) {
	for range pieces {
		n, err := read(r.pty, r.buf)
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
		if r.hold || r.ended || r.out.full() {
			return false
		}
		if r.out.waited { // Ctrl-C may have come meanwhile
			break
		}
	}
	return true
}

// Drain passes on what the shell has left in the PTY at its end. It gives what
// is on its way in the kernel a moment, and what goes on printing no more.
func (r *Relay) Drain() {
	r.hold = false
	for range 256 {
		r.Settle()
		if r.pty < 0 || r.out.full() {
			return
		}
		fds := []unix.PollFd{{Fd: int32(r.pty), Events: unix.POLLIN}}
		if n, err := unix.Poll(fds, 50); n == 0 && err == nil {
			return
		}
		r.readShell()
	}
}

// Type gives the shell input, which waits if the PTY has no room.
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

// Print writes to the terminal. When that takes nothing the rest waits, and so does
// the shell; keys and signals go on.
func (r *Relay) Print(p []byte) { r.printed(r.out.print(p)) }

// printed ends what a write began.
func (r *Relay) printed(err error) {
	if err != nil {
		r.Hangup()
	}
}

// Settle waits until the terminal has taken what waits for it, or until End is
// called.
func (r *Relay) Settle() {
	for r.ended = false; r.out.full() && !r.ended; {
		fds := []unix.PollFd{{Fd: int32(r.wakeR), Events: unix.POLLIN},
			{Fd: int32(r.out.now), Events: unix.POLLOUT}}
		unix.Poll(fds, -1)
		if fds[0].Revents != 0 {
			r.runPosted()
		}
		if fds[1].Revents != 0 {
			r.printed(r.out.flush())
		}
	}
}

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
