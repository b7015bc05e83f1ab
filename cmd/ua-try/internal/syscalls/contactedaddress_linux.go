package syscalls

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// address returns the address that a call speaks to. ok is false unless it is an Internet
// address and the caller is in this network namespace. From another one, such as a
// sandbox's, it reaches the outside only through a process that is in this one.
func (n *notif) address() (to netip.AddrPort, ok bool) {
	at, size := n.args[1], n.args[2]
	if n.nr == unix.SYS_SENDTO {
		at, size = n.args[4], n.args[5]
	}
	raw := make([]byte, min(size, unix.SizeofSockaddrInet6))
	if len(raw) == 0 || !sameNetwork(int(n.pid)) {
		return to, false
	}
	if read(int(n.pid), uintptr(at), raw) != len(raw) {
		return to, false
	}
	return decode(raw)
}

// decode reads a struct sockaddr_in or sockaddr_in6 (ip(7), ipv6(7)). Port 0 does not
// count: getaddrinfo(3) uses it to ask the kernel for a route.
func decode(raw []byte) (to netip.AddrPort, ok bool) {
	if len(raw) < unix.SizeofSockaddrInet4 {
		return to, false
	}
	port := binary.BigEndian.Uint16(raw[2:])
	switch family := binary.NativeEndian.Uint16(raw); {
	case family == unix.AF_INET:
		to = netip.AddrPortFrom(netip.AddrFrom4([4]byte(raw[4:8])), port)
	case family == unix.AF_INET6 && len(raw) >= 24:
		to = netip.AddrPortFrom(netip.AddrFrom16([16]byte(raw[8:24])).Unmap(), port)
	}
	return to, to.IsValid() && port != 0
}

// sameNetwork reports whether a process is in this process's network namespace.
func sameNetwork(pid int) bool {
	var own, its unix.Stat_t
	return unix.Stat("/proc/self/ns/net", &own) == nil &&
		unix.Stat(fmt.Sprintf("/proc/%d/ns/net", pid), &its) == nil && own.Ino == its.Ino
}
