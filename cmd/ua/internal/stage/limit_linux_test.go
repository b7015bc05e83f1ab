package stage

import (
	"bufio"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLimitLate bounds a process that has started others before its bounds came.
func TestLimitLate(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sh -c 'sleep 300 & echo $!; wait' & wait")
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	deep, _ := strconv.Atoi(strings.TrimSpace(line))
	limit(cmd.Process.Pid, []Bound{{unix.RLIMIT_FSIZE, 12345678}, {unix.RLIMIT_NOFILE, 1 << 40}})
	for _, pid := range []int{cmd.Process.Pid, deep} {
		var size, files, ours unix.Rlimit
		unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &size)
		unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &files)
		unix.Getrlimit(unix.RLIMIT_NOFILE, &ours)
		if size.Max != 12345678 || files.Max != ours.Max {
			t.Errorf("process %d of %d: %+v, %+v", pid, deep, size, files)
		}
	}
}
