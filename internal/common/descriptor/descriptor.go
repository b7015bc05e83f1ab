// Package descriptor reads and writes files that other programs hold open too. One of them,
// such as ssh or node, may make such a file non-blocking at any time (fcntl(2), O_NONBLOCK):
// the flag belongs to the open file and not to the program. A pipe that is full is then an
// error, and a line is cut in the middle of it.
package descriptor

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Reader returns a reader of r that waits, if r is a file, until that can be read.
func Reader(r io.Reader) io.Reader {
	if f, ok := r.(*os.File); ok {
		return newFile(f)
	}
	return r
}

// Writer returns a writer to w that waits, if w is a file, until that can be written.
func Writer(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok {
		return newFile(f)
	}
	return w
}

// A file is not embedded: os.File copies from file to file by ways of its own.
type file struct {
	f    *os.File
	conn syscall.RawConn // nil once it is closed
}

func newFile(f *os.File) file {
	conn, _ := f.SyscallConn()
	return file{f, conn}
}

// Read reads once, as soon as there is something.
func (f file) Read(p []byte) (int, error) {
	if f.conn != nil && len(p) > 0 {
		if n := now(f.conn.Read, readNow, p); n > 0 {
			return n, nil
		}
	}
	for {
		n, err := f.f.Read(p)
		if n > 0 || !f.waited(err, unix.POLLIN) {
			return n, err
		}
	}
}

// Write writes all of p.
func (f file) Write(p []byte) (done int, err error) {
	for n := 1; f.conn != nil && n > 0 && done < len(p); done += n {
		n = now(f.conn.Write, writeNow, p[done:])
	}
	if done > 0 && done == len(p) {
		return done, nil
	}
	for {
		n, err := f.f.Write(p[done:])
		if done += n; !f.waited(err, unix.POLLOUT) {
			return done, err
		}
	}
}

// waited reports whether the error was that the file is not ready, and it is by now, or
// has another error.
func (f file) waited(err error, events int16) bool {
	if !errors.Is(err, syscall.EAGAIN) {
		return false
	}
	conn, err := f.f.SyscallConn()
	if err != nil {
		return false
	}
	failed := conn.Control(func(fd uintptr) {
		for {
			_, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: events}}, -1)
			if err != unix.EINTR {
				return
			}
		}
	})
	return failed == nil && err == nil
}

// HungUp waits until the last reader of f, the write end of a pipe, is gone. poll(2)
// reports that without any event being asked for. Where f is non-blocking, Go's network
// poller waits, which leaves the processor to other goroutines.
func HungUp(f *os.File) {
	conn, err := f.SyscallConn()
	if err == nil && conn.Read(func(fd uintptr) bool { return hungUp(int(fd), 0) }) == nil {
		return
	}
	for !hungUp(int(f.Fd()), -1) {
	}
}

// hungUp reports whether the other end of fd is closed, or will be within so many
// milliseconds; -1 is for ever.
func hungUp(fd, wait int) bool {
	fds := []unix.PollFd{{Fd: int32(fd)}}
	_, err := unix.Poll(fds, wait)
	return err != unix.EINTR && (err != nil || fds[0].Revents != 0)
}

// HungUpNow reports whether the program at the other end of a connection has closed it, and
// not only for writing.
func HungUpNow(conn syscall.Conn) (closed bool) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return true
	}
	err = raw.Control(func(fd uintptr) { closed = hungUp(int(fd), 0) })
	return closed || err != nil
}
