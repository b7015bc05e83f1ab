package procfs

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"ua/internal/test/scripttest"
)

func TestValue(t *testing.T) {
	const status = "Name:\tUid: 7\nUmask:\t0022\nUid:\t1000\t1001\t1002\t1003\nGid:\t5\n" +
		"Threads:\t12\nEmpty:\n"
	for name, want := range map[string]int{
		"Uid:": 1000, "Gid:": 5, "Threads:": 12, "Umask:": 22,
		"None:": -1, "Name:": -1, "hreads:": -1,
	} {
		if got := value([]byte(status), name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	for _, text := range []string{"", "\n", "\nUid:", "\nUid:\n", "Uid: 3"} {
		if got := value([]byte(text), "Uid:"); got != -1 {
			t.Errorf("%q: %d", text, got)
		}
	}
}

// TestThreadsOf counts all threads of a user's processes, and nobody else's.
func TestThreadsOf(t *testing.T) {
	own, ok := Read(os.Getpid())
	if !ok {
		scripttest.Skip(t, scripttest.Refused, "there is no /proc")
	}
	if got := threadsOf(os.Getuid()); got < own.Threads {
		t.Errorf("%d, this process alone has %d", got, own.Threads)
	}
	if os.Getuid() != 0 {
		return
	}
	const nobodys = 3141592
	if got := threadsOf(nobodys); got != 0 {
		t.Errorf("%d threads of nobody", got)
	}
	for want := 1; want <= 2; want++ {
		cmd := exec.Command("sleep", "60")
		nobody := &syscall.Credential{Uid: nobodys, Gid: nobodys}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: nobody}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			cmd.Process.Kill()
			cmd.Wait()
		}()
		if got := threadsOf(nobodys); got != want {
			t.Errorf("%d threads, want %d", got, want)
		}
		if got := Running(-1); got < own.Threads {
			t.Errorf("%d threads run, this process alone has %d", got, own.Threads)
		}
		if all := Running(1 << 22); all < threadsOf(nobodys)+own.Threads {
			t.Errorf("%d threads of all users", all)
		}
	}
}

// roomFor has the test ask for room and end.
const roomFor = "PROCFS_TEST_ROOM"

func TestMain(m *testing.M) {
	var need int
	var bound uint64
	if n, _ := fmt.Sscan(os.Getenv(roomFor), &need, &bound); n == 2 {
		most, ok := MayStartOf(bound, need)
		os.Stdout.WriteString(strconv.Itoa(most) + " " + strconv.FormatBool(ok))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestRoom asks as a user whose limit is set, and as root, whom none holds.
func TestRoom(t *testing.T) {
	if os.Getuid() != 0 {
		scripttest.Skip(t, scripttest.Elsewhere, "only root can ask as another user")
	}
	if _, err := exec.LookPath("prlimit"); err != nil {
		scripttest.Skip(t, scripttest.Elsewhere, "prlimit is not installed")
	}
	self := t.TempDir() + "/self"
	text, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(self, text, 0o755)
	}
	// The test's own folders.
	for _, dir := range []string{filepath.Dir(self), filepath.Dir(filepath.Dir(self))} {
		err = errors.Join(err, os.Chmod(dir, 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	const none = math.MaxUint64
	for _, c := range []struct {
		uid         uint32
		limit, need int
		bound       uint64
		want        string
	}{
		{2718281, 900, 50, none, "900 true"}, {2718281, 900, 901, none, "900 false"},
		{2718281, 60, 59, none, "60 false"}, {2718281, 1001, 5000, none, "1001 false"},
		{2718281, 20000, 5000, none, "20000 true"}, {0, 60, 5000, none, "0 true"},
		{2718281, 900, 50, 1000, "900 true"}, {2718281, 1000, 50, 900, "900 true"},
		{2718281, 1000, 901, 900, "900 false"}, {2718281, 1000, 59, 60, "60 false"},
		{0, 1000, 59, 0, "0 true"},
	} {
		cmd := exec.Command("prlimit", "--nproc="+strconv.Itoa(c.limit), "--", self)
		cmd.Env = []string{roomFor + "=" + fmt.Sprint(c.need, c.bound),
			"PATH=" + os.Getenv("PATH"), "GOMAXPROCS=1"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: c.uid, Gid: c.uid}}
		out, err := cmd.CombinedOutput()
		if string(out) != c.want {
			t.Errorf("%s: uid %d, of %d and %d room for %d: %q %v",
				runtime.GOARCH, c.uid, c.limit, c.bound, c.need, out, err)
		}
	}
}
