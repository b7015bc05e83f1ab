package relay

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// read reads from a descriptor that never waits. The scheduler of Go need not know:
// telling it costs a sixth of the throughput of a terminal.
func read(fd int, p []byte) (int, error) { return raw(unix.SYS_READ, fd, p) }

// writeNow writes to a descriptor that never waits, as read reads.
func writeNow(fd int, p []byte) (int, error) { return raw(unix.SYS_WRITE, fd, p) }

func raw(call uintptr, fd int, p []byte) (int, error) {
	n, _, e := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&p[0])),
		uintptr(len(p)))
	if e != 0 {
		return -1, e
	}
	return int(n), nil
}

// again opens the file behind a descriptor anew, with flags of its own, or returns -1.
func again(fd, flags int) int {
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd),
		unix.O_WRONLY|unix.O_NOCTTY|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return -1
	}
	return fd
}

func threadID() int { return unix.Gettid() }

// interrupt has a system call of the thread return. The signal is the one that Go's
// scheduler uses for this and nobody listens to.
func interrupt(thread int) { unix.Tgkill(os.Getpid(), thread, syscall.SIGURG) }
