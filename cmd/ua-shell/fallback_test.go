package main

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-shell/internal/agent"
	"ua/cmd/ua-shell/internal/relay"
	"ua/cmd/ua-shell/internal/screen"
	"ua/cmd/ua-shell/internal/shell"
)

// beside is a fallback whose shell is a socket: where no PTY tells who reads, it is the
// shell itself. typed is what the shell has been given since it was last asked.
func beside(t *testing.T) (f *fallback, typed func() string) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := relay.New(int(null.Fd()), int(null.Fd()), pair[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		null.Close()
		unix.Close(pair[0])
		unix.Close(pair[1])
	})
	f = &fallback{wrapper: &wrapper{relay: r, child: &shell.Child{PID: os.Getpid(), PTY: pair[0]}},
		show: screen.New(false, func() (int, int) { return 80, 24 }, func([]byte) {})}
	return f, func() string {
		var text []byte
		buf := make([]byte, 4096)
		for {
			n, _, err := unix.Recvfrom(pair[1], buf, unix.MSG_DONTWAIT)
			if n <= 0 || err != nil {
				return string(text)
			}
			text = append(text, buf[:n]...)
		}
	}
}

// TestFallbackLines: which lines are for ua, as far as keys tell.
func TestFallbackLines(t *testing.T) {
	for _, c := range []struct{ name, keys, want string }{
		{"for ua", "## do it", "do it"}, {"without a blank", "##do it", "do it"},
		{"for the shell", "# do it", ""}, {"a command", "ls ## x", ""},
		{"nothing", "", ""}, {"nothing to do", "##", ""}, {"blanks", "##   ", ""},
		{"a blank first", " ## x", ""},
		{"taken back", "x\x7f## a", "a"}, {"with Ctrl-H", "x\b## a", "a"},
		{"of many bytes", "漢\x7f## ü漢\x7fb", "üb"}, {"taken back too much", "\x7f\x7f## a", "a"},
		{"Ctrl-U", "ls\x15## a", "a"}, {"Ctrl-C", "ls\x03## a", "a"},
		{"an arrow", "## a\x1b[D", ""}, {"completed", "## a\tb", ""}, {"from the history", "\x1b[A", ""},
		{"Ctrl-W", "## a\x17", ""}, {"an arrow, then Ctrl-U", "\x1b[A\x15## a", "a"},
		{"no UTF-8", "## \xff", "\xff"},
	} {
		f, _ := beside(t)
		for rest := c.keys; len(rest) > 0; {
			r := []rune(rest)[0]
			n := max(1, len(string(r)))
			if strings.HasPrefix(rest, "\xff") {
				n = 1
			}
			f.key(r, []byte(rest[:n]))
			rest = rest[n:]
		}
		if got := f.entered(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if len(f.line) > 0 || f.unknown || f.entered() != "" {
			t.Errorf("%s: %q is left", c.name, f.line)
		}
	}
}

// TestFallbackPasses: all keys but those for a running ua pass as they came.
func TestFallbackPasses(t *testing.T) {
	for _, keys := range []string{
		"ls\r", "a\x1b[A\x03\x00\xff", "# x\r", "ü", "\x1b[200~paste\nof lines\x1b[201~\r",
		strings.Repeat("x", 100),
	} {
		f, typed := beside(t)
		f.input([]byte(keys))
		if got := typed(); got != keys || f.program != nil || len(f.held) > 0 {
			t.Errorf("%.40q: %.40q, held %q", keys, got, f.held)
		}
		g, typed := beside(t)
		for i := range len(keys) { // byte by byte
			g.input([]byte{keys[i]})
		}
		if got := typed(); got != keys {
			t.Errorf("%.40q byte by byte: %.40q", keys, got)
		}
	}
}

// TestFallbackHolds: while ua runs, what is typed waits, up to a bound; what a terminal
// answers by itself does not.
func TestFallbackHolds(t *testing.T) {
	f, typed := beside(t)
	process, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	f.program = process
	f.input([]byte("abc\x1b[5;7R"))
	f.input([]byte("d\r"))
	if got := string(f.held); got != "abcd\r" {
		t.Errorf("held %q", got)
	}
	f.relay.Type([]byte("|"))
	if got := typed(); got != "\x1b[5;7R|" {
		t.Errorf("passed %q", got)
	}
	f.input([]byte(strings.Repeat("x", agent.MaxHeld+100)))
	if len(f.held) != agent.MaxHeld {
		t.Errorf("%d are held, at most %d", len(f.held), agent.MaxHeld)
	}
	// At its end the shell draws its prompt anew and gets what was held.
	f.held = []byte("ls\r")
	f.ended()
	if got := typed(); got != "\rls\r" || f.program != nil || len(f.held) > 0 {
		t.Errorf("%q, held %q", got, f.held)
	}
}

// TestFallbackCwd: ua starts in the shell's folder.
func TestFallbackCwd(t *testing.T) {
	f, _ := beside(t)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if got := f.cwd(); got != dir {
		t.Errorf("%q, want %q", got, dir)
	}
	f.child.PID = 1 << 30 // which the system does not tell
	if got := f.cwd(); got != dir {
		t.Errorf("%q", got)
	}
}
