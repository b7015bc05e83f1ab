package layer

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A symbolic link that came after the policy was resolved is not followed.
func TestPlain(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(dir+"/real/in", 0o755),
		os.Symlink("real", dir+"/link")); err != nil {
		t.Fatal(err)
	}
	if fd, err := plain(dir + "/real/in"); err != nil {
		t.Error(err)
	} else {
		unix.Close(fd)
	}
	for _, path := range []string{"/link", "/link/in"} {
		if _, err := plain(dir + path); !errors.Is(err, unix.ELOOP) {
			t.Errorf("%s: %v", path, err)
		}
	}
	t.Chdir(dir + "/real")
	if err := Stays(dir + "/real"); err != nil {
		t.Error(err)
	}
	if err := Stays(dir + "/real/in"); !errors.Is(err, unix.ESTALE) {
		t.Errorf("another folder: %v", err)
	}
}
