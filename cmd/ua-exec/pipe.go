package main

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A files is the descriptors of a program from 0 up. The one that is none is ^0.
type files []uintptr

// put returns f with the file as descriptor fd.
func (f files) put(fd int, file uintptr) files {
	for len(f) <= fd {
		f = append(f, ^uintptr(0))
	}
	f[fd] = file
	return f
}

// ends are what a command has open and we have no use for once it runs.
type ends []io.Closer

func (e *ends) add(c io.Closer) { *e = append(*e, c) }

func (e ends) close() {
	for _, c := range e {
		c.Close()
	}
}

// A descriptor is an open file by its number alone.
type descriptor int

// Close closes it.
func (d descriptor) Close() error { return syscall.Close(int(d)) }

// pipe makes a pipe whose read end takes part in the runtime's polling and
// whose write end blocks, as programs expect of their stdout.
func pipe() (r *os.File, w int, err error) {
	read, w, err := rawPipe()
	if err != nil {
		return nil, 0, err
	}
	return os.NewFile(uintptr(read), "pipe"), w, nil
}

// rawPipe makes a pipe whose read end does not block.
func rawPipe() (r, w int, err error) {
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

// hungUp waits until nobody can read what is written to fd any more.
func hungUp(fd int) {
	for {
		p := []unix.PollFd{{Fd: int32(fd)}}
		if _, err := unix.Poll(p, -1); err != unix.EINTR {
			return
		}
	}
}

// readable reports whether fd can be read without a wait, or within d.
func readable(fd int, d time.Duration) bool {
	for end := time.Now().Add(d); ; d = time.Until(end) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(max(0, d).Milliseconds()))
		if err != unix.EINTR {
			return err == nil && n > 0
		}
	}
}

// hungUpNow reports whether the program at the other end of the connection has closed it.
func hungUpNow(conn *net.UnixConn) (closed bool) {
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
