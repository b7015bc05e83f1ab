package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/procfs"
	"ua/internal/test/scripttest"
)

// TestLastLook kills a sandbox, both its stages at once, after its command has planted
// what git would run: the next sandbox, or --last-look, finds it. What was there before
// and what the user's repositories hold stays.
func TestLastLook(t *testing.T) {
	scripttest.Need(t, "git", "python3")
	for i, tier := range tiers(t) {
		for n, row := range rows(planting) {
			if n%4 != i { // what is found does not depend on the tier, nor much on the way
				continue
			}
			t.Run(tier+"/"+row, func(t *testing.T) { plantAndDie(t, tier, row, n%8 < 4) })
		}
	}
}

func plantAndDie(t *testing.T, tier, row string, option bool) {
	t.Parallel()
	dir := t.TempDir()
	shell(t, dir, gitIdentity+planted)
	t.Cleanup(func() { shell(t, dir, "chmod -R u+rwX .") })
	work := filepath.Join(dir, "repo")
	shell(t, work, gitIdentity+"git config core.pager own; "+
		"git init -q deep/own; git -C deep/own config core.editor own")
	// What was changed in the same step of the file system's clock counts as changed since.
	for old, now := ctime(t, work+"/deep/own/.git/config"), int64(0); now < old+50e6; {
		shell(t, work, "touch f2")
		now = ctime(t, work+"/f2")
	}
	env := append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(dir, "state"))
	cmd := sandbox(t, "--tier", tier, "--quiet", "--", "sh", "-c",
		plantingIn(work)+row+"\necho ready; exec sleep 1000")
	cmd.Dir, cmd.Env, cmd.SysProcAttr = work, env, &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "ready"; {
		continue
	}
	notes := filepath.Join(dir, "state/ua/sandboxes/[^.]*")
	for left, _ := filepath.Glob(notes); len(left) == 0; left, _ = filepath.Glob(notes) {
		time.Sleep(10 * time.Millisecond)
	}
	for _, pid := range append(procfs.Below(cmd.Process.Pid), cmd.Process.Pid) {
		_ = unix.Kill(pid, unix.SIGSTOP)
	}
	for _, pid := range append(procfs.Below(cmd.Process.Pid), cmd.Process.Pid) {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	_ = cmd.Wait()
	args := []string{"--quiet", "--", "true"}
	if option {
		args = []string{"--last-look"}
	}
	next := sandbox(t, args...)
	next.Dir, next.Env = work, env
	said, err := next.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if left, _ := filepath.Glob(notes); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	output(t, work, "--tier", tier, "--write", ".git", "--quiet", "--",
		"sh", "-c", gitIdentity+visits)
	if _, err := os.Lstat(filepath.Join(work, "PWNED")); err == nil {
		t.Errorf("run: %s", said)
	}
	kept := shell(t, work, gitIdentity+"cat deep/own/.git/config; cat .git/config")
	if strings.Count(kept, "= own") != 2 && !strings.Contains(row, "rm -rf") {
		t.Errorf("%s: %s", said, kept)
	}
}

func ctime(t *testing.T, path string) int64 {
	var stat unix.Stat_t
	if err := unix.Lstat(path, &stat); err != nil {
		t.Fatal(err)
	}
	return stat.Ctim.Nano()
}
