package layer

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// LoopbackUp activates the loopback in this process's own network namespace
// (netdevice(7)).
func LoopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return step("lo", err)
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return step("lo", err)
	}
	request.SetUint16(unix.IFF_UP)
	return step("lo", unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request))
}

// Listen makes a listening TCP socket, or a bound UDP socket, on an IPv4 address of the
// loopback, and returns its port. The socket is sent to another process as it is, so Go's
// poller is not used.
func Listen(kind int, addr [4]byte, port int) (fd, at int, err error) {
	if fd, err = unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0); err != nil {
		return -1, 0, step("listener", err)
	}
	err = unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: addr})
	if err == nil && kind == unix.SOCK_STREAM {
		err = unix.Listen(fd, 1024)
	}
	if err != nil {
		unix.Close(fd)
		return -1, 0, step("listener", fmt.Errorf("port %d: %w", port, err))
	}
	name, err := unix.Getsockname(fd)
	if in, ok := name.(*unix.SockaddrInet4); ok && err == nil {
		return fd, in.Port, nil
	}
	unix.Close(fd)
	return -1, 0, step("listener", err)
}
