package layer

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A working directory that another took the place of is not entered.
func TestStays(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir+"/real/in", 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir + "/real")
	if err := Stays(dir + "/real"); err != nil {
		t.Error(err)
	}
	if err := Stays(dir + "/real/in"); !errors.Is(err, unix.ESTALE) {
		t.Errorf("another folder: %v", err)
	}
}
