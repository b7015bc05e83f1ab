package scripttest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// AwaitRead waits until a thread of one of the processes sleeps in read(2) of a descriptor
// (proc(5), /proc/PID/task/TID/syscall). The processes must be below this one.
func AwaitRead(t testing.TB, fd int, pids func() []int) {
	t.Helper()
	Await(t, fmt.Sprintf("a read of descriptor %d", fd), func() bool {
		for _, pid := range pids() {
			threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
			for _, path := range threads {
				text, _ := os.ReadFile(path)
				if strings.HasPrefix(string(text), fmt.Sprintf("%d %#x ", unix.SYS_READ, fd)) {
					return true
				}
			}
		}
		return false
	})
}
