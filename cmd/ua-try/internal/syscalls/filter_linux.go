package syscalls

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
)

// Install puts the filter on the calling thread, and so on what it starts, and returns
// the listener. The thread needs CAP_SYS_ADMIN in its user namespace.
func Install() (int, error) {
	code, err := filter()
	if err != nil {
		return -1, err
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	const listener = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	// With WAIT_KILLABLE_RECV only a kill interrupts a call that is being answered; older
	// kernels do not know it.
	for _, flags := range []uintptr{listener | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		listener} {
		fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
			uintptr(unsafe.Pointer(&prog)))
		runtime.KeepAlive(code)
		if errno == 0 {
			unix.CloseOnExec(int(fd))
			_, _, _ = unix.Syscall(unix.SYS_IOCTL, fd, notifSetFlags, syncWakeUp)
			return int(fd), nil
		}
		if errno != unix.EINVAL {
			return -1, errno
		}
	}
	return -1, unix.EINVAL
}

// filter builds the filter. It tells of calls that rename, make or remove, of those that
// open for writing, and of those that name an address: connect(2), and sendto(2) with
// one. All other calls pass, which the kernel remembers for each number.
func filter() ([]unix.SockFilter, error) {
	p := confine.NewAssembly()
	p.Load(confine.CallArch)
	p.NotEqual(auditArch, "allow")
	p.Load(confine.CallNumber)
	for _, nr := range slices.Sorted(maps.Keys(opens)) {
		other := fmt.Sprint("not ", nr)
		p.NotEqual(nr, other)
		p.Load(confine.CallArg(opens[nr]))
		p.AnySet(writing, "tell")
		p.Jump("allow")
		p.Label(other)
	}
	for _, nr := range append(slices.Sorted(maps.Keys(writes)), unix.SYS_CONNECT) {
		if _, open := opens[nr]; !open {
			p.Equal(nr, "tell")
		}
	}
	p.NotEqual(unix.SYS_SENDTO, "allow")
	p.Load(confine.CallArg(4))
	p.NotEqual(0, "tell")
	p.Load(confine.CallArg(4) + 4)
	p.NotEqual(0, "tell")
	p.Label("allow")
	p.Return(unix.SECCOMP_RET_ALLOW)
	p.Label("tell")
	p.Return(unix.SECCOMP_RET_USER_NOTIF)
	return p.Assemble()
}
