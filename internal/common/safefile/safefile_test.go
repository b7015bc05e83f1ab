package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.WriteFile(at("file"), []byte("text"), 0o600),
		os.Mkdir(at("folder"), 0o700),
		os.Symlink("file", at("link")),
		os.Symlink("/dev/zero", at("zero")),
		syscall.Mkfifo(at("fifo"), 0o600),
		os.WriteFile(at("hole"), []byte("text"), 0o600),
		os.Truncate(at("hole"), 1<<40),
	); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path  string
		limit int64
		want  error
	}{
		{at("file"), 4, nil},
		{at("file"), 3, ErrTooLarge},
		{at("folder"), 9, fs.ErrInvalid},
		{at("link"), 9, fs.ErrInvalid},
		{at("zero"), 9, fs.ErrInvalid},
		{"/dev/zero", 9, fs.ErrInvalid},
		{at("fifo"), 9, fs.ErrInvalid},
		{at("hole"), 9, fs.ErrInvalid},
		{at("missing"), 9, fs.ErrNotExist},
	} {
		data, err := Read(c.path, c.limit)
		if !errors.Is(err, c.want) || err == nil && string(data) != "text" {
			t.Errorf("%s: %q, %v, want %v", strings.TrimPrefix(c.path, dir), data, err, c.want)
		}
	}
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("kept"), []byte("kept"), 0o600),
		os.Symlink(at("kept"), at("link")), syscall.Mkfifo(at("fifo"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "fifo", "."} {
		if f, err := Create(at(name)); err == nil {
			f.Close()
			t.Errorf("%s was opened", name)
		}
	}
	for _, text := range []string{"much\n", "x\n"} {
		f, err := Create(at("new"))
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString(text)
		f.Close()
	}
	kept, _ := os.ReadFile(at("kept"))
	if text, err := os.ReadFile(at("new")); err != nil || string(text) != "x\n" ||
		string(kept) != "kept" {
		t.Errorf("%q %q %v", text, kept, err)
	}
}

func TestAppend(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.Symlink(at("new"), at("link")),
		syscall.Mkfifo(at("fifo"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "fifo", "."} {
		if f, err := Append(at(name)); err == nil {
			f.Close()
			t.Errorf("%s was opened", name)
		}
	}
	for range 2 {
		f, err := Append(at("new"))
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString("line\n")
		f.Close()
	}
	if text, err := os.ReadFile(at("new")); err != nil || string(text) != "line\nline\n" {
		t.Errorf("%q %v", text, err)
	}
}

// What the user names is opened as it is, but for what only a command leaves behind.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := errors.Join(
		os.WriteFile(at("file"), []byte("text"), 0o600),
		os.Symlink("file", at("link")),
		os.Symlink("/dev/zero", at("zero")),
		os.WriteFile(at("hole"), nil, 0o600),
		os.Truncate(at("hole"), 1<<40),
		os.Symlink("hole", at("to hole")),
		syscall.Mkfifo(at("fifo"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	go func() {
		os.WriteFile(at("fifo"), []byte("text"), 0)
		w.WriteString("text")
		w.Close()
	}()
	for _, c := range []struct {
		path, want string
		limit      int64
		err        error
	}{
		{at("file"), "text", 9, nil},
		{at("link"), "text", 9, nil},
		{at("fifo"), "text", 9, nil},
		{fmt.Sprintf("/dev/fd/%d", r.Fd()), "text", 9, nil},
		{os.DevNull, "", 9, nil},
		{"/dev/zero", "", 9, ErrTooLarge},
		{at("file"), "", 3, ErrTooLarge},
		{at("zero"), "", 9, fs.ErrInvalid},
		{at("hole"), "", 9, fs.ErrInvalid},
		{at("to hole"), "", 9, fs.ErrInvalid},
		{dir, "", 9, fs.ErrInvalid},
		{at("missing"), "", 9, fs.ErrNotExist},
	} {
		data, err := ReadNamed(c.path, c.limit)
		if !errors.Is(err, c.err) || err == nil && string(data) != c.want {
			t.Errorf("%s: %q, %v, want %q, %v", strings.TrimPrefix(c.path, dir), data, err, c.want, c.err)
		}
	}
}
