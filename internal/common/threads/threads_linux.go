package threads

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

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
