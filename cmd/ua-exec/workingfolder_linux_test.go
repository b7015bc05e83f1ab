package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWorkingFolder: the path is the kernel's, of a short and a long one, of a folder that
// was moved and of one that is gone.
func TestWorkingFolder(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(base, strings.Repeat(strings.Repeat("l", 200)+"/", 3))
	for _, dir := range []string{filepath.Join(base, "a"), long} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Chdir(dir)
		if got, err := workingFolder(); got != dir || err != nil {
			t.Errorf("%q, %v, not %q", got, err, dir)
		}
	}
	t.Chdir(filepath.Join(base, "a"))
	if err := os.Rename(filepath.Join(base, "a"), filepath.Join(base, "b")); err != nil {
		t.Fatal(err)
	}
	if got, err := workingFolder(); got != filepath.Join(base, "b") || err != nil {
		t.Errorf("moved: %q, %v", got, err)
	}
	if err := os.Remove(filepath.Join(base, "b")); err != nil {
		t.Fatal(err)
	}
	if got, err := workingFolder(); err != unix.ENOENT {
		t.Errorf("removed: %q, %v", got, err)
	}
}
