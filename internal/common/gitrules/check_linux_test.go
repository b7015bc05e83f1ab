package gitrules

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestLinkedFolders: a link in the place of a folder from which git takes programs and settings
// is refused, unless it was there before.
func TestLinkedFolders(t *testing.T) {
	fresh := t.TempDir()
	gitIn(t, fresh, "", "init", "-q", ".")
	d, err := Open(filepath.Join(fresh, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if list, err := new(Look).Whole(nil, d, func(string) bool { return true }); err != nil ||
		len(list) != 0 {
		t.Errorf("a new one: %v %v", list, err)
	}
	for _, name := range []string{"hooks", "info", "objects", "refs", "rebase-merge",
		"rebase-apply", "sequencer"} {
		dir := t.TempDir()
		gitIn(t, dir, "", "init", "-q", "--bare", "--template=", ".")
		other := t.TempDir()
		for _, below := range []string{"info", "replace"} {
			if err := os.Mkdir(filepath.Join(other, below), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(other, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		d, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		anywhere := func(string) bool { return true }
		if list, err := new(Look).Whole(nil, d, anywhere); err != nil || len(list) != 1 ||
			list[0].Path != name {
			t.Errorf("%s: %v %v", name, list, err)
		}
		later := unix.NsecToTimespec(time.Now().Add(time.Hour).UnixNano())
		if list, err := (&Look{Since: later}).Whole(nil, d, anywhere); err != nil || len(list) != 0 {
			t.Errorf("%s, there before: %v %v", name, list, err)
		}
	}
}
