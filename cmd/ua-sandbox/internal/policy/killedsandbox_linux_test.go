package policy

import (
	"os"
	"path/filepath"
	"testing"
)

// A note leads to what a killed sandbox's command has planted in a new tree of another
// system than git, and not to what was there.
func TestNoteOfOthers(t *testing.T) {
	_, work := place(t)
	const evil = "[hooks]\npre-status = evil\n"
	put(t, filepath.Join(work, "old/.hg/hgrc"), evil)
	n := resolve(t, Options{Profile: "workspace"}, work).Note(true)
	put(t, filepath.Join(work, "old/f"), "")
	put(t, filepath.Join(work, "new/.hg/hgrc"), "[paths]\ndefault = x\n"+evil)
	if err := os.Symlink("new/.hg", filepath.Join(work, ".hg")); err != nil {
		t.Fatal(err)
	}
	found, _ := n.Plants()
	if len(found) != 1 || string(found[0].Rest) != "[paths]\ndefault = x\n" {
		t.Errorf("%+v", found)
	}
	for _, p := range found {
		if p.Path != filepath.Join(work, "new/.hg/hgrc") {
			t.Errorf("%+v", p)
		}
	}
}
