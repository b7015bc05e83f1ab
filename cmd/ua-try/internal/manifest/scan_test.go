//go:build linux

package manifest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/test/trytest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/tree"
)

// told returns the entries of a list as letters and paths, with "*" where a path was
// changed meanwhile and the other name of a link.
func told(list []manifest.Entry) string {
	var lines []string
	for _, e := range list {
		if e.Path == "." {
			continue
		}
		line := string(e.Status) + " " + string(e.Path)
		if e.Raced {
			line += "*"
		}
		if e.Link != "" {
			line += "=" + string(e.Link)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, ", ")
}

// TestScan compares layers that are written by hand.
func TestScan(t *testing.T) {
	for _, c := range []struct {
		name, before, upper string
		meanwhile           string
		want                string
		files, folders      int
	}{
		{"nothing", "a one", "", "", "", 0, 0},
		{"a new file", "", "a one", "", "A a", 1, 0},
		{"a new folder", "", "d/", "", "A d", 0, 1},
		{"new folders with files", "", "d/e/a one", "", "A d, A d/e, A d/e/a", 1, 2},
		{"other contents", "a one", "a two", "", "M a", 1, 0},
		{"the same in another file", "a one", "a one", "", "t a", 0, 0},
		{"deleted", "a one\nb two", "a !", "", "D a", 1, 0},
		{"a folder deleted", "d/e/a one\nd/b two", "d !", "", "D d, D d/b, D d/e, D d/e/a", 2, 2},
		{"a mark for what is gone", "b one", "a !", "", "", 0, 0},
		{"a file for a folder", "d/a one", "d two", "", "T d, D d/a", 2, 0},
		{"a folder for a file", "d one", "d/a two", "", "T d, A d/a", 2, 0},
		{"a link for a file", "a one", "a -> b", "", "T a", 1, 0},
		{"a link elsewhere", "l -> a", "l -> b", "", "M l", 1, 0},
		{"the order of paths", "", "a/b one\na.b two\na! three", "", "A a, A a/b, A a!, A a.b", 3, 1},
		{"changed meanwhile", "a one\nb two", "a three\nb !", "a four\nb five", "M a*, D b*", 2, 0},
		{"of others alone", "a one\nb two", "a three", "b four\nc five", "M a", 1, 0},
	} {
		d := trytest.New(t, t.TempDir(), t.TempDir(), c.before, c.upper)
		d.Edit(d.Work, c.meanwhile)
		list, err := manifest.Scan(d.Try)
		if got := told(list); err != nil || got != c.want {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
		if files, folders := manifest.Files(list); files != c.files || folders != c.folders {
			t.Errorf("%s: %d files, %d folders", c.name, files, folders)
		}
		if err := manifest.Save(d.Try, list); err != nil {
			t.Error(err)
		}
		again, err := manifest.Load(d.Try)
		if err != nil || told(again) != c.want {
			t.Errorf("%s: comes back as %s, %v", c.name, told(again), err)
		}
	}
}

// TestScanDeleted: what end.json says of deleted files marks those that the layer has.
func TestScanDeleted(t *testing.T) {
	d := trytest.New(t, t.TempDir(), t.TempDir(), "a one\nb two\nd/c three",
		"a four\nb five\nd/c six\nn seven")
	d.Edit(d.Work, "a !\nd !")
	for _, c := range []struct {
		deleted []try.Place
		want    string
	}{
		{nil, "A a, M b, A d, A d/c, A n"},
		{[]try.Place{{Path: "a"}, {Path: "d/c"}}, "A a*, M b, A d, A d/c*, A n"},
		// there again, a folder, in no layer, in no cover
		{[]try.Place{{Path: "b"}, {Path: "d"}, {Path: "x"}, {Cover: 1, Path: "a"},
			{Cover: -1, Path: "a"}},
			"A a, M b, A d, A d/c, A n"},
	} {
		if err := d.Try.Finish(try.End{Deleted: c.deleted}); err != nil {
			t.Fatal(err)
		}
		if list, err := manifest.Scan(d.Try); err != nil || told(list) != c.want {
			t.Errorf("%v: %s, %v", c.deleted, told(list), err)
		}
	}
}

// TestScanMeta finds changes that no name and no contents tell.
func TestScanMeta(t *testing.T) {
	d := trytest.New(t, t.TempDir(), t.TempDir(),
		"mode one\nattribute two\nfolder/a three\nown/a four\nother/b five",
		"mode one\nattribute two\nfolder/\nown/a six\nother/c seven\nnew eight\nname =new")
	upper := d.Try.Upper(0)
	os.Chmod(filepath.Join(upper, "mode"), 0o600)
	os.Chmod(filepath.Join(upper, "folder"), 0o700)
	want := "A other/c, M attribute, M folder, M mode, M own/a"
	if err := unix.Setxattr(filepath.Join(upper, "attribute"), "user.a", []byte("b"), 0); err != nil {
		want = strings.Replace(want, "M attribute", "t attribute", 1)
	}
	if err := unix.Setxattr(filepath.Join(upper, "other"), "user.overlay.opaque", []byte("y"),
		0); err == nil {
		want = strings.Replace(want, "A other/c", "A other/c, D other/b", 1)
	}
	os.Chmod(filepath.Join(upper, "own"), 0)
	list, err := manifest.Scan(d.Try)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := tree.Lstat(filepath.Join(upper, "own")); err != nil || f.Mode != 0 {
		t.Errorf("a folder that was opened: %+v, %v", f, err)
	}
	os.Chmod(filepath.Join(upper, "own"), 0o755)
	got := strings.Split(told(list), ", ")
	for _, line := range strings.Split(want, ", ") {
		if !slices.Contains(got, line) {
			t.Errorf("%q is not told: %q", line, got)
		}
	}
	var before, after *manifest.Entry
	for i := range list {
		switch list[i].Path {
		case "name":
			before = &list[i]
		case "new":
			after = &list[i]
		}
	}
	if before == nil || after == nil || before.After.Ino != after.After.Ino ||
		before.After.Links != 2 {
		t.Errorf("two names: %+v, %+v", before, after)
	}
}

// TestBroken: a manifest that a disk has broken is no list of changes.
func TestBroken(t *testing.T) {
	d := trytest.New(t, t.TempDir(), t.TempDir(), "", "a one")
	if _, err := manifest.Load(d.Try); err != nil {
		t.Fatal(err)
	}
	path := d.Try.Path("manifest.jsonl")
	text, _ := os.ReadFile(path)
	os.WriteFile(path, text[:len(text)-10], 0o600)
	for name, read := range map[string]func() ([]manifest.Entry, error){
		"load": func() ([]manifest.Entry, error) { return manifest.Load(d.Try) },
		"peek": func() ([]manifest.Entry, error) { return manifest.Peek(d.Try) },
	} {
		if list, err := read(); err == nil || !strings.Contains(err.Error(), "manifest.jsonl: line ") {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	os.Remove(path)
	if list, err := manifest.Peek(d.Try); err != nil || told(list) != "A a" {
		t.Errorf("looked at: %s, %v", told(list), err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a look has written a manifest")
	}
	os.RemoveAll(d.Work)
	if _, err := manifest.Scan(d.Try); err == nil {
		t.Error("a folder that is gone was compared")
	}
}
