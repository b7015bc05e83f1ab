package runprocesses

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"ua/internal/common/procfs"
)

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 3000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: not within half a minute", what)
}

// shell starts a shell line in a process group of its own.
func shell(t *testing.T, line string) (c *exec.Cmd, out io.Reader) {
	t.Helper()
	c = exec.Command("/bin/sh", "-c", line)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	return c, out
}

// A family is killed with what it has started, and not who has its number by now.
func TestFamily(t *testing.T) {
	s, out := shell(t, "sh -c 'sleep 300 & echo $!; wait' & wait")
	var deep int
	if _, err := fmt.Fscan(out, &deep); err != nil {
		t.Fatal(err)
	}
	f := Of(s.Process.Pid)
	if len(f) != 3 || f[2].pid != deep {
		t.Fatalf("%+v, want %d", f, deep)
	}
	other := Members{{f[2].pid, f[2].start + 1}, {f[2].pid, 0}}
	other.Kill()
	if p, _ := procfs.Read(deep); p.Ended() || p.Name == "" {
		t.Error("another process was killed")
	}
	f.Kill()
	until(t, "the end", func() bool { p, ok := procfs.Read(deep); return !ok || p.Ended() })
	if Of(0) != nil {
		t.Error("the family of no process")
	}
}

// What a stage left behind is ended, but for what stays.
func TestEndOrphans(t *testing.T) {
	Adopt()
	s, out := shell(t, "setsid sleep 300 & echo $!; sleep 300 & echo $!")
	var gone, stays int
	if _, err := fmt.Fscan(out, &gone, &stays); err != nil {
		t.Fatal(err)
	}
	s.Process.Wait()
	isOurs := func(pid int) bool { p, _ := procfs.Read(pid); return p.Parent == os.Getpid() }
	until(t, "the orphans", func() bool { return isOurs(gone) && isOurs(stays) })
	EndOrphans([]int{stays})
	if isOurs(gone) || !isOurs(stays) {
		t.Error("not what was asked for")
	}
	KillChildren(stays, nil)
	if p, _ := procfs.Read(stays); p.Ended() {
		t.Error("the one that was to live was killed")
	}
	KillChildren(0, []int{stays})
	EndOrphans(nil)
	if isOurs(stays) {
		t.Error("it has not ended")
	}
}
