//go:build linux

package landing

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/test/trytest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/tree"
)

func TestAbove(t *testing.T) {
	for rel, want := range map[string]string{"": "", ".": "", "a": "", "a/b": "a", "a/b/c": "a a/b",
		"a.b/c": "a.b", "ü/漢/x": "ü ü/漢"} {
		if got := strings.Join(above(rel), " "); got != want {
			t.Errorf("%q: %q", rel, got)
		}
	}
}

// planted makes a tree in a new folder: "a text" is a file, "d/" a folder, "d/ 500" one with
// a mode, "l -> to" a link, "b =a" another name of a.
func planted(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	modes := map[string]os.FileMode{}
	d := &trytest.Desk{T: t, Work: dir}
	for line := range strings.SplitSeq(text, ", ") {
		path, mode, ok := strings.Cut(line, "/ ")
		if !ok {
			d.Edit(dir, line)
			continue
		}
		d.Edit(dir, path+"/")
		var n uint32
		for _, c := range mode {
			n = n*8 + uint32(c-'0')
		}
		modes[filepath.Join(dir, path)] = os.FileMode(n)
	}
	for path, mode := range modes {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+rwx", dir).Run() })
	return dir
}

// looks is what lies below a folder: names, types, modes, times, texts, and which names are
// one file's.
func looks(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	first := map[uint64]string{}
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		f, err2 := tree.Lstat(path)
		rel, _ := filepath.Rel(dir, path)
		if err = errors.Join(err, err2); err != nil || rel == "." {
			return err
		}
		text := string(f.Target)
		if f.Type == tree.Regular {
			b, _ := os.ReadFile(path)
			text = string(b)
		}
		if !f.IsFolder() && first[f.Ino] == "" {
			first[f.Ino] = rel
		}
		mode, _ := f.Mode.MarshalText()
		mtime, _ := f.Mtime.MarshalText()
		lines = append(lines, strings.Join([]string{
			rel, string(f.Type), string(mode), string(mtime), text, first[f.Ino],
		}, " "))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func opened(t *testing.T, dir string) *tree.Root {
	t.Helper()
	r, err := tree.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Unlocks = true
	t.Cleanup(r.Close)
	return r
}

const someTree = "d/a one, d/e/b two, d/e/h =d/a, d/l -> nowhere, d/none/, " +
	"d/shut/in/c three, d/shut/in/ 500, d/shut/ 555"

// TestMoveTree moves a tree as a whole, and by hand where the file system can't: what comes
// looks as what was, also when a first try has moved a part.
func TestMoveTree(t *testing.T) {
	for _, how := range []string{"at once", "by hand", "the rest"} {
		from, to := planted(t, someTree), planted(t, "")
		want := looks(t, from)
		a, b := opened(t, from), opened(t, to)
		var err error
		switch how {
		case "at once":
			err = moveTree(a.At("d"), b.At("d"))
		case "by hand":
			var f *tree.File
			if f, err = a.At("d").Lstat(); err == nil {
				err = moveByHand(a.At("d"), b.At("d"), f, nil)
			}
		case "the rest":
			f, _ := a.At("d").Lstat()
			os.Mkdir(to+"/d", 0o700)
			err = os.Rename(from+"/d/e", to+"/d/e")
			trytest.At(from + "/d").SetMtime(f.Mtime)
			if err == nil {
				err = moveTree(a.At("d"), b.At("d"))
			}
		}
		if got := looks(t, to); err != nil || got != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", how, err, got, want)
		}
		if left := looks(t, from); left != "" {
			t.Errorf("%s: left: %s", how, left)
		}
	}
}

// TestMoveOver: nothing is moved over what is there, and nothing that is not there.
func TestMoveOver(t *testing.T) {
	for _, c := range []struct{ from, to, name string }{
		{"x one", "x two", "x"}, {"x/a one", "x two", "x"},
		{"x one", "x/a two", "x"}, {"x one", "x -> a", "x"},
	} {
		from, to := planted(t, c.from), planted(t, c.to)
		was := looks(t, from) + looks(t, to)
		if err := moveTree(opened(t, from).At("x"),
			opened(t, to).At("x")); !errors.Is(err, unix.EEXIST) {
			t.Errorf("%s over %s: %v", c.from, c.to, err)
		}
		if now := looks(t, from) + looks(t, to); now != was {
			t.Errorf("%s over %s:\n%s\nwas\n%s", c.from, c.to, now, was)
		}
	}
	if err := moveTree(opened(t, t.TempDir()).At("none"),
		opened(t, t.TempDir()).At("x")); err != nil {
		t.Error(err)
	}
}

// TestCopyOnce copies a tree whole, over what an earlier try has left.
func TestCopyOnce(t *testing.T) {
	from, to := planted(t, someTree), planted(t, "")
	for _, left := range []string{"copy", "copy.new"} {
		if err := os.MkdirAll(filepath.Join(to, left, "old/shut"), 0o700); err != nil {
			t.Fatal(err)
		}
		os.Chmod(filepath.Join(to, left, "old"), 0)
	}
	links := map[uint64]tree.Place{}
	old, fresh := opened(t, from), opened(t, to)
	if err := copyOnce(old.At("d"), fresh.At("copy"), links); err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(strings.Join(strings.Split(looks(t, from), "\n")[1:], "\n"), "d/", "")
	if got := looks(t, to+"/copy"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if names, err := fresh.At(".").Names(); err != nil || !slices.Equal(names, []string{"copy"}) {
		t.Errorf("left: %q %v", names, err)
	}
	// A further name of a file that was copied is one of the copy.
	if err := copyOnce(old.At("d/a"), fresh.At("another"), links); err != nil {
		t.Fatal(err)
	}
	a, _ := tree.Lstat(to + "/another")
	b, _ := tree.Lstat(to + "/copy/a")
	if a == nil || b == nil || a.Ino != b.Ino {
		t.Errorf("%+v, %+v", a, b)
	}
	if err := copyOnce(old.At("none"), fresh.At("none"), links); err != nil {
		t.Errorf("nothing to copy: %v", err)
	}
	// What can't be copied leaves nothing.
	os.Mkdir(from+"/bad", 0o700)
	unix.Mkfifo(from+"/bad/fifo", 0o600)
	if err := copyTree(old.At("bad"), fresh.At("copy/a/bad"), links); err == nil {
		t.Error("copied below a file")
	}
}

// TestRootFollowsNoLink: what somebody puts in a folder's place leads nowhere.
func TestRootFollowsNoLink(t *testing.T) {
	dir := planted(t, "d/a one, other/a two, l -> other, d/l -> ../other, d/up -> ..")
	r := opened(t, dir)
	for rel, want := range map[string]bool{
		"d/a": true, "d": true, "l": true, "d/l": true, ".": true,
		"l/a": false, "d/l/a": false, "d/up/d/a": false, "none": false, "none/a": false,
		"d/a/b": false,
	} {
		if f, err := r.At(rel).Lstat(); err != nil || (f != nil) != want {
			t.Errorf("%s: %+v %v", rel, f, err)
		}
	}
	for _, rel := range []string{"l/a", "d/l/a", "../" + filepath.Base(dir) + "/d/a", "d/../../x"} {
		if err := r.At(rel).Mkdir(); err == nil || errors.Is(err, unix.EEXIST) {
			t.Errorf("%s: %v", rel, err)
		}
	}
	if err := r.At("l/a").Rename(r.At("d/b"), 0); err == nil {
		t.Error("moved through a link")
	}
	if _, err := tree.Open(dir + "/l"); err == nil {
		t.Error("a link is a root")
	}
	dirNow, now, err := noFolder(r.At("d/a/x/y"))
	if dirNow != "d/a" || now == nil || now.Type != tree.Regular || err != nil {
		t.Errorf("%s %+v %v", dirNow, now, err)
	}
	if dirNow, _, err := noFolder(r.At("d/x")); dirNow != "" || err != nil {
		t.Errorf("%s %v", dirNow, err)
	}
}

// TestLetIn opens folders to their owner, and closing gives the modes back, but to folders
// that are others by then.
func TestLetIn(t *testing.T) {
	dir := planted(t, "a/b/c/f one, x/y/f one, a/b/c/ 0, a/b/ 300, a/ 500, x/y/ 0")
	mode := func(rel string) os.FileMode {
		info, err := os.Stat(filepath.Join(dir, rel))
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	r, err := tree.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !r.LetIn("a/b/c") || !r.LetIn("x/y") || r.LetIn("a/b/c") || r.LetIn("none") {
		t.Error("what made a difference")
	}
	if mode("a/b/c") != 0o700 || mode("a/b") != 0o300 || mode("a") != 0o500 {
		t.Errorf("%o %o %o", mode("a"), mode("a/b"), mode("a/b/c"))
	}
	if f, err := r.At("a/b/c").Lstat(); err != nil || f.Mode != 0 {
		t.Errorf("its own mode is %+v, %v", f, err)
	}
	os.Rename(dir+"/x/y", dir+"/x/gone")
	os.Mkdir(dir+"/x/y", 0o711)
	r.Close()
	if os.Geteuid() != 0 { // who is not root can't look into a
		os.Chmod(dir+"/a", 0o700)
		os.Chmod(dir+"/a/b", 0o700)
	}
	if mode("a/b/c") != 0 || mode("x/y") != 0o711 {
		t.Errorf("closed: %o, another %o", mode("a/b/c"), mode("x/y"))
	}
}

// TestFinishSwap finishes an exchange by three renames wherever it was cut, or takes it back.
func TestFinishSwap(t *testing.T) {
	for n := range 8 {
		cut, back := n/2, n%2 == 1
		d := newDesk(t, t.TempDir(), t.TempDir(), "a one", "a two")
		plan := &Plan{Head: Head{Number: 1, Areas: []tree.Name{tree.Name(d.Try.Dir)}}}
		l, err := newLander(d.Try, t.Logf)
		if err == nil {
			err = errors.Join(os.Mkdir(d.Try.Path(try.LandingDir), 0o700), l.enter(plan))
		}
		if err != nil {
			t.Fatal(err)
		}
		slot := "layers/0/upper/a"
		s := &Step{Kind: Replace, Path: "a", Slot: tree.Name(slot)}
		s.Before, _ = l.real(s).Lstat()
		s.After, _ = l.slot(s).Lstat()
		for i, step := range []func() error{
			func() error { return l.real(s).Rename(l.areas[0].At(swapName), 0) },
			func() error { return l.slot(s).Rename(l.real(s), 0) },
			func() error { return l.areas[0].At(swapName).Rename(l.slot(s), 0) },
		} {
			if i >= cut {
				break
			}
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		l.leave() // killed, and begun anew
		if err := l.enter(plan); err != nil {
			t.Fatal(err)
		}
		if back {
			if err := l.undo(s, false); err != nil || d.Lines() != "a one" {
				t.Errorf("cut at %d: taken back: %s %v", cut, d.Lines(), err)
			}
			l.close()
			continue
		}
		if err := l.do(s, false); err != nil {
			t.Errorf("cut at %d: %v", cut, err)
		}
		old, _ := os.ReadFile(filepath.Join(d.Try.Upper(0), "a"))
		if d.Lines() != "a two" || string(old) != "one\n" {
			t.Errorf("cut at %d: %s, kept %q", cut, d.Lines(), old)
		}
		if f, _ := l.areas[0].At(swapName).Lstat(); f != nil {
			t.Errorf("cut at %d: the swap is left", cut)
		}
		if err := l.undo(s, false); err != nil || d.Lines() != "a one" {
			t.Errorf("cut at %d: taken back: %s %v", cut, d.Lines(), err)
		}
		l.close()
	}
}

// TestSweep removes the areas of a landing that was killed, leaves the folder its time, and
// removes nothing that is no area of the try.
func TestSweep(t *testing.T) {
	for name, c := range map[string]struct {
		plan State
		left bool
	}{
		"killed before its plan": {"", false},
		"in use":                 {Applying, true},
		"in use by an undo":      {Undoing, true},
		"done":                   {Applied, false},
	} {
		d := newDesk(t, t.TempDir(), t.TempDir(), "a one\nprecious/b two", "a two")
		for i, own := range []tree.Name{areaIn(d.Try, 0), areaBeside(d.Try, 0)} {
			own := string(own)
			if err := os.MkdirAll(filepath.Join(own, "0/shut"), 0o700); err != nil {
				t.Fatal(err)
			}
			os.Mkdir(own+"x", 0o700) // another try's
			os.Chmod(filepath.Join(own, "0"), 0)
			holder := trytest.At(filepath.Dir(own))
			holder.SetMtime(1e18)
			os.MkdirAll(d.Try.Path(try.LandingDir), 0o700)
			if c.plan != "" && i == 0 {
				p := &Plan{Head: Head{Number: 1, Areas: []tree.Name{tree.Name(own)}}, State: c.plan}
				if err := p.save(d.Try); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				if err := Sweep(d.Try); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if _, gone := os.Lstat(own); (gone == nil) != c.left {
				t.Errorf("%s: the area: %v", name, gone)
			}
			if f, _ := holder.Lstat(); f.Mtime != 1e18 {
				t.Errorf("%s: the folder is of %d", name, f.Mtime)
			}
			if _, err := os.Lstat(own + "x"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			exec.Command("chmod", "-R", "u+rwx", filepath.Dir(own)).Run()
		}
		// A plan's file may name any folder.
		for _, area := range []string{d.Work, d.Work + "/precious", "/",
			string(areaIn(d.Try, 0)) + "x"} {
			if r, err := holder(d.Try, 0, tree.Name(area)); err == nil {
				t.Errorf("%s is an area", area)
				r.Close()
			}
		}
	}
}

// TestPlans reads the plans of a try by number and passes over what is none.
func TestPlans(t *testing.T) {
	d := newDesk(t, t.TempDir(), t.TempDir(), "a one", "a two")
	if list, err := Plans(d.Try); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
	dir := d.Try.Path(try.LandingDir)
	os.MkdirAll(dir, 0o700)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ten := strings.Replace(plan, `"number":1`, `"number":10`, 1)
	write("10.applied.jsonl", ten)
	write("1.applied.jsonl", plan)
	write("2.undone.jsonl", "what is taken back is not read")
	for _, none := range []string{
		"3.finished.jsonl", "x.applied.jsonl", "0.applied.jsonl", "-1.applied.jsonl",
		"4.applied.jsonl.new", "applied.jsonl", "5.applied.json", "areas.json", "6.kept",
	} {
		write(none, "{")
	}
	list, err := Plans(d.Try)
	var got []int
	for _, p := range list {
		got = append(got, p.Number)
	}
	if err != nil || !slices.Equal(got, []int{1, 2, 10}) || len(list[0].Steps) != 1 ||
		len(list[1].Steps) != 0 || Underway(list) {
		t.Errorf("%v %v", got, err)
	}
	for name, text := range map[string]string{
		"11.applied.jsonl": plan, "12.applying.jsonl": "", "13.undoing.jsonl": "{}",
	} {
		write(name, text)
		if list, err := Plans(d.Try); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v %v", name, list, err)
		}
		os.Remove(filepath.Join(dir, name))
	}
	first := filepath.Join(dir, "1.applied.jsonl")
	os.Remove(first)
	if err := os.Symlink(filepath.Join(dir, "10.applied.jsonl"), first); err != nil {
		t.Fatal(err)
	}
	if list, err := Plans(d.Try); err == nil {
		t.Errorf("a link was followed: %v", list)
	}
}
