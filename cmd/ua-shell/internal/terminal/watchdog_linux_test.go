package terminal

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ua/internal/common/procfs"
	"ua/internal/common/scripttest"
)

// A watched is that program from outside.
type watched struct {
	t           *testing.T
	cmd         *exec.Cmd
	master, tty *os.File
	words       *os.File
	said        *bufio.Reader
	folder      string
	was         unix.Termios
}

func startWatched(t *testing.T) *watched {
	t.Helper()
	g := &watched{t: t, folder: filepath.Join(t.TempDir(), "folder")}
	if err := os.MkdirAll(filepath.Join(g.folder, "in/deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(g.folder+".run/sub", 0o700); err != nil {
		t.Fatal(err)
	}
	g.master, g.tty = openPTY(t)
	g.was = modesOf(t, g.tty)
	var pipes [2][2]*os.File
	for i := range pipes {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		pipes[i] = [2]*os.File{r, w}
		t.Cleanup(func() { r.Close(); w.Close() })
	}
	g.cmd = exec.Command("/proc/self/exe")
	g.cmd.Env = append(os.Environ(), envWatched+"="+g.folder)
	g.cmd.Stdin, g.cmd.Stdout, g.cmd.Stderr = g.tty, g.tty, os.Stderr
	g.cmd.ExtraFiles = []*os.File{pipes[0][0], pipes[1][1]}
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.cmd.Process.Kill(); g.cmd.Wait() })
	pipes[0][0].Close()
	pipes[1][1].Close()
	g.words, g.said = pipes[0][1], bufio.NewReader(pipes[1][0])
	g.hears("ready")
	return g
}

func (g *watched) hears(want string) {
	g.t.Helper()
	if line, err := g.said.ReadString('\n'); strings.TrimSpace(line) != want {
		g.t.Fatalf("%q %v, want %s", line, err, want)
	}
}

// watchdogs are the processes that watch it, by the name that they are started under.
func (g *watched) watchdogs() (pids []int) {
	for pid, p := range procfs.All() {
		argv, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if p.Parent == g.cmd.Process.Pid && strings.HasPrefix(string(argv), WatchdogName+"\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// watchdog waits for the one process that watches it: a new one takes its name a moment after its
// start.
func (g *watched) watchdog() (pid int) {
	g.t.Helper()
	scripttest.Await(g.t, "one watchdog", func() bool {
		pids := g.watchdogs()
		if len(pids) == 1 {
			pid = pids[0]
		}
		return pid != 0
	})
	return pid
}

// heard waits until the watchdog has taken all that it was told: it reads its words.
func (g *watched) heard() {
	g.t.Helper()
	scripttest.AwaitRead(g.t, 3, g.watchdogs)
}

// restored waits until the watchdog has done its work, which it ends by what it prints and by
// the folder.
func (g *watched) restored() {
	g.t.Helper()
	got := make([]byte, 64)
	n, err := g.master.Read(got)
	if string(got[:n]) != "\x1b[?2004l\x1b[?25h" {
		g.t.Errorf("printed %q %v", got[:n], err)
	}
	if now := modesOf(g.t, g.tty); now != g.was {
		g.t.Errorf("%+v\nwas\n%+v", now, g.was)
	}
	g.gone(g.folder)
}

// gone waits for the end of a folder.
func (g *watched) gone(folder string) {
	g.t.Helper()
	scripttest.Await(g.t, "the end of "+folder, func() bool {
		_, err := os.Lstat(folder)
		return err != nil
	})
}

// TestKilled: after kill -9 the terminal is as it was and the folder gone; the run's folder
// goes if nothing is in it.
func TestKilled(t *testing.T) {
	for _, used := range []bool{false, true} {
		g := startWatched(t)
		journal := g.folder + ".run/journal.jsonl"
		if used {
			if err := os.WriteFile(journal, []byte("{}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if modesOf(t, g.tty) == g.was {
			t.Fatal("never raw")
		}
		g.heard()
		g.cmd.Process.Kill()
		g.restored()
		g.cmd.Wait()
		if !used {
			g.gone(g.folder + ".run")
		} else if text, err := os.ReadFile(journal); string(text) != "{}\n" {
			t.Errorf("the journal: %q %v", text, err)
		}
	}
}

// TestWatchdogFollowed: a watchdog that is killed has another after it, and that one too.
func TestWatchdogFollowed(t *testing.T) {
	g := startWatched(t)
	for range 2 {
		syscall.Kill(g.watchdog(), syscall.SIGKILL)
		io.WriteString(g.words, "post\n")
		g.hears("done")
	}
	g.cmd.Process.Kill()
	g.restored()
}

// TestUnwatched: at an end of its own the program leaves nothing for the watchdog to do: not a
// byte is printed and no folder removed, and the watchdog has ended before it.
func TestUnwatched(t *testing.T) {
	g := startWatched(t)
	watchdog := g.watchdog()
	io.WriteString(g.words, "end\n")
	if err := g.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(watchdog, 0); err == nil {
		t.Error("the watchdog is still there")
	}
	if now := modesOf(t, g.tty); now != g.was {
		t.Errorf("%+v\nwas\n%+v", now, g.was)
	}
	if _, err := os.Lstat(g.folder + "/in/deep"); err != nil {
		t.Error(err)
	}
	if _, err := g.tty.WriteString("first"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 64)
	if n, _ := g.master.Read(got); string(got[:n]) != "first" {
		t.Errorf("printed %q", got[:n])
	}
}

// TestModesOfOthers: modes that are not ours any more, because another program has set
// its own, are left alone; the folder goes nevertheless.
func TestModesOfOthers(t *testing.T) {
	g := startWatched(t)
	g.heard()
	other := modesOf(t, g.tty)
	other.Cc[unix.VINTR] = 5
	if err := SetModes(int(g.tty.Fd()), &other); err != nil {
		t.Fatal(err)
	}
	want := modesOf(t, g.tty)
	g.cmd.Process.Kill()
	g.gone(g.folder)
	if now := modesOf(t, g.tty); now != want {
		t.Errorf("%+v, another's was\n%+v", now, want)
	}
}

// TestWatchdogOfJunk: a watchdog that is not told what to keep, or only a part of it, ends and
// touches nothing.
func TestWatchdogOfJunk(t *testing.T) {
	dir := t.TempDir()
	for _, line := range []string{
		"", "\n", "{", "{}\n", `{"Folder":"` + dir + `"}` + "\n", "null\n", "[]\n",
		`{"Modes":1,"Folder":"` + dir + `"}` + "\n", strings.Repeat("x", 1<<16), "\x00\xff\n",
	} {
		_, tty := openPTY(t)
		was := modesOf(t, tty)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Cmd{Path: "/proc/self/exe", Args: []string{WatchdogName}, Stdin: tty,
			ExtraFiles: []*os.File{r, null}}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r.Close()
		null.Close()
		io.WriteString(w, line)
		w.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%.30q: %v", line, err)
		}
		if now := modesOf(t, tty); now != was {
			t.Errorf("%.30q: %+v", line, now)
		}
	}
	if _, err := os.Lstat(dir); err != nil {
		t.Error(err)
	}
}

// TestAwaited: a program that waits for a line is told from one that does something else.
func TestAwaited(t *testing.T) {
	start := func(script string) (*os.File, *exec.Cmd) {
		master, tty := openPTY(t)
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		got := make([]byte, 64)
		if n, err := master.Read(got); !strings.HasPrefix(string(got[:n]), "on") {
			t.Fatalf("%q %v", got[:n], err)
		}
		return master, cmd
	}
	for _, script := range []string{
		"echo on; read line; echo", "echo on; read line </dev/tty; echo",
	} {
		master, _ := start(script)
		scripttest.Await(t, script, func() bool { return Awaited(int(master.Fd())) })
	}
	// One reads a pipe, the other waits for a child: neither ever reads the terminal.
	for _, script := range []string{"echo on; exec sleep 60 </dev/null", "echo on; sleep 60 | cat"} {
		master, cmd := start(script)
		for range 20 {
			if Awaited(int(master.Fd())) {
				t.Errorf("%s: waits for a line", script)
				break
			}
		}
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if Awaited(int(null.Fd())) || Awaited(-1) {
		t.Error("a program waits at no terminal")
	}
}

// TestReadsFrom takes what /proc may say of a process.
func TestReadsFrom(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "running\n": false, "-1 0x7ffd 0x7f\n": false, "0\n": false, "0 x\n": false,
		"0 0xffffffffffffffff 0x0\n": false, "0 0x7fffffff 0x0\n": false, "x 0x0\n": false,
	} {
		proc := t.TempDir()
		if err := os.WriteFile(proc+"/syscall", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := readsFrom(proc, 0); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if readsFrom(t.TempDir(), 0) {
		t.Error("no process reads")
	}
}
