package eventgateway

import (
	"net"
	"os"

	"golang.org/x/sys/unix"

	"ua/internal/common/procfs"
)

// A Peer is the process at the other end of a connection.
type Peer struct {
	Own bool // of the same user
	PID int  // 0 where it can't be told
}

// PeerOf returns the process that made a connection to a Unix socket (unix(7),
// SO_PEERCRED). It is empty for any other connection.
func PeerOf(c net.Conn) Peer {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return Peer{}
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return Peer{}
	}
	var cred *unix.Ucred
	raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err != nil || cred == nil {
		return Peer{}
	}
	own := int(cred.Uid) == os.Geteuid() || cred.Uid == 0
	return Peer{Own: own, PID: int(cred.Pid)}
}

// Depth returns the number of agents above a process, by the process tree and not by what
// the process says of itself. Each agent runs its commands in ua-exec inside ua-sandbox,
// and no command can change which processes are above it.
func (p Peer) Depth() (depth int) {
	inside := false
	for _, p := range procfs.Ancestors(p.PID) {
		holds := p.Name == "ua-exec" || p.Name == "ua-sandbox"
		if holds && !inside {
			depth++
		}
		inside = holds
	}
	return depth
}
