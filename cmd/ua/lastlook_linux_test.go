package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ua/internal/common/procfs"
	"ua/internal/test/scripttest"
)

// TestLastLook has a command plant what git would run, and then ua's own sandbox killed
// from outside: ua looks by itself, and the journal has it.
func TestLastLook(t *testing.T) {
	scripttest.Need(t, "git")
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.recording("main.jsonl", "done", "git init -q new; git -C new config core.fsmonitor x; "+
			"echo $$; touch made; exec sleep 1000")
		cmd := p.command("ua", "task")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		scripttest.Await(t, "the command", func() bool {
			_, err := os.Stat(filepath.Join(p.cwd, "made"))
			return err == nil
		})
		// A sandbox that ends soon leaves none.
		scripttest.Await(t, "the sandbox's note", func() bool {
			notes, _ := filepath.Glob(filepath.Join(p.home, ".local/state/ua/sandboxes/[^.]*"))
			return len(notes) > 0
		})
		all := procfs.All()
		for pid, p := range all {
			if p.Name != "ua-sandbox" || all[p.Parent].Parent != os.Getpid() {
				continue
			}
			syscall.Kill(pid, syscall.SIGSTOP) // it does not see its init end
			for child, c := range procfs.All() {
				if c.Parent == pid {
					syscall.Kill(child, syscall.SIGKILL)
				}
			}
			syscall.Kill(pid, syscall.SIGKILL)
		}
		cmd.Wait()
		if _, err := os.Stat(filepath.Join(p.cwd, "new/.git/config.refused")); err != nil {
			t.Errorf("uid %d: %v", uid, err)
		}
		if text, _, _ := p.run("ua-journal", "cat", "last"); !strings.Contains(text,
			`"type":"guarded"`) || !strings.Contains(text, "core.fsmonitor") {
			t.Errorf("uid %d: %s", uid, text)
		}
	}
}

// TestFullDiskLastLook has a command fill the disk that the journal is on, which ends the
// run, after it has planted what git would run: it is found, and its TMPDIR removed.
func TestFullDiskLastLook(t *testing.T) {
	scripttest.Need(t, "git", "unshare")
	if out, err := exec.Command("unshare", "-rm", "true").CombinedOutput(); err != nil {
		scripttest.Skip(t, scripttest.Refused, "%v: %s", err, out)
	}
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "done", "git init -q new; git -C new config core.fsmonitor x; "+
		`head -c 20000000 /dev/zero >"${UA_JOURNAL%/*}/sub/fill"; head -c 5000 /dev/zero `+
		`>>"${UA_JOURNAL%/*}/sub/fill"; seq 3000`,
		"true")
	cmd := exec.Command("unshare", "-rm", "sh", "-c", `mkdir -p "$HOME/.local/state" "$TMPDIR" && `+
		`mount -t tmpfs -o size=8m tmpfs "$HOME/.local/state" || exit 77; ua task; s=$?; ls "$TMPDIR"; `+
		`exit $s`)
	cmd.Dir, cmd.Env = p.cwd, append(p.env, "TMPDIR="+filepath.Join(p.home, "tmp"))
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == 77 {
		scripttest.Skip(t, scripttest.Refused, "no mounts: %s", out)
	}
	if !strings.Contains(string(out), "no space left") ||
		strings.Contains(string(out), "ua-sandbox-") {
		t.Errorf("%v: %s", cmd.ProcessState, out)
	}
	if _, err := os.Stat(filepath.Join(p.cwd, "new/.git/config.refused")); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestCrowdedLook has a command plant what git would run behind so much else that a look at
// all of it would take too long: it is found, or the run says that not all was looked at.
func TestCrowdedLook(t *testing.T) {
	scripttest.Need(t, "git")
	const plant = "git init -q z && git -C z config core.fsmonitor ./x"
	for name, c := range map[string]struct {
		command string
		status  int
	}{
		"indexes": {"head -c 8000000 /dev/urandom >index; for i in $(seq 300); do " +
			"mkdir -p a$i/.git/objects " +
			"a$i/.git/refs; echo ref: refs/heads/main >a$i/.git/HEAD; ln index a$i/.git/index; done; " +
			plant, 0},
		"folders": {"mkdir -p many && cd many && seq 17000 | xargs mkdir && cd .. && " + plant, 0},
		"bytes": {"for i in 1 2 3; do mkdir -p many$i/.git/objects many$i/.git/refs; " +
			"echo ref: refs/heads/main >many$i/.git/HEAD; " +
			"printf 'DIRC\\0\\0\\0\\2\\0\\1\\0\\0' >many$i/.git/index; " +
			"truncate -s 500M many$i/.git/index; done; " +
			plant, 2},
	} {
		p := newPlace(t, os.Getuid())
		p.recording("main.jsonl", "done", c.command)
		_, errs, status := p.run("ua", "task")
		_, err := os.Stat(filepath.Join(p.cwd, "z/.git/config.refused"))
		if status != c.status || status == 0 && err != nil ||
			status == 2 && !strings.Contains(errs, "many") {
			t.Errorf("%s: status %d, %v, %s", name, status, err, errs)
		}
	}
}
