package procfs

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/execwrap"
)

// MayStart reports whether this user may start need more processes and threads, and how
// many there may be at most (RLIMIT_NPROC, getrlimit(2)). Processes in other namespaces
// are not seen. A user namespace counts its own, and root has no such limit.
func MayStart(need int) (most int, ok bool) { return MayStartOf(math.MaxUint64, need) }

// MayStartOf is MayStart for a limit that will be lowered to bound. Go's runtime may need a
// thread for any system call and ends a program that gets none, so a program that lowers
// its own limit asks before, while there is room for the asking.
func MayStartOf(bound uint64, need int) (most int, ok bool) {
	var own unix.Rlimit
	if os.Geteuid() == 0 || unix.Getrlimit(unix.RLIMIT_NPROC, &own) != nil ||
		min(own.Cur, bound) > math.MaxInt32 {
		return 0, true
	}
	most = int(min(own.Cur, bound))
	return most, most >= need && (!execwrap.TrueRoot() || most-Running(most-need) >= need)
}

// Running counts the threads of this user's processes, as RLIMIT_NPROC does. If all
// threads of the machine are no more than few, it returns their number instead, which
// costs reading one file rather than one for each process.
func Running(few int) int {
	text, _ := os.ReadFile("/proc/loadavg") // its fourth field (proc_loadavg(5))
	var load [3]float64
	var awake, all int
	n, _ := fmt.Sscanf(string(text), "%g %g %g %d/%d", &load[0], &load[1], &load[2], &awake, &all)
	if n == 5 && all <= few {
		return all
	}
	return threadsOf(os.Getuid())
}

// threadsOf counts the threads of a user's processes (proc_pid_status(5)). It cannot go
// by the owner of the files in /proc, who is another one if the process may not be
// traced.
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

// value returns the first number in a line of a status file, -1 if there is none.
func value(text []byte, name string) int {
	_, rest, ok := bytes.Cut(text, []byte("\n"+name))
	if fields := bytes.Fields(rest); ok && len(fields) > 0 {
		return number(fields[0])
	}
	return -1
}

// FewPids reports whether commands may have so few processes that they can use them up
// within a moment: by RLIMIT_NPROC, or for root by pid_max (proc_sys_kernel(5)).
func FewPids() bool {
	var own unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NPROC, &own) == nil && own.Cur < manyPids {
		return true
	}
	var text [24]byte
	fd, err := unix.Open("/proc/sys/kernel/pid_max", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	n, _ := unix.Read(fd, text[:]) // without the poller, which a program may not need yet
	most, err := strconv.Atoi(strings.TrimSpace(string(text[:max(n, 0)])))
	return err == nil && most < manyPids
}
