package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"ua/internal/test/scripttest"
)

// A wrap is a way to run a script of sh in a terminal.
type wrap func(t *testing.T, script string) *console

func underScript(t *testing.T, script string) *console {
	return launch(t, t.TempDir(), []string{"SHELL=/bin/sh"}, "script", "-qfec", script, "/dev/null")
}

func underUs(t *testing.T, script string) *console {
	return open(t, []string{"SHELL=/bin/sh"}, "--shell", "/bin/sh", "--", "-c", script)
}

// differ is a short account of where two texts differ, "" if nowhere.
func differ(got, want string) string {
	if got == want {
		return ""
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	return fmt.Sprintf("%d bytes, want %d; they differ at %d: %.60q, want %.60q", len(got), len(want),
		at, got[at:], want[at:])
}

// typed is what is typed to a program that says that it is ready.
func typed(keys string) [][2]string { return [][2]string{{"ready\r\n", keys}} }

// What a program prints, what the terminal makes of keys, and the status are what
// they are under script(1).
func TestAsUnderScript(t *testing.T) {
	scripttest.Need(t, "script", "awk", "od", "stty")
	dir := t.TempDir()
	all := make([]byte, 0, 256*256)
	for i := range 256 * 256 {
		all = append(all, byte(i/256^i))
	}
	os.WriteFile(filepath.Join(dir, "all"), all, 0o644)
	os.WriteFile(filepath.Join(dir, "utf8"),
		[]byte(strings.Repeat("é€😀\u0301\u202e", 20_000)), 0o644)
	for _, c := range []struct {
		name, script string
		// What is awaited, and what is typed then. A program may answer a line before the
		// terminal echoes the next one, so that each answer is awaited.
		keys [][2]string
	}{
		{"all bytes", "stty -opost; cat " + dir + "/all", nil},
		{"UTF-8 over the ends of buffers", "cat " + dir + "/utf8", nil},
		{"OSC", `printf '\033]0;title\007\033]8;;http://x\033\\l\033]8;;\007` +
			`\033]52;c;eA==\007\033]133;A\033\\\033]133;D;7\007\033]633;A\007` +
			`\033]1337;SetMark\007\033]7;file:///tmp\007'`, nil},
		{"strings", `printf '\033Pq#0;2;0;0;0#0~~@@vv\033\\\033_Ga=T;` +
			`AAAA\033\\\033^pm\033\\\033Xsos\033\\\220\233\234\235'`, nil},
		{"modes", `printf '\033[?1049h\033[?1000;1006h\033[?2004h\033[>4;` +
			`2m\033[=5u\033[?2026h\033[6n\033[c\033[?1049l'`, nil},
		{"torn", `for c in '\033' ']' '1' '33' ';' '\033' '[' '?' '20' '04' 'h' '\303' '\251' ` +
			`'\033]7283;' 'x' '\007' '\033'; do printf "$c"; sleep 0.003; done`, nil},
		{"statuses", "(exit 3); echo $?; kill -TERM $$", nil},
		{"echo", "echo ready; head -c 8 | od -c", typed("ab\x7fc\xc3\xa9d\x04\x1b[A\n")},
		{"no echo", "stty -echo; echo ready; read x; stty echo; echo \"got $x\"", typed("secret\n")},
		{"line editing of the kernel", "echo ready; head -n 1 | od -c",
			typed("ab cd\x17ef\x15x\x16\x03y\x16\x1bz\n")},
		{"every key", "stty raw -echo; printf 'ready\\r\\n'; head -c 256 | od -An -tx1",
			typed(string(all[:256]))},
		{"interrupt", "trap 'sleep 0.1; echo INT; exit 5' INT; echo ready; while :; do :; done",
			typed("\x03")},
		{"quit", "ulimit -c 0; trap 'sleep 0.1; echo QUIT; exit 6' QUIT; echo ready; " +
			"while :; do :; done",
			typed("\x1c")},
		{"end of file", "echo ready; cat; echo over",
			[][2]string{{"ready\r\n", "one\n"}, {"one\r\none\r\n", "two\x04\x04\x04"}}},
		{"flow control", "echo ready; head -n 1; echo more", typed("\x13abc\n\x11")},
		{"size", "stty size; stty -a | head -n 3", nil},
		{"modes of the terminal", "stty -g", nil},
		{"a terminal everywhere",
			"test -t 0 && test -t 1 && test -t 2 && echo x >/dev/tty; ls /proc/self/fd", nil},
		{"limits", "ulimit -a | grep -v pending; umask", nil},
		{"signals as they were", "grep -E 'SigIgn|SigBlk' /proc/self/status", nil},
		{"leader of a session",
			"ps -o pid=,sid=,tpgid= -p $$ | awk '{ print ($1 == $2), ($1 == $3) }'", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run := func(w wrap) (string, int) {
				console := w(t, c.script)
				for _, k := range c.keys {
					console.expect(k[0])
					console.send(k[1])
				}
				status := console.status()
				return console.text(), status
			}
			want, wantStatus := run(underScript)
			got, status := run(underUs)
			if d := differ(got, want); d != "" || status != wantStatus {
				t.Errorf("%s; status %d, want %d", d, status, wantStatus)
			}
		})
	}
}

// A megabyte that is pasted comes in whole, into a program that reads keys and into
// one that reads lines.
func TestLargePaste(t *testing.T) {
	line := strings.Repeat("0123456789abcdef", 60) + "\n"
	text := strings.Repeat(line, 1<<20/len(line))
	for name, script := range map[string]string{
		"raw":   "stty raw -echo; echo ready; head -c %d > %s",
		"lines": "stty -echo; echo ready; head -c %d > %s",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "in")
			c := underUs(t, fmt.Sprintf(script, len(text), file))
			c.expect("ready")
			c.send(text)
			if got := c.status(); got != 0 {
				t.Fatal(got)
			}
			if got, _ := os.ReadFile(file); string(got) != text {
				t.Error(differ(string(got), text))
			}
		})
	}
}

// What is pasted into a line editor, in brackets, is one line of it.
func TestLargePasteIntoShell(t *testing.T) {
	scripttest.Need(t, "bash")
	a := askIn(t, "bash", "text: x")
	text := strings.Repeat("0123456789abcdef", 16<<10)
	a.send("\x1b[200~printf %s " + text + " | wc -c\x1b[201~\r")
	a.expect(strconv.Itoa(len(text)) + "\r\n")
}

// A terminal without a size has none inside either.
func TestNoSize(t *testing.T) {
	c := launch(t, t.TempDir(), nil, "sh", "-c",
		"stty rows 0 cols 0; ua-shell --shell /bin/sh -- -c 'stty size'; exec ua-shell --shell bash")
	c.expect("0 0\r\n")
	c.expect("# asks the agent.")
	c.send("stty size\r")
	c.expect("0 0\r\n")
	c.send("exit\r")
	if got := c.status(); got != 0 {
		t.Error(got)
	}
}

// Output loses nothing while the terminal changes its size without end.
func TestOutputWhileResizing(t *testing.T) {
	c := underUs(t, "seq 1 200000")
	for i := 0; ; i++ {
		pty.Setsize(c.tty, &pty.Winsize{Rows: uint16(20 + i%20), Cols: uint16(60 + i%60)})
		select {
		case <-c.done:
		default:
			continue
		}
		break
	}
	if got := c.status(); got != 0 {
		t.Error(got)
	}
	var want bytes.Buffer
	for i := range 200_000 {
		fmt.Fprintf(&want, "%d\r\n", i+1)
	}
	if d := differ(c.text(), want.String()); d != "" {
		t.Error(d)
	}
}

// Stopped from outside, by either signal, we leave the terminal to whoever started us,
// and go on as if nothing had been.
func TestStoppedFromOutside(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTSTP, syscall.SIGSTOP} {
		t.Run(sig.String(), func(t *testing.T) {
			c := launch(t, t.TempDir(), []string{"PS1=outer$ "}, "bash", "--norc")
			c.expect("outer$ ")
			c.send("stty -g >modes; PS1='in''ner$ ' ua-shell --shell bash -- --norc\n")
			c.expect("inner$ ")
			inner := stagesOf(c.cmd.Process.Pid, "ua-shell")
			if len(inner) != 1 {
				t.Fatalf("%v", inner)
			}
			c.send("until [ -e go ]; do sleep 0.1; done; echo went=$((1+1))\n")
			c.expect("echo went=")
			syscall.Kill(inner[0], sig)
			c.expect("Stopped")
			c.expect("outer$ ")
			os.WriteFile(filepath.Join(c.work, "go"), nil, 0o644)
			c.send("stty -g | cmp - modes && echo sa''me\n")
			c.expect("same\r\n")
			c.send("fg\n")
			c.expect("went=2\r\n")
			c.send("stty size; exit 8\n")
			c.expect("24 100\r\n")
			c.expect("outer$ ")
			c.send("echo out=$?; stty -g | cmp - modes && echo st''ill\n")
			c.expect("out=8\r\n")
			c.expect("still\r\n")
			c.send("exit\n")
			c.status()
		})
	}
}

// When the terminal vanishes, as that of a window that is killed, the shell and we do,
// and nothing is left.
func TestTerminalVanishes(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		scripttest.Need(t, "script", shell)
		c := launch(t, t.TempDir(), []string{"SHELL=/bin/sh"}, "script", "-qfc",
			"exec ua-shell --shell "+shell+" --debug-osc ../osc", "/dev/null")
		c.marked(filepath.Join(c.home, "osc"), "B", 1)
		us := stagesOf(c.cmd.Process.Pid, "ua-shell")
		if len(us) != 1 {
			t.Fatalf("%v", us)
		}
		shells := stagesOf(us[0], shell)
		if len(shells) != 1 {
			t.Fatalf("%v", shells)
		}
		c.cmd.Process.Kill()
		c.until("end of all", func() bool {
			left, _ := filepath.Glob(c.dir + "/ua-shell-*")
			return syscall.Kill(us[0], 0) != nil && syscall.Kill(shells[0], 0) != nil && len(left) == 0
		})
	})
}

// SIGHUP and SIGINT, which nohup(1) and shells without job control have their programs
// ignore, are ignored inside, too.
func TestIgnoredSignals(t *testing.T) {
	ignored := func(argv ...string) string {
		c := launch(t, t.TempDir(), nil, append([]string{"sh", "-c",
			`trap '' HUP INT; exec "$@"`, "sh"}, argv...)...)
		c.status()
		return c.text()
	}
	const script = "grep SigIgn /proc/self/status"
	want := ignored("/bin/sh", "-c", script)
	if got := ignored("ua-shell", "--shell", "/bin/sh", "--", "-c", script); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
