//go:build linux

package landing

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/tree"
)

// shared tells which files of the folder are one: the paths in a row, with = between names
// of the same file.
func (d *desk) shared() string {
	d.Helper()
	paths, err := filepath.Glob(filepath.Join(d.Work, "*"))
	if err != nil {
		d.Fatal(err)
	}
	deeper, _ := filepath.Glob(filepath.Join(d.Work, "*/*"))
	names := map[uint64][]string{}
	var order []uint64
	for _, path := range append(paths, deeper...) {
		f, err := tree.Lstat(path)
		if err != nil || f.IsFolder() {
			continue
		}
		if names[f.Ino] == nil {
			order = append(order, f.Ino)
		}
		rel, _ := filepath.Rel(d.Work, path)
		names[f.Ino] = append(names[f.Ino], rel)
	}
	var list []string
	for _, ino := range order {
		list = append(list, strings.Join(names[ino], "="))
	}
	return strings.Join(list, " ")
}

// staged reports whether the try is on another file system than the folder: what is copied
// there and back is a file of its own (ua-try(1), CAVEATS).
func staged(t *testing.T) bool { return strings.Contains(t.Name(), "/staged") }

// TestHardLinks applies tries with several names of a file, and takes them back: names of one
// file stay names of one, and no other becomes one.
func TestHardLinks(t *testing.T) {
	for _, c := range []struct{ name, before, upper, applied, shared, undone, sharedAgain string }{
		{"new ones", "", "a one\nb =a", "a one, b one", "a=b", "", ""},
		{"three", "", "a one\nb =a\nd/c =a", "a one, b one, d/, d/c one", "a=b=d/c", "", ""},
		{"in place of files", "a one\nb two", "a three\nb =a", "a three, b three", "a=b",
			"a one, b two", "a b"},
		{"in place of links", "a one\nb =a", "a three\nb =a", "a three, b three", "a=b", "a one, b one",
			"a=b"},
		{"one leaves", "a one\nb =a", "b two", "a one, b two", "a b", "a one, b one", "a=b"},
		{"one is gone", "a one\nb =a", "b !", "a one", "a", "a one, b one", "a=b"},
		{"beside a folder", "d/a one", "d !\nc one\ne =c", "c one, e one", "c=e", "d/, d/a one", "d/a"},
		{"into a new folder", "a one", "d/a two\nd/b =d/a", "a one, d/, d/a two, d/b two", "a d/a=d/b",
			"a one",
			"a"},
		{"a link's two names", "", "a -> x\nb =a", "a -> x, b -> x", "a=b", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			places(t, func(t *testing.T, state, work string) {
				d := newDesk(t, state, work, c.before, c.upper)
				if got := d.apply(false); got != "" {
					t.Fatalf("conflicts: %q", got)
				}
				if now := d.Lines(); now != c.applied || d.shared() != c.shared {
					t.Fatalf("applied: %s; %s", now, d.shared())
				}
				d.Tick()
				if got := d.undo(false); got != "" {
					t.Fatalf("conflicts of the undo: %q", got)
				}
				if now := d.Lines(); now != c.undone || !staged(t) && d.shared() != c.sharedAgain {
					t.Fatalf("taken back: %s; %s", now, d.shared())
				}
				if got := d.apply(false); got != "" || d.Lines() != c.applied || d.shared() != c.shared {
					t.Errorf("applied again: %q, %s; %s", got, d.Lines(), d.shared())
				}
			})
		})
	}
}

// TestHardLinksByPath applies the names of a file one by one: the first brings the file, and
// the others become names of what is there.
func TestHardLinksByPath(t *testing.T) {
	for _, order := range [][]string{{"a", "b", "d/c"}, {"d/c", "b", "a"}, {"b", "d", "."}} {
		places(t, func(t *testing.T, state, work string) {
			d := newDesk(t, state, work, "", "a one\nb =a\nd/c =a")
			for _, path := range order {
				if got := d.apply(false, path); got != "" && got != ErrNothing.Error() &&
					!strings.Contains(got, "no change there") {
					t.Errorf("%v: %s: %q", order, path, got)
				}
			}
			if now := d.Lines(); now != "a one, b one, d/, d/c one" || !staged(t) &&
				d.shared() != "a=b=d/c" {
				t.Errorf("%v: %s; %s", order, now, d.shared())
			}
			if got := d.undo(false); got != "" || d.Lines() != "" {
				t.Errorf("%v: taken back: %q, %s", order, got, d.Lines())
			}
		})
	}
}

// TestSteps takes the steps that a plan of ours has and none other.
func TestSteps(t *testing.T) {
	file, folder := &tree.File{Type: tree.Regular, Links: 1}, &tree.File{Type: tree.Folder, Links: 2}
	for _, c := range []struct {
		name  string
		s     Step
		wrong string
	}{
		{"make", Step{Kind: Make, Path: "a", Slot: "s/0", After: file}, ""},
		{"make a link", Step{Kind: Make, Path: "a", Slot: "s/0", After: file, Link: "d/b"}, ""},
		{"replace", Step{Kind: Replace, Path: "a", Slot: "s/0", Before: file, After: file}, ""},
		{"remove", Step{Kind: Remove, Cover: 1, Path: "a/b", Slot: "s/0", Before: folder}, ""},
		{"folder", Step{Kind: Folder, Path: "a", After: folder}, ""},
		{"attributes", Step{Kind: Attrs, Path: ".", Before: folder, After: folder}, ""},

		{"another cover", Step{Kind: Folder, Cover: 2, Path: "a", After: folder}, "cover 2 of 2"},
		{"none", Step{Kind: Folder, Cover: -1, Path: "a", After: folder}, "cover -1 of 2"},
		{"out", Step{Kind: Folder, Path: "../a", After: folder}, "no path in a folder"},
		{"absolute", Step{Kind: Attrs, Path: "/etc", Before: folder, After: folder},
			"no path in a folder"},
		{"the cover in place", Step{Kind: Replace, Path: ".", Slot: "s/0", Before: folder,
			After: folder},
			"no path in a folder"},
		{"a slot out", Step{Kind: Remove, Path: "a", Slot: "../s", Before: file}, "no path in a folder"},
		{"no slot", Step{Kind: Make, Path: "a", After: file}, "no path in a folder"},
		{"a link out", Step{Kind: Make, Path: "a", Slot: "s/0", After: file, Link: "/etc/passwd"},
			`"/etc/passwd": no path in a folder`},
		{"make nothing", Step{Kind: Make, Path: "a", Slot: "s/0"}, "a file is missing"},
		{"replace nothing", Step{Kind: Replace, Path: "a", Slot: "s/0", After: file},
			"a file is missing"},
		{"replace by nothing", Step{Kind: Replace, Path: "a", Slot: "s/0", Before: file},
			"a file is missing"},
		{"remove nothing", Step{Kind: Remove, Path: "a", Slot: "s/0", After: file}, "a file is missing"},
		{"no folder", Step{Kind: Folder, Path: "a"}, "a file is missing"},
		{"attributes of nothing", Step{Kind: Attrs, Path: "a", After: folder}, "a file is missing"},
		{"another kind", Step{Kind: "chmod", Path: "a", Before: file, After: file}, `kind "chmod"`},
		{"no kind", Step{Path: "a", Before: file, After: file}, `kind ""`},
	} {
		err := c.s.check(2)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", c.name, err)
		}
		line, _ := json.Marshal(c.s)
		p, read := Decode([]byte(`{"number":1,"areas":["/state/t","/state/t"]}`+"\n"+string(line)), 2)
		if (read == nil) != (err == nil) || read == nil && (len(p.Steps) != 1 ||
			p.Steps[0].Path != c.s.Path || p.Steps[0].Link != c.s.Link) {
			t.Errorf("%s: read as %+v, %v", c.name, p, read)
		}
	}
}
