package prog

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// leastFree is how many descriptors a program needs when it begins: two for the poller of
// Go's runtime, which ends the program with a stack trace if it gets none, and some for
// the first files.
const leastFree = 6

// descriptorsLeft returns an error with the status TryLater if too few descriptors are
// left. One file tells whether the system has room for more, and its copies cost less.
func descriptorsLeft() error {
	var taken [leastFree]int
	n := 0
	defer func() {
		for _, fd := range taken[:n] {
			_ = syscall.Close(fd)
		}
	}()
	for ; n < leastFree; n++ {
		var fd int
		var err error
		if n == 0 {
			fd, err = syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		} else {
			fd, err = unix.FcntlInt(uintptr(taken[0]), unix.F_DUPFD_CLOEXEC, 0)
		}
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			return Errorf(TryLater, "%w", err).Hintf("%d more are needed: see ulimit -n", leastFree)
		} else if err != nil {
			return nil
		}
		taken[n] = fd
	}
	return nil
}
