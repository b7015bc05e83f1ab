package ingest

import (
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
	stop *os.File // becomes readable when the wait is over
	left int      // bytes that are taken even then: what a full pipe holds
}

// lastWords is how long input is still read after SIGTERM. Whoever writes it may have got
// the signal too, and may be about to say how the run ended. A second SIGTERM ends the
// wait.
const lastWords = 10 * time.Second

// NewInput returns the reader of in. A second signal ends the wait at once.
func NewInput(in *os.File) (io.Reader, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	term := make(chan os.Signal, 2)
	prog.Notify(term, syscall.SIGTERM, syscall.SIGQUIT)
	go func() {
		<-term
		select {
		case <-term:
		case <-time.After(lastWords):
		}
		w.Close()
	}()
	return &input{in: in, stop: r, left: 1 << 20}, nil
}

// Read reads from stdin, or returns io.EOF once the wait is over and nothing is left.
func (i *input) Read(p []byte) (int, error) {
	fds := []unix.PollFd{{Fd: int32(i.in.Fd()), Events: unix.POLLIN},
		{Fd: int32(i.stop.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 0, err
		// The usual case: no SIGTERM has come.
		case fds[1].Revents == 0:
			return descriptor.Reader(i.in).Read(p)
		// The wait is over, and the pipe is empty or refilled without end.
		case fds[0].Revents == 0 || i.left <= 0:
			return 0, io.EOF
		}
		n, err := i.in.Read(p)
		i.left -= n
		return n, err
	}
}
