package relay

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A line is a Relay that runs between two files of a test.
type line struct {
	*Relay
	keys, screen, shell *os.File // the user's, and the shell's end of the PTY
	over                chan struct{}
}

// laid lays a line. The socket stands for a PTY: both take bytes in both directions, and
// no more than there is room for.
func laid(t *testing.T) *line {
	t.Helper()
	keysR, keysW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	screenR, screenW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.CloseOnExec(pair[0])
	unix.CloseOnExec(pair[1])
	r, err := New(int(keysR.Fd()), int(screenW.Fd()), pair[0])
	if err != nil {
		t.Fatal(err)
	}
	l := &line{Relay: r, keys: keysW, screen: screenR, shell: os.NewFile(uintptr(pair[1]), "shell"),
		over: make(chan struct{})}
	t.Cleanup(func() {
		r.Post(r.End)
		<-l.over
		for _, f := range []*os.File{keysR, keysW, screenR, screenW, l.shell} {
			f.Close()
		}
		r.Close()
	})
	return l
}

// run runs the line.
func (l *line) run() *line {
	go func() {
		l.Run()
		close(l.over)
	}()
	return l
}

// do has the Relay's goroutine do something, and waits for it.
func (l *line) do(f func()) {
	done := make(chan struct{})
	l.Post(func() { f(); close(done) })
	<-done
}

// text is bytes that tell where each is.
func text(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(r.IntN(256))
	}
	return b
}

// TestRelay: all bytes pass both ways at once, in order and whatever the pieces are, though
// each side takes them only now and then.
func TestRelay(t *testing.T) {
	l := laid(t).run()
	for _, way := range []struct {
		name     string
		from, to *os.File
	}{{"keys", l.keys, l.shell}, {"output", l.shell, l.screen}} {
		want := text(1 << 20)
		go func() {
			r := rand.New(rand.NewPCG(3, 4))
			for rest := want; len(rest) > 0; {
				n := min(1+r.IntN(100_000), len(rest))
				if _, err := way.from.Write(rest[:n]); err != nil {
					return
				}
				rest = rest[n:]
			}
		}()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(way.to, got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: other bytes, %v", way.name, err)
		}
	}
}

// TestStalledScreen: a terminal that takes nothing keeps neither keys nor posted functions
// from passing, and gets all of it later.
func TestStalledScreen(t *testing.T) {
	l := laid(t).run()
	want := text(3 << 20)
	go l.shell.Write(want)
	for range 3 { // nobody reads the screen
		if _, err := l.keys.WriteString("key"); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 3)
		if _, err := io.ReadFull(l.shell, got); err != nil || string(got) != "key" {
			t.Fatalf("%q %v", got, err)
		}
		l.do(func() {})
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(l.screen, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("other bytes, %v", err)
	}
}

// TestHold: what the shell prints waits until it is let go.
func TestHold(t *testing.T) {
	l := laid(t).run()
	l.do(func() { l.Hold(true) })
	if _, err := l.shell.WriteString("held"); err != nil {
		t.Fatal(err)
	}
	var seen []byte
	l.do(func() { l.Output = func(p []byte) { seen = append(seen, p...); l.Print(p) } })
	l.do(func() { l.Print([]byte("ours ")) })
	l.do(func() {
		if len(seen) > 0 {
			t.Errorf("%q has passed", seen)
		}
		l.Hold(false)
	})
	got := make([]byte, len("ours held"))
	if _, err := io.ReadFull(l.screen, got); err != nil || string(got) != "ours held" {
		t.Errorf("%q %v", got, err)
	}
}

// TestPost: functions are called in the order in which each goroutine posts them, and those
// that they post too.
func TestPost(t *testing.T) {
	l := laid(t).run()
	var got []string
	done := make(chan struct{})
	for _, word := range strings.Fields("a b c d e f") {
		l.Post(func() {
			got = append(got, word)
			if word == "b" {
				l.Post(func() {
					got = append(got, "later")
					close(done)
				})
			}
		})
	}
	<-done
	l.do(func() {
		own := slices.DeleteFunc(got, func(word string) bool { return word == "later" })
		if text := strings.Join(own, " "); text != "a b c d e f" {
			t.Errorf("%s", text)
		}
	})
}

// TestHangup is called once when the keys end, and when the screen is gone.
func TestHangup(t *testing.T) {
	for _, what := range []string{"keys", "screen"} {
		l := laid(t)
		hung := make(chan bool, 9)
		l.Hangup = func() { hung <- true }
		l.run()
		if what == "keys" {
			l.keys.Close()
		} else {
			l.screen.Close()
			l.shell.WriteString("x")
		}
		<-hung
		l.do(func() {})
		if len(hung) > 0 {
			t.Errorf("%s: called again", what)
		}
		// The shell's side goes on: what it prints is taken, and lost.
		if what == "screen" {
			if _, err := l.shell.Write(text(1 << 20)); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// TestDrain passes on what the shell has left at its end.
func TestDrain(t *testing.T) {
	l := laid(t)
	close(l.over)
	want := text(30_000)
	if _, err := l.shell.Write(want); err != nil {
		t.Fatal(err)
	}
	l.shell.Close()
	l.Hold(true)
	l.Drain()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(l.screen, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("other bytes, %v", err)
	}
	l.Type([]byte("x")) // hits nobody
}
