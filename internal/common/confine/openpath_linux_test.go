package confine

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOpenPath opens the same paths by openat2(2) and name by name, as in a sandbox.
func TestOpenPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, err := range []error{os.MkdirAll("a/b", 0o700), os.WriteFile("a/b/file", nil, 0o600),
		os.Symlink("b", "a/link"), os.Symlink("file", "a/b/same")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path  string
		flags int
		want  error
	}{
		{"/", 0, nil}, {dir, 0, nil}, {dir + "/a/b/file", 0, nil}, {"a/b/file", 0, nil},
		{"a", 0, nil}, {".", unix.O_DIRECTORY, nil},
		{dir + "/a/link", 0, unix.ELOOP}, {dir + "/a/link", unix.O_NOFOLLOW, nil},
		{dir + "/a/link/file", 0, unix.ELOOP}, {dir + "/a/link/file", unix.O_NOFOLLOW, unix.ELOOP},
		{"a/b/same", 0, unix.ELOOP}, {"a/b/same", unix.O_NOFOLLOW, nil},
		{dir + "/none/file", 0, unix.ENOENT}, {dir + "/a/none", 0, unix.ENOENT},
		{dir + "/a/b/file/x", 0, unix.ENOTDIR}, {dir + "/a/b/file", unix.O_DIRECTORY, unix.ENOTDIR},
	} {
		for name, open := range map[string]func() (int, error){
			"openat2": func() (int, error) { return OpenPath(c.path, c.flags) },
			"walk":    func() (int, error) { return walk(c.path, c.flags|unix.O_PATH|unix.O_CLOEXEC) },
		} {
			fd, err := open()
			if err != c.want {
				t.Errorf("%s %q, flags %#x: %v, want %v", name, c.path, c.flags, err, c.want)
			}
			var got, want unix.Stat_t
			if err == nil {
				follow := 0
				if c.flags&unix.O_NOFOLLOW != 0 {
					follow = unix.AT_SYMLINK_NOFOLLOW
				}
				if unix.Fstat(fd, &got) != nil ||
					unix.Fstatat(unix.AT_FDCWD, c.path, &want, follow) != nil ||
					got.Dev != want.Dev || got.Ino != want.Ino {
					t.Errorf("%s %q opened another file", name, c.path)
				}
				unix.Close(fd)
			}
		}
	}
}

// TestWalkCloses walks often enough to run out of descriptors if one stayed open.
func TestWalkCloses(t *testing.T) {
	dir := t.TempDir()
	before := descriptors(t)
	for range 100 {
		for _, path := range []string{dir, dir + "/none", dir + "/none/file"} {
			if fd, err := walk(path, unix.O_PATH); err == nil {
				unix.Close(fd)
			}
		}
	}
	if after := descriptors(t); after > before+20 {
		t.Errorf("%d descriptors are open, %d before", after, before)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}
