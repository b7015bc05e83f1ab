//go:build linux

// Package trytest makes tries for tests without a mount. Their upper layers are written
// by hand.
package trytest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/tree"
)

// A Desk is a folder and a try of it whose upper layer is written by hand, in lines. "a
// text" is a file, "d/" a folder, "l -> to" a link, "a =b" another name of b, and "a !" a
// mark that a is deleted. In an edit of the folder itself, "a !" deletes a.
type Desk struct {
	*testing.T
	Try  *try.Try
	Work string
}

// New makes a folder in work and a try of it in state, which becomes the state folder.
func New(t *testing.T, state, work, before, upper string) *Desk {
	d := &Desk{T: t, Work: filepath.Join(work, "work")}
	t.Setenv("XDG_STATE_HOME", state)
	made, err := try.New("", "")
	if err != nil {
		t.Fatal(err)
	}
	d.Try = made
	made.Cwd, made.Xattrs, made.Command = tree.Name(d.Work), "user", []tree.Name{"test"}
	made.Covers = []try.Cover{{Path: tree.Name(d.Work), Layer: "layers/0"}}
	os.MkdirAll(made.Upper(0), 0o755)
	os.Mkdir(d.Work, 0o755)
	d.Edit(d.Work, before)
	was, _ := tree.Lstat(d.Work)
	At(made.Upper(0)).SetMtime(was.Mtime)
	made.Began = d.Tick()
	if err := made.Save(); err != nil {
		t.Fatal(err)
	}
	d.Edit(made.Upper(0), upper)
	At(made.Upper(0)).SetMtime(was.Mtime)
	d.Tick()
	return d
}

// At returns the place of a file, whose folder is there. It stays open until the test ends.
func At(path string) tree.Place {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return tree.Place{}
	}
	r, err := tree.Open(dir)
	if err != nil {
		return tree.Place{}
	}
	return r.At(filepath.Base(path))
}

// Tick waits until the clock of the file system has moved, and returns its time. What was
// done before has an earlier time, and what is done afterwards has no earlier one.
func (d *Desk) Tick() tree.Stamp {
	path := filepath.Join(filepath.Dir(d.Work), "clock")
	for first := tree.Stamp(0); ; {
		os.WriteFile(path, nil, 0o600)
		os.Chmod(path, 0o600)
		f, err := tree.Lstat(path)
		if err != nil {
			d.Fatal(err)
		}
		if first != 0 && f.Ctime > first {
			return f.Ctime
		}
		first = max(first, f.Ctime)
		os.Remove(path)
	}
}

// Edit changes a folder by lines.
func (d *Desk) Edit(dir, text string) {
	d.Helper()
	for line := range strings.Lines(text) {
		path, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path == "" {
			continue
		}
		full := filepath.Join(dir, path)
		err := os.MkdirAll(filepath.Dir(full), 0o755)
		to, link := strings.CutPrefix(rest, "-> ")
		other, name := strings.CutPrefix(rest, "=")
		switch {
		case err != nil:
		case strings.HasSuffix(path, "/"):
			err = os.MkdirAll(full, 0o755)
		case rest == "!" && dir == d.Work:
			err = os.RemoveAll(full)
		case rest == "!":
			err = unix.Mknod(full, unix.S_IFCHR, 0)
		case link:
			err = os.Symlink(to, full)
		case name:
			err = os.Link(filepath.Join(dir, other), full)
		default:
			err = os.WriteFile(full, []byte(rest+"\n"), 0o644)
		}
		if err != nil {
			d.Fatalf("%q: %v", line, err)
		}
	}
}

// Lines returns what the folder holds, in the form that Edit reads.
func (d *Desk) Lines() string {
	var list []string
	err := filepath.WalkDir(d.Work, func(path string, e os.DirEntry, err error) error {
		rel, _ := filepath.Rel(d.Work, path)
		if err != nil || rel == "." {
			return err
		}
		switch e.Type() {
		case os.ModeDir:
			rel += "/"
		case os.ModeSymlink:
			to, _ := os.Readlink(path)
			rel += " -> " + to
		default:
			text, _ := os.ReadFile(path)
			rel += " " + strings.TrimSpace(string(text))
		}
		list = append(list, rel)
		return nil
	})
	if err != nil {
		d.Error(err)
	}
	return strings.Join(list, ", ")
}
