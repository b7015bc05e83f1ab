package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"ua/internal/test/scripttest"
)

// plain runs a command in a PTY without us, for what is to be compared.
func plain(t *testing.T, argv ...string) string {
	t.Helper()
	c := launch(t, t.TempDir(), nil, argv...)
	c.status()
	return c.text()
}

// Every byte comes out as without us, however it is split.
func TestOutputIsTheSame(t *testing.T) {
	junk := make([]byte, 300<<10)
	seed := uint32(7)
	for i := range junk {
		seed = seed*1664525 + 1013904223
		junk[i] = byte(seed >> 24)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "junk")
	os.WriteFile(file, junk, 0o644)
	for _, script := range []string{
		"stty raw; cat " + file,
		"cat " + file,
		`printf '\033]133;A\007\033]8;;http://x\033\\link\033]8;;\007` +
			`\033Pq#0;2;0;0;0\033\\\377\000\200\033[?1049h'`,
		`for i in 1 2 3 4 5 6 7 8; do printf '\033'; sleep 0.01; printf ']133;'; sleep 0.01; ` +
			`printf 'D;%s\033' $i; sleep 0.01; printf '\\é\342\234'; done`,
		`printf '\033]7283;0123456789abcdef;B\007'; printf '\033]7283'`,
		"seq 20000",
	} {
		want := plain(t, "/bin/sh", "-c", script)
		c := open(t, nil, "--shell", "/bin/sh", "--", "-c", script)
		if got := c.status(); got != 0 {
			t.Errorf("%.60s: status %d", script, got)
		}
		if got := c.text(); got != want {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("%.60s: %d bytes, want %d; they differ at %d: %.40q, want %.40q", script, len(got),
				len(want), at, got[at:], want[at:])
		}
	}
}

// Every byte that is typed comes in.
func TestInputIsTheSame(t *testing.T) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	all = bytes.Repeat(all, 256) // 64 KiB
	file := filepath.Join(t.TempDir(), "in")
	c := open(t, nil, "--shell", "/bin/sh", "--", "-c",
		fmt.Sprintf("stty raw -echo; echo ready; head -c %d > %s", len(all), file))
	c.expect("ready")
	c.send(string(all))
	if got := c.status(); got != 0 {
		t.Fatal(got)
	}
	if got, _ := os.ReadFile(file); !bytes.Equal(got, all) {
		t.Errorf("%d bytes came in, want %d", len(got), len(all))
	}
}

func TestStatus(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 7": 7, "exit 255": 255,
		"kill -9 $$": 137, "kill -15 $$": 143, "kill -1 $$": 129} {
		c := open(t, nil, "--shell", "/bin/sh", "--", "-c", script)
		if got := c.status(); got != want {
			t.Errorf("%s: %d, want %d", script, got, want)
		}
		if got := c.modes(); got != c.before {
			t.Errorf("%s: the terminal has other modes", script)
		}
	}
}

// Where there is no terminal the plain shell runs, with its own status.
func TestNoTerminal(t *testing.T) {
	cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-shell"), "--shell", "bash")
	cmd.Stdin = strings.NewReader("echo $((6*7)); exit 3\n")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	cmd.Run()
	if out.String() != "42\n" || cmd.ProcessState.ExitCode() != 3 ||
		stderr.String() != "ua-shell: not on a terminal: bash is started without it\n" {
		t.Errorf("%q, %q, status %d", out.String(), stderr.String(), cmd.ProcessState.ExitCode())
	}
	c := open(t, []string{"TERM=dumb"}, "--shell", "/bin/sh", "--", "-c", "exit 4")
	if got := c.status(); got != 4 || !strings.Contains(c.text(), "the terminal is dumb") {
		t.Errorf("on a dumb terminal: %d, %q", got, c.text())
	}
	c = open(t, nil, "--shell", "/bin/sh", "--", "-c", "ua-shell --shell /bin/sh -- -c 'exit 5'")
	if got := c.status(); got != 5 || !strings.Contains(c.text(), "this is a ua-shell already") {
		t.Errorf("inside itself: %d, %q", got, c.text())
	}
}

// A start-up file that starts ua-shell comes to an end, whether it looks or not.
func TestStartUpFile(t *testing.T) {
	for _, rc := range []string{"exec ua-shell", "ua-shell", `[ "$UA_SHELL_TTY" ] || exec ua-shell`} {
		home := t.TempDir()
		os.WriteFile(filepath.Join(home, ".bashrc"), []byte(rc+"\n"), 0o644)
		c := openIn(t, home, nil, "--shell", "bash")
		c.until("prompt", func() bool {
			c.send("echo reached=$((20+2))\r")
			time.Sleep(100 * time.Millisecond)
			return strings.Contains(c.text(), "reached=22")
		})
	}
}

// Where ua-shell is the user's own shell, as login(1) starts it, another one runs in it
// as a login shell, and nothing goes round.
func TestLoginShell(t *testing.T) {
	us := filepath.Join(scripttest.Bin(t), "ua-shell")
	for shell, rc := range map[string]string{
		"bash": ".bash_profile", "zsh": ".zprofile", "sh": ".profile",
	} {
		t.Run(shell, func(t *testing.T) {
			scripttest.Need(t, shell)
			home := t.TempDir()
			os.WriteFile(filepath.Join(home, rc), []byte("echo pro''file\n"), 0o644)
			c := launch(t, home, nil, "bash", "-c", "exec -a -ua-shell "+us+" --shell "+shell)
			c.expect("profile\r\n")
			c.send("exit\r")
			c.status()
		})
	}
	c := launch(t, t.TempDir(), []string{"SHELL=" + us}, "bash", "-c", "exec -a -ua-shell "+us)
	c.expect("# asks the agent.")
	c.send("echo $0 $SHELL\r")
	c.expect("/bash\r\n")
	c.send("exit\r")
	c.status()
	for _, args := range [][]string{{"--shell", us}} {
		if out, err := exec.Command(us, args...).CombinedOutput(); err == nil ||
			!strings.Contains(string(out), "is ua-shell itself") {
			t.Errorf("%q, %v", out, err)
		}
	}
}

func TestUsage(t *testing.T) {
	out, err := exec.Command(filepath.Join(scripttest.Bin(t), "ua-shell"), "--shell",
		"no-such").CombinedOutput()
	if want := "ua-shell: \"no-such\": no such shell\n"; string(out) != want ||
		err.(*exec.ExitError).ExitCode() != 127 {
		t.Errorf("%q, %v", out, err)
	}
}

// A storm of resizing ends with the last size, pixels too.
func TestResize(t *testing.T) {
	c := open(t, nil, "--shell", "bash", "--", "--norc")
	c.expect("$ ")
	for i := range 200 {
		pty.Setsize(c.tty, &pty.Winsize{Rows: uint16(20 + i%20), Cols: uint16(60 + i), X: 1, Y: 2})
	}
	pty.Setsize(c.tty, &pty.Winsize{Rows: 33, Cols: 77, X: 616, Y: 528})
	c.until("last size", func() bool {
		c.send("stty size\n")
		time.Sleep(50 * time.Millisecond)
		return strings.Contains(c.text(), "33 77")
	})
	c.send("exit\n")
	c.status()
}

// Jobs stop and go on inside, and so do we when the shell suspends itself.
func TestJobControl(t *testing.T) {
	c := launch(t, t.TempDir(), []string{"PS1=outer$ "}, "bash", "--norc")
	c.expect("outer$ ")
	c.send("before=$(stty -g)\n")
	c.expect("outer$ ")
	c.send("PS1='in''ner$ ' ua-shell --shell bash -- --norc\n")
	c.expect("inner$ ")
	c.send("sleep 1000\n")
	c.expect("sleep 1000\r\n")
	c.foreground("sleep", "1000")
	c.send("\x1a")
	c.expect("Stopped")
	c.expect("inner$ ")
	c.send("fg\n")
	c.expect("sleep 1000\r\n")
	c.foreground("sleep", "1000")
	c.send("\x03")
	c.expect("inner$ ")
	c.send("echo st=$?\n")
	c.expect("st=130")
	c.send("suspend\n")
	c.expect("outer$ ")
	c.send("echo back=$((1+1))\n")
	c.expect("back=2")
	c.send("fg\n")
	c.send("\necho again=$((2+2))\n")
	c.expect("again=4")
	c.send("exit 9\n")
	c.expect("outer$ ")
	c.send("echo out=$?\n")
	c.expect("out=9")
	c.send("[ \"$before\" = \"$(stty -g)\" ] && echo same=$((3+3))\n")
	c.expect("same=6")
	c.send("exit\n")
	c.status()
}

// A signal ends the shell, what runs in it, and us by that signal.
func TestFatalSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		c := open(t, nil, "--shell", "bash", "--", "--norc")
		c.expect("$ ")
		c.send("echo pid=$$=\n")
		c.expect("pid=$$=")
		c.expect("pid=")
		pid, _ := strconv.Atoi(strings.TrimSuffix(c.expect("="), "="))
		c.cmd.Process.Signal(sig)
		if got := c.status(); got != 128+int(sig) {
			t.Errorf("%v: status %d", sig, got)
		}
		c.until("end of the shell", func() bool { return syscall.Kill(pid, 0) != nil })
		if c.modes() != c.before {
			t.Errorf("%v: the terminal has other modes", sig)
		}
	}
}

// A shell that does not heed the signal reads an end, and ends before we do.
func TestHangUp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ended")
	c := open(t, nil, "--shell", "/bin/sh", "--", "-c",
		"trap '' HUP; echo ready; cat; echo >"+file)
	c.expect("ready")
	c.cmd.Process.Signal(syscall.SIGTERM)
	if got := c.status(); got != 128+int(syscall.SIGTERM) {
		t.Errorf("status %d", got)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// After SIGKILL of the shell we restore the terminal.
func TestKill(t *testing.T) {
	c := open(t, nil, "--shell", "bash", "--", "--norc")
	c.expect("$ ")
	c.send("kill -9 $$\n")
	if got := c.status(); got != 137 {
		t.Errorf("status %d", got)
	}
	if c.modes() != c.before {
		t.Error("after SIGKILL of the shell the terminal has other modes")
	}
}
