package layer

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/policy"
)

// NoCrashHandler keeps the crash handler away. A handler that the kernel starts, or asks,
// outside would read as root the memory of a command's process, and whatever the command
// has put there. The limit 1 tells the kernel not to call it (core(5), fs/coredump.c).
// Files with core dumps are not affected.
func NoCrashHandler() {
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	if err == nil && len(pattern) > 0 && (pattern[0] == '|' || pattern[0] == '@') {
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1})
	}
}

// SetLimits limits the calling process and what it starts (setrlimit(2)). A limit that is
// lower already stays.
func SetLimits(l policy.Limits) error {
	for _, limit := range []struct {
		resource int
		value    uint64
		name     string
	}{
		{unix.RLIMIT_DATA, uint64(l.Mem), "mem"}, {unix.RLIMIT_CPU, uint64(l.CPU), "cpu"},
		{unix.RLIMIT_FSIZE, uint64(l.Fsize), "fsize"}, {unix.RLIMIT_NPROC, l.Pids, "pids"},
	} {
		if limit.value == 0 {
			continue
		}
		var now unix.Rlimit
		if err := unix.Getrlimit(limit.resource, &now); err != nil {
			return fmt.Errorf("limit %s: %w", limit.name, err)
		}
		// Never above the hard limit, which only root could raise.
		to := min(limit.value, now.Max)
		if err := unix.Setrlimit(limit.resource, &unix.Rlimit{Cur: to, Max: to}); err != nil {
			return fmt.Errorf("limit %s: %w", limit.name, err)
		}
	}
	return nil
}
