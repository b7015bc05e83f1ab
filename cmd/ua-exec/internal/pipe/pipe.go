// Package pipe makes pipes for programs that are started, and says how they stand.
package pipe

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Files are the descriptors of a program from 0 up. The one that is none is ^0.
type Files []uintptr

// Put returns f with the file as descriptor fd.
func (f Files) Put(fd int, file uintptr) Files {
	for len(f) <= fd {
		f = append(f, ^uintptr(0))
	}
	f[fd] = file
	return f
}

// Ends are what a command has open and we have no use for once it runs.
type Ends []io.Closer

// Add adds one more.
func (e *Ends) Add(c io.Closer) { *e = append(*e, c) }

// Close closes them.
func (e Ends) Close() {
	for _, c := range e {
		c.Close()
	}
}

// A Descriptor is an open file by its number alone.
type Descriptor int

// Close closes it.
func (d Descriptor) Close() error { return syscall.Close(int(d)) }

// New makes a pipe whose read end takes part in the runtime's polling and
// whose write end blocks, as programs expect of their stdout.
func New() (r *os.File, w int, err error) {
	read, w, err := Raw()
	if err != nil {
		return nil, 0, err
	}
	return os.NewFile(uintptr(read), "pipe"), w, nil
}

// Raw makes a pipe whose read end does not block.
func Raw() (r, w int, err error) {
	var p [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := syscall.Pipe(p[:]); err != nil {
		return 0, 0, os.NewSyscallError("pipe", err)
	}
	syscall.CloseOnExec(p[0])
	syscall.CloseOnExec(p[1])
	if err := syscall.SetNonblock(p[0], true); err != nil {
		return 0, 0, os.NewSyscallError("fcntl", err)
	}
	return p[0], p[1], nil
}

// HungUp waits until nobody can read what is written to fd any more.
func HungUp(fd int) {
	for {
		p := []unix.PollFd{{Fd: int32(fd)}}
		if _, err := unix.Poll(p, -1); err != unix.EINTR {
			return
		}
	}
}

// Readable reports whether fd can be read without a wait, or within d.
func Readable(fd int, d time.Duration) bool {
	for end := time.Now().Add(d); ; d = time.Until(end) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(max(0, d).Milliseconds()))
		if err != unix.EINTR {
			return err == nil && n > 0
		}
	}
}

// HungUpNow reports whether the program at the other end of the connection has closed it.
func HungUpNow(conn *net.UnixConn) (closed bool) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return true
	}
	err = raw.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}}
		_, err := unix.Poll(fds, 0)
		closed = err != nil || fds[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0
	})
	return closed || err != nil
}
