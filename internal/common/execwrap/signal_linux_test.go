package execwrap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/test/scripttest"
)

// endAs names the wait status that TestMain is to end as.
const endAs = "CHAIN_TEST_END_AS"

func TestMain(m *testing.M) {
	switch os.Getenv(endAs) {
	case "":
		os.Exit(m.Run())
	case "told": // what this process knows of itself
		fmt.Printf("root %v, keys %v", TrueRoot(), FromTerminal(unix.SIGINT))
		os.Exit(0)
	case "killed":
		Exit(unix.WaitStatus(unix.SIGKILL))
	case "aborted":
		Exit(unix.WaitStatus(unix.SIGABRT))
	case "deaf": // to what ends the command that it starts
		Ignore()
		for _, sig := range passed {
			_ = unix.Kill(os.Getpid(), sig.(syscall.Signal))
			cmd := exec.Command("/bin/sh", "-c", fmt.Sprintf("kill -%d $$", sig))
			_ = cmd.Run()
			fmt.Print(cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == sig, " ")
		}
		os.Exit(0)
	case "interrupted":
		signals := Catch() // what it catches ends it all the same
		Exit(unix.WaitStatus(unix.SIGINT))
		<-signals
	}
	os.Exit(9)
}

// TestIgnore has a process ignore the signals of a command, and not the command.
func TestIgnore(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{endAs + "=deaf"}
	out, err := cmd.Output()
	// SIGWINCH ends nobody.
	if want := strings.Repeat("true ", len(passed)-1) + "false "; err != nil || string(out) != want {
		t.Errorf("%v, %q, want %q", err, out, want)
	}
}

// TestExit ends a process as its command did: by the same signal, without a core.
func TestExit(t *testing.T) {
	for name, want := range map[string]syscall.Signal{"killed": unix.SIGKILL, "aborted": unix.SIGABRT,
		"interrupted": unix.SIGINT} {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = []string{endAs + "=" + name}
		err := cmd.Run()
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !status.Signaled() || status.Signal() != want || status.CoreDump() {
			t.Errorf("%s: %v, %v", name, err, status)
		}
	}
	for status, want := range map[unix.WaitStatus]error{
		0: nil, 3 << 8: prog.Exit(3), 255 << 8: prog.Exit(255),
		unix.WaitStatus(unix.SIGCHLD): prog.Exit(128 + int(unix.SIGCHLD)), // which ends nobody
	} {
		if got := Exit(status); got != want {
			t.Errorf("%#x: %v", uint32(status), got)
		}
	}
}

func TestStartStatus(t *testing.T) {
	_, missing := exec.LookPath("nowhere-to-be-found")
	_, closed := exec.LookPath(os.DevNull)
	for err, want := range map[error]int{missing: prog.NotFound, closed: prog.NotConfined,
		fs.ErrNotExist: prog.NotFound, unix.ENOENT: prog.NotFound, unix.EACCES: prog.NotConfined,
		unix.ENOEXEC: prog.NotConfined, errors.New("else"): prog.NotConfined} {
		if got := StartStatus(err); got != want {
			t.Errorf("%v: %d", err, got)
		}
	}
}

// told is what a process like this one says of itself, begun with attributes.
func told(t *testing.T, attr *syscall.SysProcAttr, stdin *os.File) string {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env, cmd.SysProcAttr, cmd.Stdin = []string{endAs + "=told"}, attr, stdin
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return string(out)
}

// TestFromTerminal: the keys of a terminal signal the group that has it, and no other.
func TestFromTerminal(t *testing.T) {
	master, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer terminal.Close()
	for _, c := range []struct {
		name  string
		attr  *syscall.SysProcAttr
		stdin *os.File
		want  string
	}{
		{"no terminal", &syscall.SysProcAttr{Setsid: true}, nil, "keys false"},
		{"a terminal that is not its own", &syscall.SysProcAttr{Setsid: true}, terminal, "keys false"},
		{"in the foreground", &syscall.SysProcAttr{Setsid: true, Setctty: true}, terminal, "keys true"},
	} {
		if got := told(t, c.attr, c.stdin); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	// The leader of a session keeps the terminal for itself; the other group is in the background.
	self := fmt.Sprintf("/proc/%d/exe", os.Getpid())
	leader := exec.Command("sh", "-m", "-c", endAs+`=told "$0" & wait`, self)
	leader.Stdin, leader.SysProcAttr = terminal, &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if out, err := leader.Output(); !strings.HasSuffix(string(out), "keys false") {
		t.Errorf("in the background: %s %v", out, err)
	}
	for _, sig := range []os.Signal{unix.SIGTERM, unix.SIGHUP, unix.SIGUSR1, unix.SIGKILL} {
		if FromTerminal(sig) {
			t.Errorf("%v is no key's", sig)
		}
	}
}

// TestTrueRoot: who is root in a user namespace is not the machine's root.
func TestTrueRoot(t *testing.T) {
	m, _ := os.ReadFile("/proc/self/uid_map")
	whole := strings.Join(strings.Fields(string(m)), " ") == "0 0 4294967295"
	if got := TrueRoot(); got != whole {
		t.Errorf("%v with %s", got, m)
	}
	ids := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
	groups := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{endAs + "=told"}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER, UidMappings: ids, GidMappings: groups}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EACCES) {
		scripttest.Skip(t, scripttest.Refused, "no user namespaces: %v", err)
	}
	if err != nil || !strings.HasPrefix(string(out), "root false") {
		t.Errorf("in a user namespace: %s %v", out, err)
	}
}

// TestHolds reads settings as the kernel writes them.
func TestHolds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "setting")
	for text, want := range map[string]bool{
		"1": true, "1\n": true, " 1 \n": true, "10\n": false, "0\n": false, "": false,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := holds(path, "1"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if holds(path+".none", "") {
		t.Error("a setting that is not there")
	}
}
