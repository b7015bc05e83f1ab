//go:build amd64 || arm64 || riscv64

package prog

import (
	"os"

	"golang.org/x/sys/unix"
)

// stdoutAtEntry is the result of fcntl(1, F_GETFD) before Go's runtime began: -EBADF if
// the caller had closed standard output. The runtime then opens /dev/null there, for
// reading and writing. After that nothing tells it from a /dev/null that a caller has
// given in the same way, as Python's subprocess.DEVNULL and Node's "ignore" do.
var stdoutAtEntry = notAsked

// notAsked is the value of stdoutAtEntry in a program that did not begin with entryPoint.
const notAsked = 1

// entryPoint sets stdoutAtEntry. The linker makes it the program's entry point (-E, in
// scripts/ldflags); a program linked without that, as by a plain go build, can only say
// that its output may be lost.
//
//lint:ignore U1000 only the linker names it
func entryPoint()

// StdoutClosed reports whether the caller has closed standard output.
func StdoutClosed() bool { return stdoutAtEntry == -int(unix.EBADF) }

// closeStdout makes writes fail to a standard output that the caller has closed, as they
// do in C, since output that is lost is an error. The descriptor stays taken, so that no
// file that is opened later becomes the output.
func closeStdout() {
	if !StdoutClosed() {
		return
	}
	null, err := unix.Open(os.DevNull, unix.O_RDONLY, 0)
	if err != nil {
		return
	}
	unix.Dup3(null, 1, 0)
	unix.Close(null)
}

// doubtful reports whether the caller may have closed standard output, in a program that
// cannot tell.
func doubtful() bool {
	if stdoutAtEntry != notAsked {
		return false
	}
	flags, err := unix.FcntlInt(1, unix.F_GETFL, 0)
	var at unix.Stat_t
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR && unix.Fstat(1, &at) == nil &&
		at.Mode&unix.S_IFMT == unix.S_IFCHR && at.Rdev == unix.Mkdev(1, 3)
}
