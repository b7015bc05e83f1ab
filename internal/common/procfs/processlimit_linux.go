package procfs

import (
	"bytes"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ua/internal/common/chain"
)

// Room reports whether this user may start need more processes and threads, and how
// many there may be (RLIMIT_NPROC, getrlimit(2)). What runs in other process
// namespaces is not seen, a user namespace counts its own, and root has no such limit.
func Room(need int) (most int, ok bool) {
	var own unix.Rlimit
	if os.Geteuid() == 0 || unix.Getrlimit(unix.RLIMIT_NPROC, &own) != nil || own.Cur > few {
		return 0, true
	}
	most = int(own.Cur)
	return most, most >= need && (!chain.TrueRoot() || most-threadsOf(os.Getuid()) >= need)
}

// threadsOf counts the threads of a user's processes (proc_pid_status(5)): the owner of a
// file in /proc is another one where the process may not be traced.
func threadsOf(uid int) (n int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		if value(text, "Uid:") == uid {
			n += value(text, "Threads:")
		}
	}
	return n
}

// value returns the first number of a line of a status file, -1 where there is none.
func value(text []byte, name string) int {
	_, rest, ok := bytes.Cut(text, []byte("\n"+name))
	if fields := bytes.Fields(rest); ok && len(fields) > 0 {
		return number(fields[0])
	}
	return -1
}
