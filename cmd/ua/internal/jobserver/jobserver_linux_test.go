package jobserver

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestSlotOfFIFO takes slots as make 4.4 hands them out, and as none does.
func TestSlotOfFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	unix.Write(fd, []byte("+\x80"))
	there := func() string {
		b := make([]byte, 10)
		n, _ := unix.Read(fd, b)
		unix.Write(fd, b[:max(0, n)])
		return string(b[:max(0, n)])
	}
	t.Setenv("MAKEFLAGS", "k -j3 --jobserver-auth=3,4 --jobserver-auth=fifo:"+path+" -- A=b")
	t.Setenv("MAKELEVEL", "7")
	t.Setenv("X_API_KEY", "key")
	first := Take()
	if first == nil || first.own == nil || there() != "+\x80" {
		t.Fatalf("%+v %q", first, there())
	}
	second, third := Take(), Take()
	if second.keeper == 0 || third.keeper == 0 || there() != "" {
		t.Fatalf("%+v %+v %q", second, third, there())
	}
	its, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", second.keeper))
	if err != nil || strings.Contains(string(its), "X_API_KEY") {
		t.Errorf("%v, who gives a slot back has a key: %q", err, its)
	}
	waits := make(chan *Slot)
	go func() { waits <- Take() }()
	select {
	case s := <-waits:
		t.Errorf("a fourth: %+v", s)
	case <-time.After(200 * time.Millisecond):
	}
	first.Release()
	fourth := <-waits
	if fourth.own == nil {
		t.Errorf("%+v", fourth)
	}
	third.Release()
	second.Release()
	if text := there(); text != "+\x80" && text != "\x80+" {
		t.Errorf("%q", text)
	}
	fourth.Release()
	for _, flags := range []string{"", "-j2", "--jobserver-auth=3,4", "--jobserver-auth=x",
		"--jobserver-auth=fifo:/dev/null",
		"--jobserver-auth=fifo:" + path + "x", "--jobserver-auth=0,99999999999999999999"} {
		t.Setenv("MAKEFLAGS", flags)
		if s := Take(); s != nil {
			t.Errorf("%s: %+v", flags, s)
		}
	}
	env := Without([]string{"A=b", "MAKEFLAGS=k -j3 --jobserver-auth=3,4 -- A=b"})
	if env[1] != "MAKEFLAGS=k -- A=b" {
		t.Errorf("%q", env)
	}
}

func FuzzAuth(f *testing.F) {
	f.Add("k -j3 --jobserver-auth=fifo:/x")
	f.Fuzz(func(t *testing.T, flags string) {
		env := Without([]string{"MAKEFLAGS=" + flags})
		if auth := authOf(strings.TrimPrefix(env[0], "MAKEFLAGS=")); auth != "" {
			t.Errorf("%q leaves %q", flags, auth)
		}
	})
}
