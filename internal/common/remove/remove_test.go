//go:build unix

package remove

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// long is the name of each folder in nest.
var long = strings.Repeat("d", 100)

// nest makes folders in each other, the innermost without any rights.
func nest(t *testing.T, dir string, depth int) {
	t.Helper()
	at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	for ; err == nil && depth > 0; depth-- {
		if err = unix.Mkdirat(at, long, 0o700); err == nil {
			next, err2 := unix.Openat(at, long, unix.O_RDONLY|unix.O_DIRECTORY, 0)
			unix.Close(at)
			at, err = next, err2
		}
		if err == nil && depth%10 == 0 {
			err = unix.Symlinkat("/", at, "link")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Fchmod(at, 0); err != nil {
		t.Fatal(err)
	}
	unix.Close(at)
}

// TestAll removes a tree that is deeper than there may be open files, and longer than a path.
func TestAll(t *testing.T) {
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	few := was
	few.Cur = 200
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was)
	dir := t.TempDir()
	kept, tree := filepath.Join(dir, "kept"), filepath.Join(dir, "tree")
	os.Mkdir(kept, 0o500)
	os.Mkdir(tree, 0o700)
	os.Symlink(kept, filepath.Join(tree, "link"))
	os.Mkdir(filepath.Join(tree, "wide"), 0o700)
	for i := range 1000 {
		os.MkdirAll(filepath.Join(tree, "wide", string(rune('A'+i%26)), string(rune('0'+i))), 0o700)
	}
	nest(t, tree, 300)
	nest(t, filepath.Join(tree, "wide"), 10)
	os.Chmod(filepath.Join(tree, "wide", "A"), 0o100)
	os.Chmod(filepath.Join(tree, "wide"), 0o500)
	if err := All(tree); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
		t.Errorf("%v, %v", left, err)
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("behind a link: %v, %v", info, err)
	}
	for _, path := range []string{tree, filepath.Join(tree, "none"), filepath.Join(kept, "none")} {
		if err := All(path); err != nil {
			t.Error(err)
		}
	}
}

// TestShut: folders that keep their owner out are removed, links are not followed.
func TestShut(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside")
	os.Mkdir(outside, 0o700)
	os.WriteFile(outside+"/kept", nil, 0o600)
	top := filepath.Join(dir, "top")
	os.MkdirAll(top+"/shut/in", 0o700)
	os.WriteFile(top+"/shut/in/file", nil, 0o400)
	os.Symlink(outside, top+"/shut/link")
	os.Chmod(top+"/shut/in", 0)
	os.Chmod(top+"/shut", 0o500)
	for range 2 { // the second time there is nothing
		if err := All(top); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(top); err == nil {
		t.Error("it is still there")
	}
	if _, err := os.Lstat(outside + "/kept"); err != nil {
		t.Error(err)
	}
}

// TestRefused is told of, and ends.
func TestRefused(t *testing.T) {
	if os.Getuid() == 0 {
		err := All("/proc/self/fdinfo")
		if err == nil {
			t.Error("/proc was removed")
		}
		return
	}
	notRemovable(t, t.TempDir())
}

// notRemovable has a tree in a folder that the caller may not write: it is emptied, and the
// error is the kernel's.
func notRemovable(t *testing.T, dir string) {
	os.MkdirAll(filepath.Join(dir, "outer/inner/x"), 0o700)
	os.WriteFile(filepath.Join(dir, "outer/file"), nil, 0o600)
	os.Chmod(dir, 0o500)
	defer os.Chmod(dir, 0o700)
	err := All(filepath.Join(dir, "outer"))
	left, _ := os.ReadDir(filepath.Join(dir, "outer"))
	if !errors.Is(err, fs.ErrPermission) || len(left) != 0 {
		t.Errorf("%v, left: %v", err, left)
	}
}
