package terminal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// openPTY returns a terminal and its other side.
func openPTY(t *testing.T) (master, tty *os.File) {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close(); tty.Close() })
	return master, tty
}

func modesOf(t *testing.T, f *os.File) unix.Termios {
	t.Helper()
	m, err := Modes(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return *m
}

// TestOpen: a terminal is one at both ends.
func TestOpen(t *testing.T) {
	_, tty := openPTY(t)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	closed, err := os.Create(filepath.Join(t.TempDir(), "closed"))
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	defer null.Close()
	defer r.Close()
	defer w.Close()
	for name, c := range map[string]struct {
		in, out *os.File
		want    bool
	}{
		"both": {tty, tty, true}, "input from a pipe": {r, tty, false},
		"output to a pipe": {tty, w, false}, "a device": {null, tty, false},
		"to a device": {tty, null, false}, "closed": {closed, tty, false},
		"output closed": {tty, closed, false},
	} {
		got := Open(c.in, c.out)
		if (got != nil) != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if got != nil && (got.In() != int(c.in.Fd()) || got.Out() != int(c.out.Fd())) {
			t.Errorf("%s: descriptors %d and %d", name, got.In(), got.Out())
		}
	}
}

// TestRaw: every byte passes as it comes, and the terminal is afterwards as it was, with
// settings of the user's own.
func TestRaw(t *testing.T) {
	master, tty := openPTY(t)
	own := modesOf(t, tty)
	own.Cc[unix.VINTR], own.Lflag = 7, own.Lflag&^unix.ECHOE
	if err := SetModes(int(tty.Fd()), &own); err != nil {
		t.Fatal(err)
	}
	was := modesOf(t, tty)
	term := Open(tty, tty)
	term.Restore() // not raw yet: nothing to do
	if now := modesOf(t, tty); now != was {
		t.Errorf("restored before it was raw: %+v", now)
	}
	for range 2 { // raw twice is raw
		if err := term.Raw(); err != nil {
			t.Fatal(err)
		}
	}
	const keys = "\x03\x04\x1a\r\n\x7f\x00\xff\x11\x13\x16"
	if _, err := master.WriteString(keys); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 64)
	for n := 0; n < len(keys); {
		more, err := tty.Read(got[n:])
		if n += more; err != nil || string(got[:n]) != keys[:n] {
			t.Fatalf("%q %v", got[:n], err)
		}
	}
	const text = "a\nb\x00\xff"
	if _, err := tty.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if n, err := master.Read(got); string(got[:n]) != text {
		t.Errorf("printed %q %v: echoed, or with returns", got[:n], err)
	}
	term.Restore()
	if now := modesOf(t, tty); now != was {
		t.Errorf("%+v\nwas\n%+v", now, was)
	}
	// What somebody else sets later is not undone by a second Restore.
	own.Cc[unix.VINTR] = 9
	if err := SetModes(int(tty.Fd()), &own); err != nil {
		t.Fatal(err)
	}
	want := modesOf(t, tty)
	if term.Restore(); modesOf(t, tty) != want {
		t.Error("restored twice")
	}
	tty.Close()
	if err := term.Raw(); err == nil {
		t.Error("a closed terminal is raw")
	}
	if _, err := Modes(-1); err == nil {
		t.Error("no terminal has modes")
	}
}

// TestName tells terminals apart, and from what is none.
func TestName(t *testing.T) {
	_, one := openPTY(t)
	_, two := openPTY(t)
	again, err := os.OpenFile(one.Name(), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	a, b := Name(int(one.Fd())), Name(int(two.Fd()))
	if a == "" || a == b || Name(int(again.Fd())) != a {
		t.Errorf("%q, %q and again %q", a, b, Name(int(again.Fd())))
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for what, fd := range map[string]int{
		"a pipe": int(r.Fd()), "a file": int(file.Fd()), "none": -1,
	} {
		if got := Name(fd); got != "" {
			t.Errorf("%s: %q", what, got)
		}
	}
}
