package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ua/internal/test/scripttest"
)

// painter tries each way to the caller's terminal, and prints to its outputs.
const painter = `
import os, glob, sys, fcntl, termios
def paint(path):
    for flags in (os.O_RDWR, os.O_WRONLY, os.O_RDONLY):
        try: fd = os.open(path, flags | os.O_NONBLOCK)
        except OSError: continue
        try: os.write(fd, b"\x1b]52;c;RAW%d\x07" % flags)
        except OSError: pass
        try: sys.stderr.write("READ:" + os.read(fd, 100).decode())
        except OSError: pass
        try: a = termios.tcgetattr(fd)
        except Exception: continue
        print("TERMINAL", path)
devices = ["/dev/tty", "/dev/console", "/dev/stdin", "/dev/stdout", "/dev/stderr"]
for path in devices + glob.glob("/dev/pts/[0-9]*") + glob.glob("/proc/[0-9]*/fd/[0-9]*"):
    paint(path)
os.setsid() if os.getpid() != os.getsid(0) and os.getpid() != os.getpgrp() else None
paint("/dev/tty")
for fd in range(10):
    if os.isatty(fd): print("TTY", fd)
os.write(1, b"\x1b]0;one\x07\n")
os.write(2, b"\x1b]0;two\x07\n")
print("painted")
`

// A display is a terminal that its user owns, with what was printed on it.
type display struct {
	master, slave *os.File
	text          []byte
	done          chan struct{}
	once          sync.Once
}

func newDisplay(t *testing.T, uid int) *display {
	t.Helper()
	master, slave, err := pty.Open()
	if err == nil {
		err = os.Chown(slave.Name(), uid, uid)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &display{master: master, slave: slave, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			s.text = append(s.text, buf[:n]...)
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { s.close(); master.Close() })
	return s
}

// withoutEcho has the terminal print nothing of what is typed.
func (s *display) withoutEcho(t *testing.T) {
	fd := int(s.slave.Fd())
	mode, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err == nil {
		mode.Lflag &^= unix.ECHO
		err = unix.IoctlSetTermios(fd, unix.TCSETS, mode)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (s *display) close() { s.once.Do(func() { s.slave.Close() }) }

// printed is all that reached the display, once nobody else has it open.
func (s *display) printed() string {
	s.close()
	<-s.done
	return string(s.text)
}

// Whatever a command does, the terminal of its caller gets no byte that drives
// it, and the command none that is typed, unless it is standard input.
func TestTerminalIsOutOfReach(t *testing.T) {
	scripttest.Need(t, "python3")
	uids := []int{os.Getuid()}
	if os.Getuid() == 0 {
		uids = append(uids, 1000)
	}
	for _, uid := range uids {
		for _, tier := range append(tiers(t), "none") {
			t.Run(fmt.Sprintf("uid%d/tier%s", uid, tier), func(t *testing.T) {
				if tier == "none" {
					scripttest.NeedTier(t, "3") // below, the profile none keeps no terminal away
				}
				dir, err := os.MkdirTemp("", "ua-terminal")
				if err != nil {
					t.Fatal(err)
				}
				defer os.RemoveAll(dir)
				if err := os.Chown(dir, uid, uid); err != nil {
					t.Fatal(err)
				}
				args := []string{"--quiet", "--tier", tier, "--", "python3", "-c", painter}
				if tier == "none" {
					args[1], args[2] = "--profile", "none"
				}
				s := newDisplay(t, uid)
				s.withoutEcho(t) // "typed" behind "READ:" would look like what was read
				cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-sandbox"), args...)
				cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
				cmd.Stdout, cmd.Stderr = s.slave, s.slave
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
				if os.Getuid() == 0 {
					cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if _, err := s.master.WriteString("typed\n"); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait()
				got := s.printed()
				if !strings.Contains(got, "painted") || strings.Contains(got, "\x1b") ||
					strings.Contains(got, "READ:typed") || strings.Contains(got, "TERMINAL") ||
					strings.Contains(got, "TTY") {
					t.Errorf("%q", got)
				}
				if strings.Count(got, "^[]0;") != 2 {
					t.Errorf("what was printed is not shown: %q", got)
				}
			})
		}
	}
}

// A terminal that is standard input is the command's, as an editor needs it; one
// that is kept open otherwise is not.
func TestTerminalAsInput(t *testing.T) {
	for _, tier := range tiers(t) {
		s := newDisplay(t, os.Getuid())
		cmd := sandbox(t, "--quiet", "--tier", tier, "--", "sh", "-c",
			`test -t 0 && test -t 1 && tty && stty size && printf '\033[1m' && echo x >/dev/tty && echo up`)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = s.slave, s.slave, s.slave
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := cmd.Run(); err != nil {
			t.Error(err)
		}
		if got := s.printed(); !strings.Contains(got, "\x1b[1mx\r\nup") {
			t.Errorf("tier %s: %q", tier, got)
		}
	}
	s := newDisplay(t, os.Getuid())
	cmd := sandbox(t, "--fd", "3", "--", "true")
	cmd.ExtraFiles = []*os.File{s.slave}
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 125 ||
		!strings.Contains(string(out), "is a terminal") {
		t.Errorf("%v %s", cmd.ProcessState, out)
	}
	cmd = sandbox(t, "--nested", "--", "true")
	cmd.Stdout = s.slave
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 126 {
		t.Errorf("--nested with a terminal: %v", err)
	}
}

// TestExplanationDrivesNoTerminal: a command names the folders that are explained.
func TestExplanationDrivesNoTerminal(t *testing.T) {
	dir := t.TempDir()
	hostile := filepath.Join(dir, "\x1b]52;c;eA==\x07\u009b2J")
	if err := os.MkdirAll(hostile, 0o700); err != nil {
		t.Fatal(err)
	}
	shell(t, hostile, "git init -q .")
	for _, more := range [][]string{nil, {"--json"}} {
		s := newDisplay(t, os.Getuid())
		cmd := sandbox(t, append([]string{"--explain"}, more...)...)
		cmd.Dir, cmd.Stdout = dir, s.slave
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		if seen := s.printed(); strings.ContainsAny(seen, "\x1b\x07\u009b") ||
			!strings.Contains(seen, "<U+009B>2J") {
			t.Errorf("%v: the terminal got %q", more, seen)
		}
	}
}

// All that a command prints comes out, in its order, before ua-sandbox ends.
func TestTerminalGetsAll(t *testing.T) {
	s := newDisplay(t, os.Getuid())
	cmd := sandbox(t, "--quiet", "--", "sh", "-c",
		`i=0; while [ $i -lt 3000 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done`)
	cmd.Stdout, cmd.Stderr = s.slave, s.slave
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&want, "out %d\r\nerr %d\r\n", i, i)
	}
	if got := s.printed(); got != want.String() {
		t.Errorf("%d bytes, want %d", len(got), want.Len())
	}
}

func asUser(uid int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
}
