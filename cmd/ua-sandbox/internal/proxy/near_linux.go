package proxy

import "golang.org/x/sys/unix"

// unpaced gives a socket the congestion control that sends as soon as it may
// (tcp(7), TCP_CONGESTION). Nothing is congested on a loopback, and BBR, which
// some machines have by default, sends by a timer there and takes a fifth more
// of the processor. Reno is in every kernel and allowed to everyone.
func unpaced(fd int) { unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno") }
