package descriptor

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nonblocking makes the other descriptors of an open file non-blocking, as another program
// does that has it.
func nonblocking(t *testing.T, f *os.File) {
	t.Helper()
	conn, err := f.SyscallConn()
	if err == nil {
		control := conn.Control(func(fd uintptr) { err = syscall.SetNonblock(int(fd), true) })
		err = errors.Join(control, err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// blockingPipe returns a pipe whose ends Go takes for blocking ones.
func blockingPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	var p [2]int
	if err := syscall.Pipe(p[:]); err != nil {
		t.Fatal(err)
	}
	r, w = os.NewFile(uintptr(p[0]), "r"), os.NewFile(uintptr(p[1]), "w")
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// TestSteady sends more than a pipe holds through one whose ends become non-blocking, and
// through one of Go's own.
func TestSteady(t *testing.T) {
	r, w := blockingPipe(t)
	nonblocking(t, r)
	nonblocking(t, w)
	steady(t, r, w)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	steady(t, r, w)
}

// steady sends a long text through the pipe.
func steady(t *testing.T, r, w *os.File) {
	text := []byte(strings.Repeat("a line of some length\n", 50_000))
	written := make(chan error)
	got := make(chan []byte)
	go func() {
		b, err := io.ReadAll(Reader(r))
		if err != nil {
			t.Error(err)
		}
		got <- b
	}()
	go func() {
		n, err := Writer(w).Write(text)
		if n != len(text) {
			t.Errorf("%d bytes of %d", n, len(text))
		}
		w.Close()
		written <- err
	}()
	if err := <-written; err != nil {
		t.Error(err)
	}
	if b := <-got; !bytes.Equal(b, text) {
		t.Errorf("%d bytes of %d have come", len(b), len(text))
	}
}

// TestErrors: what is no lack of room stays an error, and what is no file is left alone.
func TestErrors(t *testing.T) {
	r, w := blockingPipe(t)
	nonblocking(t, w)
	r.Close()
	if _, err := Writer(w).Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("nobody reads: %v", err)
	}
	w.Close()
	if _, err := Writer(w).Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	var b bytes.Buffer
	if Writer(&b) != io.Writer(&b) || Reader(&b) != io.Reader(&b) {
		t.Error("a buffer is no file")
	}
}

// HungUp returns when the last reader is gone, and not before, whether the write end blocks
// or not.
func TestHungUp(t *testing.T) {
	for _, nonblocking := range []bool{false, true} {
		var p [2]int
		if err := syscall.Pipe(p[:]); err != nil {
			t.Fatal(err)
		}
		if err := syscall.SetNonblock(p[1], nonblocking); err != nil {
			t.Fatal(err)
		}
		r, w := os.NewFile(uintptr(p[0]), "pipe"), os.NewFile(uintptr(p[1]), "pipe")
		defer w.Close()
		gone := make(chan struct{})
		go func() { HungUp(w); close(gone) }()
		select {
		case <-gone:
			t.Fatalf("non-blocking %v: there is a reader", nonblocking)
		case <-time.After(20 * time.Millisecond):
		}
		if _, err := w.WriteString("a line\n"); err != nil {
			t.Errorf("non-blocking %v: write: %v", nonblocking, err)
		}
		r.Close()
		<-gone
	}
}

func TestHungUpNow(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	conn := server.(*net.UnixConn)
	if HungUpNow(conn) {
		t.Error("the other end is open")
	}
	client.Close()
	if _, err := io.ReadAll(server); err != nil || !HungUpNow(conn) {
		t.Errorf("the other end is closed: %v", err)
	}
	conn.Close()
	if !HungUpNow(conn) {
		t.Error("our own end is closed")
	}
}
