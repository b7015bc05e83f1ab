//go:build amd64 || arm64 || riscv64

package prog

import (
	"os"

	"golang.org/x/sys/unix"
)

// stdoutAtEntry is what fcntl(1, F_GETFD) returned before Go's runtime began: -EBADF
// where the caller had closed standard output. The runtime then opens /dev/null there,
// for reading and writing, and after that nothing tells it from the /dev/null that
// a caller gave in the same way, as Python's subprocess.DEVNULL and Node's "ignore" do.
var stdoutAtEntry = notAsked

// notAsked is stdoutAtEntry in a program that did not begin with entry.
const notAsked = 1

// entry sets stdoutAtEntry. The linker makes it the program's entry point (-E, in
// scripts/ldflags); a program linked without that, as by a plain go build, can only say
// that its output may be lost.
//
//lint:ignore U1000 only the linker names it
func entry()

// StdoutClosed reports whether the caller closed standard output.
func StdoutClosed() bool { return stdoutAtEntry == -int(unix.EBADF) }

// closeStdout makes writes to a standard output that the caller closed fail, as they
// do in C: what is lost there is an error. The descriptor stays taken, so that no
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

// doubtful reports whether standard output may have been closed by the caller, in a program
// that can't tell.
func doubtful() bool {
	if stdoutAtEntry != notAsked {
		return false
	}
	flags, err := unix.FcntlInt(1, unix.F_GETFL, 0)
	var at unix.Stat_t
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR && unix.Fstat(1, &at) == nil &&
		at.Mode&unix.S_IFMT == unix.S_IFCHR && at.Rdev == unix.Mkdev(1, 3)
}
