package appender

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/descriptor"
	"ua/internal/common/prog"
)

// An input reads stdin to its end. After SIGTERM or SIGQUIT it reads only what is there, a little
// later: the writer of a journal has to outlive its run, but not to stay.
type input struct {
	in   *os.File
	r    io.Reader // of it
	stop *os.File  // becomes readable when the wait is over; nil if a deadline tells that
	over bool      // the wait for more
	left int       // bytes that are taken even then: what a full pipe holds
}

// lastWords is how long input is still read after SIGTERM. Whoever writes it may have got
// the signal too, and may be about to say how the run ended. A second SIGTERM ends the
// wait.
const lastWords = 10 * time.Second

// NewInput returns the reader of in. A second signal ends the wait at once.
func NewInput(in *os.File) (io.Reader, error) {
	i := &input{in: in, r: descriptor.Reader(in), left: 1 << 20}
	end := func() { _ = in.SetReadDeadline(time.Now()) }
	if in.SetReadDeadline(time.Time{}) != nil { // what blocks has none
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		i.stop, end = r, func() { w.Close() }
	}
	term := make(chan os.Signal, 2)
	prog.Notify(term, syscall.SIGTERM, syscall.SIGQUIT)
	go func() {
		<-term
		select {
		case <-term:
		case <-time.After(lastWords):
		}
		end()
	}()
	return i, nil
}

// Read reads from stdin, or returns io.EOF once the wait is over and nothing is left.
func (i *input) Read(p []byte) (int, error) {
	for !i.over && i.stop == nil {
		n, err := i.r.Read(p)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		i.over = true
		_ = i.in.SetReadDeadline(time.Time{})
	}
	fds := []unix.PollFd{{Fd: int32(i.in.Fd()), Events: unix.POLLIN}}
	for !i.over {
		both := append(fds, unix.PollFd{Fd: int32(i.stop.Fd()), Events: unix.POLLIN})
		if _, err := unix.Poll(both, -1); err == syscall.EINTR {
			continue
		} else if err != nil {
			return 0, err
		}
		if i.over = both[1].Revents != 0; !i.over {
			return i.r.Read(p)
		}
	}
	// The pipe is empty, or refilled without end.
	if n, err := unix.Poll(fds, 0); n == 0 || err != nil || i.left <= 0 {
		return 0, io.EOF
	}
	n, err := i.in.Read(p)
	i.left -= n
	return n, err
}
