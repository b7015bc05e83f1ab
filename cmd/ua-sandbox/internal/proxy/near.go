package proxy

import "syscall"

// nearBuffer is what the buffers of a socket whose other end is on this machine
// are bounded to. There the kernel's own bounds of several MiB help no
// throughput: they let the sender run so far ahead that what it wrote has left
// the processor's caches when it is read, and a hundred downloads take a hundred
// times that.
const nearBuffer = 512 << 10

// near sets up a socket whose other end is on this machine; what a listener
// accepts inherits it. It fits net.Dialer.Control. What the system refuses of it
// costs speed only.
func near(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, nearBuffer)
		syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, nearBuffer)
		unpaced(int(fd))
	})
}
