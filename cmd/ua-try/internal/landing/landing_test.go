//go:build linux

package landing

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/test/trytest"
	"ua/internal/common/remove"
	"ua/internal/common/tree"
)

// A desk is a folder and a try of it.
type desk struct{ *trytest.Desk }

func newDesk(t *testing.T, state, work, before, upper string) *desk {
	d := &desk{trytest.New(t, state, work, before, upper)}
	if _, err := manifest.Load(d.Try); err != nil { // the command has ended
		t.Fatal(err)
	}
	return d
}

// apply and undo return what was in conflict, or another error's text.
func (d *desk) apply(force bool, paths ...string) string {
	var names []tree.Name
	for _, p := range paths {
		names = append(names, tree.Name(filepath.Join(d.Work, p)))
	}
	_, err := Apply(d.Try, Order{Paths: names, Force: force}, d.Logf)
	return d.refusal(err)
}

func (d *desk) undo(force bool) string {
	_, err := Undo(d.Try, force, d.Logf)
	return d.refusal(err)
}

func (d *desk) refusal(err error) string {
	var list Conflicts
	if !errors.As(err, &list) {
		if err != nil {
			return err.Error()
		}
		return ""
	}
	var paths []string
	for _, c := range list {
		rel, _ := filepath.Rel(d.Work, c.Path)
		paths = append(paths, rel)
	}
	slices.Sort(paths)
	return strings.Join(paths, " ")
}

// places runs a test with the try on the file system of the folder, and on another.
func places(t *testing.T, test func(t *testing.T, state, work string)) {
	t.Run("direct", func(t *testing.T) { test(t, t.TempDir(), t.TempDir()) })
	t.Run("staged", func(t *testing.T) {
		state, err := os.MkdirTemp("/dev/shm", "landing")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { remove.All(state) })
		work := t.TempDir()
		if tree.SameMount(trytest.At(state).Root, trytest.At(work).Root) {
			t.Log("/dev/shm is where TMPDIR is: the same again")
		}
		test(t, state, work)
	})
}

// TestLanding applies tries and takes them back, with what others did to the folder before
// the apply and after it.
func TestLanding(t *testing.T) {
	for _, c := range []struct {
		name, before, upper string
		since               string // done to the folder before the apply
		conflicts           string // at the apply; then it is forced
		applied             string
		after               string // done to the folder after the apply
		stops               string // conflicts at the undo; then it is forced
		undone              string
	}{
		{"a new file", "a one", "b two", "", "", "a one, b two", "", "", "a one"},
		{"other contents", "a one", "a two", "", "", "a two", "", "", "a one"},
		{"nothing but the time", "a one", "a one", "", "", "a one", "", "", "a one"},
		{"deleted", "a one\nb two", "a !", "", "", "b two", "", "", "a one, b two"},
		{"a folder deleted", "d/e/f one\nd/g/", "d !", "", "", "", "", "", "d/, d/e/, d/e/f one, d/g/"},
		{"in a folder", "d/a one\nd/b two", "d/a !\nd/c three", "", "", "d/, d/b two, d/c three", "", "",
			"d/, d/a one, d/b two"},
		{"new folders", "a one", "d/e/f two", "", "", "a one, d/, d/e/, d/e/f two", "", "", "a one"},
		{"a file becomes a folder", "a one", "a/b two", "", "", "a/, a/b two", "", "", "a one"},
		{"a folder becomes a file", "d/a one", "d two", "", "", "d two", "", "", "d/, d/a one"},
		{"a link", "a one", "l -> a", "", "", "a one, l -> a", "", "", "a one"},
		{"a file becomes a link", "a one", "a -> /etc", "", "", "a -> /etc", "", "", "a one"},
		{"two names of a file", "", "a one\nb =a", "", "", "a one, b one", "", "", ""},

		{"changed since", "a one", "a two", "a three", "a", "a two", "", "", "a three"},
		{"changed to the same", "a one", "a two", "a two", "", "a two", "", "", "a two"},
		{"deleted since", "a one", "a two", "a !", "a", "a two", "", "", ""},
		{"deleted on both sides", "a one", "a !", "a !", "", "", "", "", ""},
		{"made on both sides", "", "a one", "a two", "a", "a one", "", "", "a two"},
		{"made a folder since", "", "a one", "a/b two", "a", "a one", "", "", "a/, a/b two"},
		{"made a link since", "a one", "a two", "a !\na -> b", "a", "a two", "", "", "a -> b"},
		{"deleted, but changed since", "a one", "a !", "a two", "a", "", "", "", "a two"},
		{"a new file in a deleted folder", "d/a one", "d !", "d/b two", "d/b", "", "", "",
			"d/, d/a one, d/b two"},
		{"a changed file in a deleted folder", "d/a one", "d !", "d/a two", "d/a", "", "", "",
			"d/, d/a two"},
		{"the folder of a change deleted", "d/a one\nd/b two", "d/a three", "d !", "d d/a",
			"d/, d/a three",
			"", "", ""},
		{"others in the same folder", "d/a one", "d/b two", "d/c three", "",
			"d/, d/a one, d/b two, d/c three",
			"", "", "d/, d/a one, d/c three"},

		{"changed after", "a one", "a two", "", "", "a two", "a three", "a", "a one"},
		{"deleted after", "a one", "a two", "", "", "a two", "a !", "a", "a one"},
		{"a new file that was deleted after", "", "a one", "", "", "a one", "a !", "", ""},
		{"a new file that was changed after", "", "a one", "", "", "a one", "a two", "a", ""},
		{"made again after", "a one", "a !", "", "", "", "a two", "a", "a one"},
		{"the folder gone after", "d/a one", "d/a !", "", "", "d/", "d !", "d", "d/, d/a one"},
		{"put into a new folder after", "", "d/a one", "", "", "d/, d/a one", "d/b two", "d/b",
			"d/, d/b two"},
		{"a folder for a deleted one", "d/a one", "d !", "", "", "", "d/b two", "d",
			"d/, d/a one, d/b two"},
		{"elsewhere after", "a one\nb two", "a three", "", "", "a three, b two", "b four", "",
			"a one, b four"},
	} {
		t.Run(c.name, func(t *testing.T) {
			places(t, func(t *testing.T, state, work string) {
				d := newDesk(t, state, work, c.before, c.upper)
				d.Edit(d.Work, c.since)
				was := d.Lines()
				if got := d.apply(false); got != c.conflicts {
					t.Fatalf("conflicts: %q", got)
				}
				if c.conflicts != "" {
					if now := d.Lines(); now != was {
						t.Fatalf("a conflict, but changed: %s", now)
					}
					if got := d.apply(true); got != "" {
						t.Fatalf("forced: %q", got)
					}
				}
				if now := d.Lines(); now != c.applied {
					t.Fatalf("applied: %s", now)
				}
				d.Tick()
				d.Edit(d.Work, c.after)
				was = d.Lines()
				if got := d.undo(false); got != c.stops {
					t.Fatalf("conflicts of the undo: %q", got)
				}
				if c.stops != "" {
					if now := d.Lines(); now != was {
						t.Fatalf("a conflict, but taken back: %s", now)
					}
					if got := d.undo(true); got != "" {
						t.Fatalf("forced undo: %q", got)
					}
				}
				if now := d.Lines(); now != c.undone {
					t.Fatalf("taken back: %s", now)
				}
				left, _ := filepath.Glob(filepath.Join(d.Work, ".ua-try-*"))
				if list, err := d.plans(); err != nil || slices.ContainsFunc(list, func(s State) bool {
					return s != Undone
				}) || len(left) > 0 {
					t.Errorf("left: %v %v %v", list, left, err)
				}
			})
		})
	}
}

func (d *desk) plans() (list []State, err error) {
	plans, err := Plans(d.Try)
	for _, p := range plans {
		list = append(list, p.State)
	}
	return list, err
}

// TestPaths applies a try path by path.
func TestPaths(t *testing.T) {
	places(t, func(t *testing.T, state, work string) {
		d := newDesk(t, state, work, "a one\nd/b two",
			"a three\nd/b !\nn/e/c four\nn/f five\ns six\nz =s")
		for i, step := range []struct{ path, refusal, now string }{
			{"nowhere", fmt.Sprintf("%q: the try has no change there that is not applied",
				d.Work+"/nowhere"),
				"a one, d/, d/b two"},
			{"a", "", "a three, d/, d/b two"},
			{"a", fmt.Sprintf("%q: the try has no change there that is not applied", d.Work+"/a"),
				"a three, d/, d/b two"},
			{"n/e", "", "a three, d/, d/b two, n/, n/e/, n/e/c four"},
			{"d", "", "a three, d/, n/, n/e/, n/e/c four"},
			{".", "", "a three, d/, n/, n/e/, n/e/c four, n/f five, s six, z six"},
		} {
			if got := d.apply(false, step.path); got != step.refusal {
				t.Errorf("%s: %q", step.path, got)
			}
			if now := d.Lines(); now != step.now {
				t.Fatalf("step %d: %s", i, now)
			}
		}
		if got := d.apply(false); got != ErrNothing.Error() {
			t.Errorf("again: %q", got)
		}
		if got := d.undo(false); got != "" || d.Lines() != "a one, d/, d/b two" {
			t.Errorf("taken back: %s %s", got, d.Lines())
		}
		if got := d.undo(false); got != ErrNothing.Error() {
			t.Errorf("taken back again: %q", got)
		}
	})
}

// TestAuthors names the try that has changed a path before.
func TestAuthors(t *testing.T) {
	state, work := t.TempDir(), t.TempDir()
	one := newDesk(t, state, work, "a one\nb two", "a three\nb !")
	two := newDesk(t, state, work, "", "a four")
	if got := one.apply(false); got != "" {
		t.Fatal(got)
	}
	if got := two.apply(false); got != "a" {
		t.Errorf("conflicts: %q", got)
	}
	authors := Authors(two.Try)
	if authors[one.Work+"/a"] != one.Try.ID || authors[one.Work+"/b"] != one.Try.ID ||
		len(authors) != 2 {
		t.Errorf("%v", authors)
	}
	if own := Authors(one.Try); len(own) != 0 {
		t.Errorf("its own: %v", own)
	}
}

// TestSides finds what a path was and is, before an apply and after it.
func TestSides(t *testing.T) {
	places(t, func(t *testing.T, state, work string) {
		d := newDesk(t, state, work, "a one\nb two\nd/c three\nd/e four", "a five\nb !\nd !\nn six")
		for _, when := range []string{"tried", "applied", "taken back"} {
			finder, err := Find(d.Try)
			if err != nil {
				t.Fatal(err)
			}
			list, err := manifest.Peek(d.Try)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range list {
				if list[i].Status != manifest.Timed {
					before, after := finder.Sides(&list[i])
					got = append(got, string(list[i].Path)+":"+text(before)+">"+text(after))
				}
			}
			want := "a:one>five b:two> d:folder> d/c:three> d/e:four> n:>six"
			if now := strings.Join(got, " "); now != want {
				t.Errorf("%s: %s", when, now)
			}
			switch when {
			case "tried":
				d.apply(false)
			case "applied":
				d.undo(false)
			}
		}
	})
}

// text is what a file holds, for a test to compare.
func text(at tree.Place) string {
	if at.Root == nil {
		return ""
	}
	if f, err := at.Lstat(); err == nil && f.IsFolder() {
		return "folder"
	}
	text, err := at.Read(1 << 20)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}
