//go:build linux

package try

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// made makes a try that is saved.
func made(t *testing.T, place, out string) *Try {
	t.Helper()
	for began := time.Now().UnixMilli(); time.Now().UnixMilli() == began; { // IDs sort by it
		time.Sleep(time.Millisecond / 4)
	}
	tr, err := New(place, out)
	if err != nil {
		t.Fatal(err)
	}
	tr.Xattrs, tr.Covers = "user", []Cover{{Path: "/w", Layer: "layers/0"}}
	if err := tr.Save(); err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestFind finds tries by what a person calls them.
func TestFind(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	if _, err := Find(""); err == nil || !strings.Contains(err.Error(), "there are no tries") {
		t.Errorf("none: %v", err)
	}
	one := made(t, "", "")
	two := made(t, "", filepath.Join(dir, "out"))
	three := made(t, filepath.Join(dir, "place"), "")
	os.Symlink(two.Dir, filepath.Join(dir, "link"))
	for name, want := range map[string]string{
		"": three.ID, "last": three.ID, one.ID: one.ID, two.ID: two.ID,
		one.ID[strings.LastIndex(one.ID, "-")+1:]: one.ID, two.Dir: two.ID,
		filepath.Join(dir, "link"): two.ID, one.Dir + "/": one.ID,
		one.ID[:4]: "matches 3 tries", "nobody": "no such try", dir: "no try", dir + "/none": "no try",
	} {
		got, err := Find(name)
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && got.ID != want {
			t.Errorf("%q: %+v, %v; want %s", name, got, err, want)
		}
	}
	if list, err := List(); err != nil || len(list) != 3 || list[0].ID != three.ID ||
		list[2].ID != one.ID {
		t.Errorf("%v, %v", list, err)
	}
}

// TestForged: a folder that looks like a try is none unless the root knows it.
func TestForged(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	tr := made(t, "", "")
	forged := filepath.Join(t.TempDir(), tr.ID)
	os.Mkdir(forged, 0o700)
	text, _ := os.ReadFile(tr.Path(metaFile))
	os.WriteFile(filepath.Join(forged, metaFile), text, 0o600)
	if got, err := Find(forged); err == nil {
		t.Errorf("%+v", got)
	}
	os.Remove(tr.Path(metaFile))
	os.Symlink(filepath.Join(forged, metaFile), tr.Path(metaFile))
	if got, err := Find(tr.Dir); err == nil {
		t.Errorf("by a link in it: %+v", got)
	}
}

// TestNew keeps a try where it is told to, and nowhere else.
func TestNew(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	full := t.TempDir()
	os.WriteFile(filepath.Join(full, "f"), nil, 0o600)
	if _, err := New("", full); err == nil {
		t.Error("a folder that is not empty was taken")
	}
	if list, _ := os.ReadDir(Root()); len(list) != 0 {
		t.Errorf("left in the root: %v", list)
	}
	tr := made(t, "", filepath.Join(full, "new"))
	if to, err := os.Readlink(filepath.Join(Root(), tr.ID)); err != nil || to != tr.Dir {
		t.Errorf("%q, %v", to, err)
	}
	if info, err := os.Stat(tr.Dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if err := tr.Drop(); err != nil {
		t.Error(err)
	}
	for _, path := range []string{tr.Dir, filepath.Join(Root(), tr.ID)} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is left", path)
		}
	}
	if _, err := os.Stat(filepath.Join(full, "f")); err != nil {
		t.Error(err)
	}
}

// TestLock gives the lock to one at a time.
func TestLock(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	tr := made(t, "", "")
	if tr.Busy() {
		t.Error("busy before")
	}
	lock, err := tr.Lock()
	if err != nil || !tr.Busy() {
		t.Fatalf("not busy: %v", err)
	}
	if _, err := tr.Lock(); !errors.Is(err, ErrBusy) {
		t.Errorf("a second lock: %v", err)
	}
	lock.Close()
	if tr.Busy() {
		t.Error("busy after")
	}
	os.Remove(tr.Path(lockFile))
	os.Symlink("elsewhere", tr.Path(lockFile))
	if _, err := tr.Lock(); err == nil {
		t.Error("a link was followed")
	}
}

// TestLookingHoldsNothingUp: who asks whether a try is busy, as ls and an apply do of all
// tries, does not make it busy for another.
func TestLookingHoldsNothingUp(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	tr := made(t, "", "")
	var over atomic.Bool
	var looking sync.WaitGroup
	for range 4 {
		looking.Go(func() {
			for !over.Load() {
				tr.Busy()
			}
		})
	}
	for range 300 {
		lock, err := tr.Lock()
		if err != nil {
			t.Error(err)
			break
		}
		lock.Close()
	}
	over.Store(true)
	looking.Wait()
}

// TestEnd: a command that has not ended has no end, nor has one that a disk has lost.
func TestEnd(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	tr := made(t, "", "")
	if e := tr.End(); e != nil {
		t.Errorf("%+v", e)
	}
	if err := tr.Finish(End{Status: 130, Network: []string{"192.0.2.1:1"}}); err != nil {
		t.Fatal(err)
	}
	if e := tr.End(); e == nil || e.Status != 130 || len(e.Network) != 1 {
		t.Errorf("%+v", e)
	}
	os.WriteFile(tr.Path(endFile), []byte("{"), 0o600)
	if e := tr.End(); e != nil {
		t.Errorf("%+v", e)
	}
}
