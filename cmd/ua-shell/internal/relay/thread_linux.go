package relay

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// read reads from a descriptor that never waits. It bypasses Go's scheduler, which costs
// a sixth of a terminal's throughput.
func read(fd int, p []byte) (int, error) { return raw(unix.SYS_READ, fd, p) }

// writeNow writes to a descriptor that never waits, in the same way as read.
func writeNow(fd int, p []byte) (int, error) { return raw(unix.SYS_WRITE, fd, p) }

// raw makes the system call, with p as the buffer, and returns the count or the errno.
func raw(call uintptr, fd int, p []byte) (int, error) {
	n, _, e := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&p[0])),
		uintptr(len(p)))
	if e != 0 {
		return -1, e
	}
	return int(n), nil
}

// again opens the file of a descriptor anew, with its own flags. It returns -1 where that
// fails.
func again(fd, flags int) int {
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd),
		unix.O_WRONLY|unix.O_NOCTTY|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return -1
	}
	return fd
}

// threadID returns the thread's number (gettid(2)).
func threadID() int { return unix.Gettid() }

// interrupt makes a system call of the thread return with EINTR. SIGURG is the signal
// that Go's scheduler uses for its own interruptions, and no one else listens to it.
func interrupt(thread int) { unix.Tgkill(os.Getpid(), thread, syscall.SIGURG) }
