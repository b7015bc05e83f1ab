package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"ua/internal/test/scripttest"
)

// A console is a terminal with a program in it, as a terminal emulator has one.
type console struct {
	t      *testing.T
	cmd    *exec.Cmd
	tty    *os.File   // our side
	before term.State // of the terminal, before the program
	home   string
	work   string // the folder that the program is started in
	dir    string // of the session's own files
	done   chan struct{}

	pause sync.Mutex // is held while the console takes no output

	mu   sync.Mutex
	out  []byte
	seen int // how much of out has been waited for
}

// patience is how long a test waits for what has to come: a loaded machine is
// slow, and a test that passes never waits so long.
const patience = 60 * time.Second

// open starts ua-shell with the arguments in a console of its own, with a home
// of its own.
func open(t *testing.T, env []string, args ...string) *console {
	t.Helper()
	home := t.TempDir()
	return openIn(t, home, env, args...)
}

func openIn(t *testing.T, home string, env []string, args ...string) *console {
	t.Helper()
	return launch(t, home, env, append([]string{filepath.Join(scripttest.Bin(t), "ua-shell")},
		args...)...)
}

// launch starts any program in a console.
func launch(t *testing.T, home string, env []string, argv ...string) *console {
	t.Helper()
	dir := filepath.Join(home, "run")
	if err := os.MkdirAll(dir, 0o700); err != nil && !os.IsPermission(err) {
		t.Fatal(err)
	}
	work := filepath.Join(home, "work")
	os.MkdirAll(work, 0o755)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = work
	cmd.Env = append([]string{"HOME=" + home, "TERM=xterm-256color", "LANG=C.UTF-8",
		"PATH=" + scripttest.Bin(t) + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
		"XDG_RUNTIME_DIR=" + dir, "SHELL=/bin/bash", "PS1=$ ",
		"HISTFILE=" + filepath.Join(home, "history")}, env...)
	tty, end, err := pty.Open()
	if err == nil {
		err = pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 100, X: 800, Y: 480})
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &console{t: t, cmd: cmd, tty: tty, home: home, work: work, dir: dir,
		done: make(chan struct{})}
	c.before = c.modes()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = end, end, end
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end.Close()
	go c.read()
	t.Cleanup(c.close)
	return c
}

func (c *console) read() {
	defer close(c.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := c.take(buf)
		c.mu.Lock()
		c.out = append(c.out, buf[:n]...)
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// take reads, unless the console takes no output.
func (c *console) take(buf []byte) (int, error) {
	c.pause.Lock()
	defer c.pause.Unlock()
	return c.tty.Read(buf)
}

// close ends what is left: the whole session of the console.
func (c *console) close() {
	c.tty.Close()
	syscall.Kill(c.cmd.Process.Pid, syscall.SIGHUP)
	ended := make(chan struct{})
	go func() { c.cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		syscall.Kill(c.cmd.Process.Pid, syscall.SIGKILL)
		<-ended
	}
}

// text is all output so far.
func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.out)
}

// until waits for a condition and fails the test if it never comes.
func (c *console) until(what string, ok func() bool) {
	c.t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("no %s in\n%q", what, c.text())
		}
	}
}

// quiet waits until nothing has been printed for a while.
func (c *console) quiet() {
	c.t.Helper()
	c.until("quiet", func() bool {
		before := c.text()
		scripttest.NothingFor(200 * time.Millisecond)
		return c.text() == before
	})
}

// reads waits until a program of this console reads its standard input.
func (c *console) reads(words ...string) {
	c.t.Helper()
	line := strings.Join(words, "\x00") + "\x00"
	scripttest.AwaitRead(c.t, 0, func() (pids []int) {
		for pid := range c.programs(line) {
			pids = append(pids, pid)
		}
		return pids
	})
}

// foreground waits until a program of this console has its terminal, by which a key
// reaches it.
func (c *console) foreground(words ...string) {
	c.t.Helper()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		scripttest.NothingFor(200 * time.Millisecond) // another system tells nothing of it
		return
	}
	line := strings.Join(words, "\x00") + "\x00"
	c.until(strings.Join(words, " ")+" in the foreground", func() bool {
		for _, stat := range c.programs(line) {
			if len(stat) > 5 && stat[2] == stat[5] {
				return true
			}
		}
		return false
	})
}

// programs returns what proc_pid_stat(5) says, from the state on, of each process of this
// console whose command line holds the text.
func (c *console) programs(text string) (stats map[int][]string) {
	stats = map[int][]string{}
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range found {
		line, _ := os.ReadFile(path)
		env, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
		stat, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "stat"))
		if _, rest, ok := strings.Cut(string(stat), ") "); ok &&
			strings.Contains(string(line), text) &&
			strings.Contains(string(env), "HOME="+c.home+"\x00") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			stats[pid] = strings.Fields(rest)
		}
	}
	return stats
}

// expect waits for text in the output behind what was expected before, and
// returns what came up to its end.
func (c *console) expect(text string) (before string) {
	c.t.Helper()
	c.until("\""+text+"\"", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		at := bytes.Index(c.out[c.seen:], []byte(text))
		if at < 0 {
			return false
		}
		before = string(c.out[c.seen : c.seen+at+len(text)])
		c.seen += at + len(text)
		return true
	})
	return before
}

// send types.
func (c *console) send(keys string) {
	c.t.Helper()
	for len(keys) > 0 {
		n, err := c.tty.WriteString(keys[:min(len(keys), 1024)])
		if err != nil {
			c.t.Fatal(err)
		}
		keys = keys[n:]
	}
}

// status waits for the program's end and returns its exit status, 128+n for a
// signal.
func (c *console) status() int {
	c.t.Helper()
	ended := make(chan struct{})
	go func() { c.cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(patience):
		c.t.Fatalf("it did not end; the output is\n%q", c.text())
	}
	select {
	case <-c.done:
	case <-time.After(patience):
	}
	ws := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// modes is the line settings of the console.
func (c *console) modes() term.State {
	c.t.Helper()
	var m *term.State
	conn, err := c.tty.SyscallConn()
	if err == nil {
		conn.Control(func(fd uintptr) { m, err = term.GetState(int(fd)) })
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return *m
}
