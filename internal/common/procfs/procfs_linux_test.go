package procfs

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestRead reads of this process and of one whose name looks like a stat file's end.
func TestRead(t *testing.T) {
	own, ok := Read(os.Getpid())
	if !ok || own.Parent != os.Getppid() || own.Group != syscall.Getpgrp() || own.Ended() ||
		own.Stopped() || own.Start == 0 {
		t.Errorf("%+v %v", own, ok)
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), ") Z 1 (")
	if err := os.Symlink(sleep, path); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "60")
	cmd.Args[0] = "sleep"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if got, ok := Read(pid); !ok || got.Name != ") Z 1 (" || got.Parent != os.Getpid() ||
		got.Session != pid || got.Group != pid || got.Start < own.Start {
		t.Errorf("%+v %v", got, ok)
	}
	if all := All(); all[pid].Name != ") Z 1 (" || all[os.Getpid()] == (Stat{}) {
		t.Errorf("%d of them: %+v", len(all), all[pid])
	}
	syscall.Kill(pid, syscall.SIGSTOP)
	until(t, pid, Stat.Stopped)
	syscall.Kill(pid, syscall.SIGKILL)
	until(t, pid, Stat.Ended)
	cmd.Wait()
	if got, ok := Read(pid); ok {
		t.Errorf("after its end: %+v", got)
	}
}

// until waits for a state of the process.
func until(t *testing.T, pid int, state func(Stat) bool) {
	t.Helper()
	for range 1000 {
		if s, _ := Read(pid); state(s) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s, _ := Read(pid)
	t.Errorf("%+v", s)
}

// TestAncestors follows parents from this process upwards.
func TestAncestors(t *testing.T) {
	var pids []int
	for pid, p := range Ancestors(os.Getpid()) {
		if len(pids) == 1 && pid != os.Getppid() {
			t.Errorf("above %d is %d, want %d", pids[0], pid, os.Getppid())
		}
		if len(pids) > 1 && p.Name == "" {
			t.Errorf("%d has no name", pid)
		}
		pids = append(pids, pid)
	}
	if len(pids) < 2 || pids[0] != os.Getpid() {
		t.Errorf("%v", pids)
	}
	for range Ancestors(-1) {
		t.Error("a process -1")
	}
}
