package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/test/scripttest"
)

// TestPruneHolds: while a run is removed, it and its subagents' can't be resumed, and one
// that is written by then is not removed.
func TestPruneHolds(t *testing.T) {
	bin := filepath.Join(scripttest.Bin(t), "ua-journal")
	top := run.Run{ID: "r", Dir: filepath.Join(t.TempDir(), "r")}
	child := run.Run{ID: "c", Dir: filepath.Join(top.Dir, run.SubFolder, "c")}
	write := func(r run.Run) (status int) {
		cmd := exec.Command(bin, "append", r.Journal())
		cmd.Stdin = strings.NewReader(`{"type":"x"}` + "\n")
		var failed *exec.ExitError
		if err := cmd.Run(); errors.As(err, &failed) {
			return failed.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		return 0
	}
	for _, r := range []run.Run{top, child} {
		if err := os.MkdirAll(r.Dir, 0o700); err != nil || write(r) != 0 {
			t.Fatal(err, "the run is not made")
		}
	}
	p := pruner{before: time.Now().Add(time.Minute)}
	release, busy, err := p.claim(top)
	if err != nil || busy {
		t.Fatal(err, busy)
	}
	for _, r := range []run.Run{top, child} {
		if got := write(r); got != prog.TryLater {
			t.Errorf("%s is written while it is removed: status %d", r.ID, got)
		}
	}
	release()
	cmd := exec.Command(bin, "append", "--wait", child.Journal())
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		if release, busy, err = p.claim(top); busy || err != nil {
			break
		}
		release()
		time.Sleep(5 * time.Millisecond)
	}
	if !busy || err != nil {
		t.Errorf("a subagent is written: busy %v, %v", busy, err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if write(top) != 0 {
		t.Error("the run is still locked")
	}
	p.before = time.Now().Add(-time.Minute)
	if _, busy, err = p.claim(top); err != nil || !busy {
		t.Errorf("one that was written since: busy %v, %v", busy, err)
	}
}

// TestPrunePlanted: what a command leaves in the place of a subagent's journal keeps no run
// from being removed, and is not followed.
func TestPrunePlanted(t *testing.T) {
	bin := filepath.Join(scripttest.Bin(t), "ua-journal")
	for what, plant := range map[string]func(path string) error{
		"fifo":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"link":   func(path string) error { return os.Symlink("/etc/passwd", path) },
		"loop":   func(path string) error { return os.Symlink(path, path) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		state := t.TempDir()
		const id = "20260101-000000-abcd"
		r := run.Run{ID: id, Dir: filepath.Join(state, "ua/runs", id)}
		child := run.Run{ID: "c", Dir: filepath.Join(r.Dir, run.SubFolder, "c")}
		if err := os.MkdirAll(child.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.Journal(), []byte(`{"type":"run"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := plant(child.Journal()); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(bin, "prune", "--older", "0s")
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
		out, err := cmd.CombinedOutput()
		if _, left := os.Lstat(r.Dir); err != nil || left == nil {
			t.Errorf("%s: %v: %s", what, err, out)
		}
	}
}
