package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"ua/internal/test/scripttest"
)

// reach tries each way to a terminal that a command may have: by its names, and by
// the descriptors of every process.
const reach = `python3 -c '
import os, glob, termios
def paint(path):
    for flags in (os.O_RDWR, os.O_WRONLY, os.O_RDONLY):
        try: fd = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError: continue
        try: termios.tcgetattr(fd)
        except Exception: os.close(fd); continue
        print("REACHED", path, flags)
        try: os.write(fd, b"\x1b]52;c;RAW\x07")
        except OSError: pass
        try: print("TYPED", os.read(fd, 100))
        except OSError: pass
for path in ["/dev/tty", "/dev/console"] + glob.glob("/dev/pts/[0-9]*") + ` +
	`glob.glob("/proc/[0-9]*/fd/[0-9]*") + glob.glob("/proc/[0-9]*/task/[0-9]*/fd/[0-9]*"):
    paint(path)
print("tried")'`

// TestNoTerminal runs ua-exec with terminals for descriptors, as one user and the
// other, alone and in a sandbox: no command reaches them, and what could drive
// them is shown.
func TestNoTerminal(t *testing.T) {
	scripttest.Need(t, "python3", "git")
	uids := []int{os.Getuid()}
	if os.Getuid() == 0 {
		uids = append(uids, 1000)
	}
	bin := filepath.Join(scripttest.Bin(t), "ua-exec")
	sandbox := filepath.Join(scripttest.Bin(t), "ua-sandbox")
	for _, uid := range uids {
		for _, mode := range []string{"alone", "ungated", "tier 4", "tier 3", "tier 2"} {
			t.Run(fmt.Sprintf("uid %d, %s", uid, mode), func(t *testing.T) {
				dir, err := os.MkdirTemp("", "ua-exec-terminal")
				if err != nil {
					t.Fatal(err)
				}
				defer os.RemoveAll(dir)
				cmd := exec.Command(bin)
				calls := lines(task{command: reach}, task{command: hostile})
				if mode == "ungated" {
					cmd.Args = append(cmd.Args, "--ungated")
					calls = calls[:strings.Index(calls, `{"type":"verdict"`)]
				}
				if tier, ok := strings.CutPrefix(mode, "tier "); ok {
					scripttest.NeedTier(t, tier)
					cmd = exec.Command(sandbox, "--quiet", "--tier", tier, "--", bin)
				}
				got := onTerminal(t, cmd, dir, uid, calls)
				if !strings.Contains(got, "tried") || strings.Contains(got, "REACHED /") ||
					strings.Contains(got, "TYPED b") || strings.Contains(got, "\x1b") {
					t.Errorf("%q", got)
				}
				if !strings.Contains(got, "kept from commands") && mode == "alone" {
					t.Errorf("nothing on stderr: %q", got)
				}
			})
		}
	}
}

// hostile is a repository whose settings have git run a program that drives the
// terminal.
const hostile = `git init -q h && cd h && git config core.fsmonitor "printf '\033]52;c;RAW\007' ` +
	`| tee /dev/tty >&2; :" && git status >/dev/null; printf '\033]52;c;RAW\007'; true`

// onTerminal runs the command on a terminal of the user's, feeds it, and returns
// what the terminal got.
func onTerminal(t *testing.T, cmd *exec.Cmd, dir string, uid int, input string) string {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	for _, path := range []string{slave.Name(), dir} {
		if err := os.Chown(path, uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "A_TOKEN=x1y2z3",
		"\x1b]0;t\x07_TOKEN=x1y2z3"}
	cmd.Stdout, cmd.Stderr = slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	slave.Close()
	if _, err := master.WriteString("typed\n"); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.WriteString(in, input)
		in.Close()
	}()
	text, _ := io.ReadAll(master) // EIO at its end
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v", err)
	}
	return strings.TrimPrefix(string(text), "typed\r\n")
}

// TestTypedInput has a person type the events and read the answers.
func TestTypedInput(t *testing.T) {
	cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-exec"), "--unconfined")
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	if _, err := io.WriteString(tty, lines(task{command: "echo hel''lo"})+"\x04"); err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(tty)
	if err := cmd.Wait(); err != nil || !strings.Contains(string(text), `\nhello\n`) {
		t.Errorf("%v: %q", err, text)
	}
}

// TestOwnOutput has the events go to a file of the workspace: a command that only
// reads can't write to it by the right that ua-exec has.
func TestOwnOutput(t *testing.T) {
	for _, tier := range []string{"4", "3", "2"} {
		dir := outside(t)
		cmd := confined(t, dir, "--tier", tier)
		out, err := os.Create(filepath.Join(dir, "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		cmd.Stdin = strings.NewReader(lines(task{command: "echo forged >>out", risk: "read_only",
			profile: "read-only"}))
		cmd.Stdout = out
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(out.Name()); err != nil ||
			!strings.Contains(string(text), `"exit_code":1,`) {
			t.Errorf("tier %s: %v: %s", tier, err, text)
		}
	}
}
