package descriptor

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The system calls of now.
const readNow, writeNow = unix.SYS_PREADV2, unix.SYS_PWRITEV2

// now reads or writes once what is ready, and returns how many bytes: 0 if the file can only be
// waited for outside of Go's network poller, is at its end or has an error, all of which are
// left to package os. The kernel does not wait, whatever others make of the file meanwhile
// (RWF_NOWAIT, preadv2(2)), so that Go's scheduler need not be told of the call: each time it
// would wake a thread (sysmon) that looks after those that wait, which took a third of all
// changes between threads in a run.
func now(ready func(func(uintptr) bool) error, call uintptr, p []byte) (n int) {
	part := unix.Iovec{Base: &p[0]}
	part.SetLen(len(p))
	const here = ^uintptr(0) // the file's own offset
	_ = ready(func(fd uintptr) bool {
		done, _, errno := syscall.RawSyscall6(call, fd, uintptr(unsafe.Pointer(&part)), 1,
			here, here, unix.RWF_NOWAIT)
		if errno == 0 {
			n = int(done)
		}
		return errno != syscall.EAGAIN
	})
	return n
}
