package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/scripttest"
)

// TestMakeSlots has GNU make -j2 run recipes with one agent, and with several side by
// side, one of which is killed: no more than two work at once, and make gets all of its
// slots back.
func TestMakeSlots(t *testing.T) {
	scripttest.Need(t, "make")
	p := newPlace(t, os.Getuid())
	// each command notes how many of them there are
	p.recording("main.jsonl", "done", `touch on.$$; ls on.* | wc -l >>most; sleep 0.2; rm on.$$`)
	p.recording("long.jsonl", "never", "touch long; sleep 300")
	p.write("Makefile", `one: a b c d e f
a b c d e f:
	ua -q x
several: g h
g h:
	+ua -q x & ua -q x & ua -q x & wait
killed: i
i:
	+ua -q x & ua -q --model replay:long.jsonl x & ua -q --model replay:long.jsonl x & wait
`)
	makes := func(target string) string {
		cmd := p.command("ua")
		path, _ := filepath.EvalSymlinks("/usr/bin/make")
		cmd.Path, cmd.Args = path, []string{"make", "-s", "-j2", target}
		if target == "killed" {
			go func() {
				for range 2 { // the second waits for the slot of the first, or for make's
					await(t, "a long one", func() bool { _, err := os.Stat(filepath.Join(p.cwd, "long")); return err == nil })
					os.Remove(filepath.Join(p.cwd, "long"))
					for _, q := range processes() {
						if is(q, "ua") && strings.Contains(q.name, "long") && len(descendants(q.pid)) > 3 {
							syscall.Kill(q.pid, syscall.SIGKILL)
						}
					}
				}
			}()
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v", target, err)
		}
		return string(out)
	}
	for target, runs := range map[string]int{"one": 6, "several": 6, "killed": 1} {
		os.Remove(filepath.Join(p.cwd, "most"))
		out := makes(target)
		if n := strings.Count(out, "done\n"); n != runs || strings.Contains(out, "token") ||
			strings.Contains(out, "warning") {
			t.Errorf("%s: %d answers: %s", target, n, out)
		}
		most, _ := os.ReadFile(filepath.Join(p.cwd, "most"))
		if strings.Trim(string(most), "12\n") != "" || strings.Contains(string(most), "11") ||
			len(most) == 0 {
			t.Errorf("%s: at once: %q", target, most)
		}
	}
}

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
	first := takeSlot()
	if first == nil || first.own == nil || there() != "+\x80" {
		t.Fatalf("%+v %q", first, there())
	}
	second, third := takeSlot(), takeSlot()
	if second.keeper == 0 || third.keeper == 0 || there() != "" {
		t.Fatalf("%+v %+v %q", second, third, there())
	}
	waits := make(chan *slot)
	go func() { waits <- takeSlot() }()
	select {
	case s := <-waits:
		t.Errorf("a fourth: %+v", s)
	case <-time.After(200 * time.Millisecond):
	}
	first.release()
	fourth := <-waits
	if fourth.own == nil {
		t.Errorf("%+v", fourth)
	}
	third.release()
	second.release()
	if text := there(); len(text) != 2 || !strings.Contains(text, "+") || !strings.Contains(text, "\x80") {
		t.Errorf("%q", text)
	}
	fourth.release()
	for _, flags := range []string{"", "-j2", "--jobserver-auth=3,4", "--jobserver-auth=x", "--jobserver-auth=fifo:/dev/null",
		"--jobserver-auth=fifo:" + path + "x", "--jobserver-auth=0,99999999999999999999"} {
		t.Setenv("MAKEFLAGS", flags)
		if s := takeSlot(); s != nil {
			t.Errorf("%s: %+v", flags, s)
		}
	}
	env := withoutJobserver([]string{"A=b", "MAKEFLAGS=k -j3 --jobserver-auth=3,4 -- A=b"})
	if env[1] != "MAKEFLAGS=k -- A=b" {
		t.Errorf("%q", env)
	}
}

func FuzzJobserverAuth(f *testing.F) {
	f.Add("k -j3 --jobserver-auth=fifo:/x")
	f.Fuzz(func(t *testing.T, flags string) {
		env := withoutJobserver([]string{"MAKEFLAGS=" + flags})
		if auth := jobserverAuth(strings.TrimPrefix(env[0], "MAKEFLAGS=")); auth != "" {
			t.Errorf("%q leaves %q", flags, auth)
		}
	})
}
