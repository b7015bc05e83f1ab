package jobs

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLast(t *testing.T) {
	long := strings.Repeat("x", RingBytes+10)
	for _, c := range []struct {
		text  string
		lines int
		want  string
	}{
		{"", 3, ""}, {"a", 3, "a"}, {"a\nb\n", 1, "b\n"}, {"a\nb\nc", 2, "b\nc"},
		{"a\nb\n", 9, "a\nb\n"}, {"\n\n\n", 2, "\n\n"}, {long, 1, long[10:]},
	} {
		if got := string(Last([]byte(c.text), c.lines)); got != c.want {
			t.Errorf("%.20q, %d: %.20q, want %.20q", c.text, c.lines, got, c.want)
		}
	}
}

func FuzzLast(f *testing.F) {
	f.Add([]byte("a\nb\nc"), 2)
	f.Fuzz(func(t *testing.T, b []byte, lines int) {
		got := Last(b, lines)
		if !bytes.HasSuffix(b, got) || lines > 0 && bytes.Count(got, []byte("\n")) > lines {
			t.Errorf("%q, %d: %q", b, lines, got)
		}
	})
}

// TestAddress listens in a folder whose path is too long for a socket's address.
func TestAddress(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("d", 200))
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if Address(dir, Socket) == filepath.Join(path, Socket) {
		return // a system that has no such way
	}
	l, err := net.Listen("unix", Address(dir, Socket))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := os.Lstat(filepath.Join(path, Socket)); err != nil {
		t.Error(err)
	}
}

// TestName: a job is named as its record's file is.
func TestName(t *testing.T) {
	for path, want := range map[string]string{
		"/run/out/j1.job": "j1", "j1.job": "j1", "a.job.job": "a.job",
		"/x.job/j2": "j2", "": ".", "/out/.job": "",
	} {
		if got := Name(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

func TestInFolder(t *testing.T) {
	for dir, want := range map[string]string{
		"":          "ls",
		"/here":     "ls",
		"/a":        "cd -- '/a' || exit\nls",
		"/a'b;rm *": `cd -- '/a'\''b;rm *' || exit` + "\nls",
		"-x":        "cd -- '-x' || exit\nls",
	} {
		if got := InFolder(dir, "/here", "ls"); got != want {
			t.Errorf("%q: %q", dir, got)
		}
	}
}
