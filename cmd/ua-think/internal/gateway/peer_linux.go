package gateway

import (
	"net"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// PeerOf finds the process that made a connection by a Unix socket (unix(7),
// SO_PEERCRED).
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

// maxAncestors ends a walk up a process tree that changes meanwhile.
const maxAncestors = 1000

// Depth counts the agents above a process, by the process tree: what the process
// says of itself does not count. Each holds the commands that it
// runs in ua-exec, inside ua-sandbox; a command can't change what is above it.
func (p Peer) Depth() (depth int) {
	inside, pid := false, p.PID
	for range maxAncestors {
		name, parent := process(pid)
		if parent == 0 {
			return depth
		}
		holds := name == "ua-exec" || name == "ua-sandbox"
		if holds && !inside {
			depth++
		}
		inside, pid = holds, parent
	}
	return depth
}

// process returns a process's name and its parent (proc_pid_stat(5)); a parent of 0
// is none.
func process(pid int) (name string, parent int) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	from, to := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
	if err != nil || from < 0 || to < from {
		return "", 0
	}
	if fields := strings.Fields(string(text[to+1:])); len(fields) > 1 {
		parent, _ = strconv.Atoi(fields[1])
	}
	return string(text[from+1 : to]), parent
}
