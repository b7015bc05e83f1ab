package main

import (
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/tree"
)

// TestSide has the two ends of a conflict as text.

func TestSide(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local).UnixNano()
	for _, c := range []struct {
		file *tree.File
		want string
	}{
		{nil, "nothing"},
		{&tree.File{Type: tree.Regular, Size: 1, Mode: 0o644, Mtime: tree.Stamp(at)},
			"file of 1 byte, mode 0644, of 2026-01-02 03:04:05"},
		{&tree.File{Type: tree.Regular, Size: 6, Mode: 0o4755, Mtime: tree.Stamp(at)},
			"file of 6 bytes, mode 4755, of 2026-01-02 03:04:05"},
		{&tree.File{Type: tree.Folder, Mode: 0o700, Mtime: tree.Stamp(at)},
			"folder, mode 0700, of 2026-01-02 03:04:05"},
		{&tree.File{Type: tree.Folder}, "folder"},
		{&tree.File{Type: tree.Symlink, Target: "a\n\x1b[2J"}, `link to "a\n\x1b[2J"`},
	} {
		if got := side(c.file); got != c.want {
			t.Errorf("%+v: %q, want %q", c.file, got, c.want)
		}
	}
}

func TestAge(t *testing.T) {
	for ago, want := range map[time.Duration]string{
		0: "0s", 59 * time.Second: "59s", time.Minute: "1m", 59 * time.Minute: "59m", time.Hour: "1h",
		-400 * time.Hour: "0s", // a clock that was set back
		47 * time.Hour:   "47h", 48 * time.Hour: "2d", 1000 * time.Hour: "41d",
	} {
		if got := age(tree.Stamp(time.Now().Add(-ago - 200*time.Millisecond).UnixNano())); got != want {
			t.Errorf("%v ago: %q, want %q", ago, got, want)
		}
	}
}

func TestTitle(t *testing.T) {
	for _, c := range []struct {
		command []tree.Name
		title   tree.Name
		want    string
	}{
		{nil, "", ""}, {[]tree.Name{"make", "install"}, "", "make install"},
		{[]tree.Name{"sh", "-c", "a\nb"}, "", "sh -c a; b"},
		{[]tree.Name{"ua-sandbox", "--", "make"}, "make\nall", "make; all"},
	} {
		of := &try.Try{Meta: try.Meta{Command: c.command, Title: c.title}}
		if got := title(of); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.command, c.title, got, c.want)
		}
	}
}

// TestAbsolute follows links on the way to a path, but not the path's own.

func TestAbsolute(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	unix.Mkdir("real", 0o700)
	unix.Symlink("real", "link")
	for word, want := range map[string]string{
		"a": "/a", "./a": "/a", "real/a": "/real/a", "link/a": "/real/a", "link": "/link",
		"link/": "/real",
		".":     "", "link/.": "/real", "real/..": "", "gone/a": "/gone/a", dir + "/link/x": "/real/x",
	} {
		got, err := absolute([]string{word})
		if err != nil || len(got) != 1 || string(got[0]) != dir+want {
			t.Errorf("%q: %q, %v; want %q", word, got, err, dir+want)
		}
	}
}

func TestLooksLikeID(t *testing.T) {
	t.Chdir(t.TempDir())
	unix.Mkdir("20260101-file", 0o700)
	for word, want := range map[string]bool{"20260101-000000-aaaaaa": true, "20260101": true,
		"2026": false,
		"a":    false, "20260101-file": false, "2026010x": false} {
		if got := looksLikeID(word); got != want {
			t.Errorf("%q: %v", word, got)
		}
	}
}
