package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLeftBehind: what a command leaves running goes on writing to the try, which can be
// applied when that has ended.
func TestLeftBehind(t *testing.T) {
	for _, uid := range users() {
		b := newBench(t, uid)
		work := b.dir + "/work"
		fifo := filepath.Join(b.dir, "home/go")
		if err := errors.Join(unix.Mkfifo(fifo, 0o600), os.Chown(fifo, uid, uid)); err != nil {
			t.Fatal(err)
		}
		b.must(work, "/bin/sh", "-c", "echo one >a")
		// What it says ends with it: who reads that waits for no more.
		_, err := b.run(work, nil, "ua-try", "--", "/bin/sh", "-c",
			"echo two >a; (read line <"+fifo+"; echo late >late) >/dev/null 2>&1 & exit 5")
		if err == nil {
			t.Error("the status is lost")
		}
		out := b.command(work, nil, "ua-try", "ls")
		text, _ := out.Output()
		if !strings.Contains(string(text), "  running   1 file changed ") {
			t.Errorf("uid %d: %s", uid, text)
		}
		if _, err := b.run(work, nil, "ua-try", "apply"); err == nil ||
			!strings.Contains(err.Error(), "exit status 75") ||
			!strings.Contains(err.Error(), "what that left behind") {
			t.Errorf("uid %d: %v", uid, err)
		}
		if _, err := b.run(work, nil, "ua-try", "drop"); err == nil ||
			!strings.Contains(err.Error(), "exit status 75") {
			t.Errorf("uid %d: %v", uid, err)
		}
		if diff := b.must(work, "ua-try", "diff", "--name-status"); diff != "M\ta\n" {
			t.Errorf("uid %d: %q", uid, diff)
		}
		if err := os.WriteFile(fifo, []byte("go\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		// The lock is free when the last of them has ended.
		dirs, _ := filepath.Glob(b.dir + "/home/.local/state/ua/tries/*")
		if len(dirs) != 1 {
			t.Fatal(dirs)
		}
		lock, err := os.Open(filepath.Join(dirs[0], "lock"))
		if err == nil {
			err = unix.Flock(int(lock.Fd()), unix.LOCK_EX)
			lock.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		b.must(work, "ua-try", "apply")
		if got := b.must(work, "/bin/sh", "-c", "cat a late"); got != "two\nlate\n" {
			t.Errorf("uid %d: %q", uid, got)
		}
	}
}

// TestSignals: signals reach the command, and its end by one is ua-try's.
func TestSignals(t *testing.T) {
	for _, uid := range users() {
		b := newBench(t, uid)
		for _, c := range []struct {
			name, script string
			signal       syscall.Signal
			want         string // what it printed last
			status       int
			by           syscall.Signal
		}{
			{"ended", "echo on; read line", unix.SIGTERM, "", 0, unix.SIGTERM},
			{"hung up", "echo on; read line", unix.SIGHUP, "", 0, unix.SIGHUP},
			{"interrupted", "echo on; read line", unix.SIGINT, "", 0, unix.SIGINT},
			{"caught", "trap 'echo caught; exit 4' USR1; echo on; read line", unix.SIGUSR1,
				"caught\n", 4, 0},
			{"by itself", "echo on; kill -ABRT $$", 0, "", 0, unix.SIGABRT},
			{"a status", "echo on; exit 255", 0, "", 255, 0},
		} {
			// Its parts are in a group of their own, so that only ua-try gets the signal.
			made := strings.ReplaceAll(c.name, " ", "")
			cmd := b.command(b.dir+"/work", nil, "ua-try", "--quiet", "--", "/bin/sh", "-c",
				"echo x >"+made+"; "+c.script)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(out)
			if line, err := lines.ReadString('\n'); line != "on\n" {
				t.Fatalf("%s: %q %v", c.name, line, err)
			}
			if c.signal != 0 {
				if err := cmd.Process.Signal(c.signal); err != nil {
					t.Error(err)
				}
			}
			last, _ := lines.ReadString('\n')
			err = cmd.Wait()
			in.Close()
			var exit *exec.ExitError
			errors.As(err, &exit)
			status := cmd.ProcessState.Sys().(syscall.WaitStatus)
			ended := status.Signaled() && status.Signal() == c.by && !status.CoreDump()
			if last != c.want || c.by != 0 && !ended || c.by == 0 && status.ExitStatus() != c.status {
				t.Errorf("uid %d: %s: %q, %v", uid, c.name, last, err)
			}
		}
		// What they wrote before is kept.
		text := b.must(b.dir+"/work", "ua-try", "ls")
		if got := strings.Count(text, "  kept      1 file changed "); got != 6 {
			t.Errorf("uid %d: %s", uid, text)
		}
	}
}

// TestPlaceOptions: where a try lies, and who is told of it.
func TestPlaceOptions(t *testing.T) {
	for _, uid := range users() {
		b := newBench(t, uid)
		work := b.dir + "/work"
		out := b.dir + "/home/out"
		if got := b.must(work, "ua-try", "--quiet", "-o", out, "--link", "../home/link", "--",
			"/bin/sh", "-c", `echo x >f; echo "$UA_TRY"; ls -A "$UA_TRY" | wc -l`); got != out+"\n0\n" {
			t.Errorf("uid %d: %q", uid, got)
		}
		if to, err := os.Readlink(b.dir + "/home/link"); err != nil || to != out {
			t.Errorf("uid %d: %q %v", uid, to, err)
		}
		for _, name := range []string{"../home/link", "../home/out", out, "last"} {
			if got := b.must(work, "ua-try", "diff", "--name-status", name); got != "A\tf\n" {
				t.Errorf("uid %d: %s: %q", uid, name, got)
			}
		}
		// A link to another try is replaced, another file is not.
		b.must(work, "ua-try", "--quiet", "--link", "../home/link", "--", "true")
		if to, _ := os.Readlink(b.dir + "/home/link"); to == out || !strings.Contains(to, "/tries/") {
			t.Errorf("uid %d: %q", uid, to)
		}
		_, err := b.run(work, nil, "ua-try", "-o", out, "--", "/bin/sh", "-c", "echo ran")
		if err == nil || !strings.Contains(err.Error(), "exit status 126") ||
			!strings.Contains(err.Error(), "directory not empty") {
			t.Errorf("uid %d: a full folder: %v", uid, err)
		}
		// Another folder is covered too, and what lies in it by a link.
		b.must(b.dir, "/bin/sh", "-c",
			"mkdir home/other && echo one >home/other/f && ln -s other home/alias")
		b.must(work, "ua-try", "--quiet", "--dir", "../home/alias", "--",
			"/bin/sh", "-c", "echo two >../home/other/f; echo y >g")
		if got := b.must(work, "/bin/sh", "-c", "cat ../home/other/f; ls"); got != "one\n" {
			t.Errorf("uid %d: %q", uid, got)
		}
		if got := b.must(work, "ua-try", "diff", "--name-status"); !strings.Contains(got, "A\tg\n") ||
			!strings.Contains(got, "M\t"+strings.TrimPrefix(b.dir, "/")+"/home/other/f\n") {
			t.Errorf("uid %d: %q", uid, got)
		}
		b.must(work, "ua-try", "apply", "last", "../home/other/f")
		if got := b.must(work, "/bin/sh", "-c", "cat ../home/other/f; ls"); got != "two\n" {
			t.Errorf("uid %d: %q", uid, got)
		}
	}
}
