// Package pipe makes pipes for started programs.
package pipe

import (
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Files are the descriptors of a program from 0 up. The value ^0 stands for a descriptor
// that is closed.
type Files []uintptr

// Put returns f with the file as descriptor fd. Descriptors below it that are not set
// stay closed.
func (f Files) Put(fd int, file uintptr) Files {
	for len(f) <= fd {
		f = append(f, ^uintptr(0))
	}
	f[fd] = file
	return f
}

// Ends are files that the command has open, and that are closed here once it runs.
type Ends []io.Closer

// Add adds one more.
func (e *Ends) Add(c io.Closer) { *e = append(*e, c) }

// Close closes them.
func (e Ends) Close() {
	for _, c := range e {
		c.Close()
	}
}

// A Descriptor is an open file that is known only by its number.
type Descriptor int

// Close closes it.
func (d Descriptor) Close() error { return syscall.Close(int(d)) }

// New makes a pipe. The read end is non-blocking and used with the runtime's poller; the
// write end blocks, as programs expect of their stdout.
func New() (r *os.File, w int, err error) {
	read, w, err := Raw()
	if err != nil {
		return nil, 0, err
	}
	return os.NewFile(uintptr(read), "pipe"), w, nil
}

// Raw makes a pipe whose read end is non-blocking. Both ends are closed on exec. ForkLock
// keeps a program that starts meanwhile from inheriting them (package syscall).
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

// Size is how much a pipe holds that is widened: the most for an ordinary user (pipe(7),
// /proc/sys/fs/pipe-max-size).
const Size = 1 << 20

// Widen lets the pipe hold Size bytes, where the kernel has such a request (Linux's
// F_SETPIPE_SZ).
func Widen(fd int) { _, _ = unix.FcntlInt(uintptr(fd), 1031, Size) }
