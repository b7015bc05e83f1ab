package syscalls

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"ua/internal/common/bpf"
)

// Install puts the filter on the calling thread, and so on what it starts, and
// returns the listener. The thread needs CAP_SYS_ADMIN.
func Install() (int, error) {
	code, err := filter()
	if err != nil {
		return -1, err
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	const listener = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
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

// filter tells of the calls that rename, make and remove, of those that open for
// writing, and of those that name an address of another socket: connect(2), and
// sendto(2) with one. The kernel remembers of all others that they pass.
func filter() ([]unix.SockFilter, error) {
	p := bpf.New()
	p.Load(bpf.Arch)
	p.NotEqual(auditArch, "allow")
	p.Load(bpf.Number)
	for _, nr := range slices.Sorted(maps.Keys(opens)) {
		other := fmt.Sprint("not ", nr)
		p.NotEqual(nr, other)
		p.Load(bpf.Arg(opens[nr]))
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
	p.Load(bpf.Arg(4))
	p.NotEqual(0, "tell")
	p.Load(bpf.Arg(4) + 4)
	p.NotEqual(0, "tell")
	p.Label("allow")
	p.Return(unix.SECCOMP_RET_ALLOW)
	p.Label("tell")
	p.Return(unix.SECCOMP_RET_USER_NOTIF)
	return p.Assemble()
}
