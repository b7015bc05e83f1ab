package threads

import (
	"os"
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
	text, _ := os.ReadFile("/proc/sys/kernel/pid_max")
	most, err := strconv.Atoi(strings.TrimSpace(string(text)))
	return err == nil && most < manyPids
}
