package access

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestTreeList holds what a tree says of a folder that was listed to what it says
// without: names in other letters are asked for, since some file systems take them
// for the same.
func TestTreeList(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{".ssh", ".Kube"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(".ssh", filepath.Join(home, ".aws")); err != nil {
		t.Fatal(err)
	}
	var listed, plain tree
	listed.list(home)
	for _, name := range []string{".ssh", ".ssh/id", ".Kube", ".kube", ".aws", ".gnupg", ".gnupg/x"} {
		path := filepath.Join(home, name)
		if got, want := listed.kind(path), plain.kind(path); got != want {
			t.Errorf("%s: %v, not %v", name, got, want)
		}
	}
	for name, want := range map[string]bool{".kube": true, ".\u212aUBE": true, ".\u017f\u017fh": true,
		".ssh/id": true, ".gnupg": false} {
		if got := listed.mayHold(filepath.Join(home, name)); got != want {
			t.Errorf("may hold %s: %v", name, got)
		}
	}
	for i := range listMax {
		if err := os.Mkdir(filepath.Join(home, fmt.Sprint(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(home, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{home, filepath.Join(home, "fifo"), filepath.Join(home, "none")} {
		var unlisted tree
		if unlisted.list(dir); !unlisted.mayHold(filepath.Join(dir, ".gnupg")) {
			t.Errorf("%s was listed", dir)
		}
	}
}
