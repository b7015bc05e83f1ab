package chain

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// endAs names the wait status that TestMain is to end as.
const endAs = "CHAIN_TEST_END_AS"

func TestMain(m *testing.M) {
	switch os.Getenv(endAs) {
	case "":
		os.Exit(m.Run())
	case "killed":
		Exit(unix.WaitStatus(unix.SIGKILL))
	case "aborted":
		Exit(unix.WaitStatus(unix.SIGABRT))
	case "interrupted":
		signals := Catch() // what it catches ends it all the same
		Exit(unix.WaitStatus(unix.SIGINT))
		<-signals
	}
	os.Exit(9)
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
	for status, want := range map[unix.WaitStatus]error{0: nil, 3 << 8: prog.Exit(3), 255 << 8: prog.Exit(255),
		unix.WaitStatus(unix.SIGCHLD): prog.Exit(128 + int(unix.SIGCHLD))} { // which ends nobody
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
