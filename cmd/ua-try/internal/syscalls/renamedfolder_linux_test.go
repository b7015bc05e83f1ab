package syscalls

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/overlay"
	"ua/cmd/ua-try/internal/test/trytest"
	"ua/internal/common/tree"
)

// cwd is a folder for a test, which is its working folder, and a server whose one cover it
// is: with these for layers nothing has to be mounted.
func cwd(t *testing.T) (dir string, s *server) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, name := range []string{"upper", "lower", "view"} {
		os.Mkdir(name, 0o755)
	}
	var st unix.Stat_t
	unix.Stat(dir, &st)
	open := func(name string) *tree.Root {
		r, err := tree.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.Close)
		return r
	}
	return dir, &server{covers: []overlay.Open{{Path: dir + "/view", Dev: uint64(st.Dev),
		Layers: tree.Layers{Upper: open("upper"), Lower: open("lower"), Xattrs: "user"}}}}
}

// described is what a folder holds: names, types, modes, times, contents, and which names
// are one file's.
func described(t *testing.T, dir string) string {
	var lines []string
	first := map[uint64]string{}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		f, err2 := tree.Lstat(path)
		if err != nil || err2 != nil {
			return fmt.Errorf("%v %v", err, err2)
		}
		rel, _ := filepath.Rel(dir, path)
		text := string(f.Target)
		if f.Type == tree.Regular {
			b, _ := os.ReadFile(path)
			text = string(b)
		}
		if !f.IsFolder() && first[f.Ino] == "" {
			first[f.Ino] = rel
		}
		lines = append(lines, fmt.Sprintf("%q %s %o %d %q %q", rel, f.Type, f.Mode, f.Mtime, text,
			first[f.Ino]))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// TestPrepare makes a folder anew at its place, which looks as it did.
func TestPrepare(t *testing.T) {
	_, s := cwd(t)
	os.MkdirAll("view/d/in/deep", 0o755)
	os.WriteFile("view/d/a", []byte("one"), 0o640)
	os.Link("view/d/a", "view/d/in/b")
	os.Symlink("nowhere\xff", "view/d/l")
	unix.Mkfifo("view/d/fifo", 0o600)
	os.WriteFile("view/d/in/deep/\nname", nil, 0o400)
	if os.Geteuid() == 0 { // the server of an ordinary user has CAP_DAC_OVERRIDE
		os.Chmod("view/d/in/deep", 0o500)
	}
	os.Chmod("view/d", 0o2711)
	for i, path := range []string{"view/d/in/deep", "view/d/in", "view/d", "view"} {
		trytest.At(path).SetMtime(tree.Stamp(1e18 + i))
	}
	want := described(t, "view")
	before, _ := tree.Lstat("view/d")
	parent, err := unix.Open("view", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(parent)
	s.prepare(&folder{fd: -1, parent: parent, name: "d"})
	if got := described(t, "view"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if after, _ := tree.Lstat("view/d"); after == nil || after.Ino == before.Ino {
		t.Errorf("the folder is the same: %+v", after)
	}
	os.Chmod("view/d/in/deep", 0o700)
}

// TestPrepareNone leaves all as it is where there is no folder.
func TestPrepareNone(t *testing.T) {
	_, s := cwd(t)
	os.WriteFile("view/file", []byte("x"), 0o600)
	os.Symlink("lower", "view/link")
	parent, _ := unix.Open("view", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	defer unix.Close(parent)
	want := described(t, "view")
	for _, name := range []string{"file", "link", "none"} {
		s.prepare(&folder{fd: -1, parent: parent, name: name})
		if got := described(t, "view"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestBelow tells where the lower layer shines through.
func TestBelow(t *testing.T) {
	_, s := cwd(t)
	for _, path := range []string{"lower/d/in", "lower/new/in", "lower/shut/in", "lower/up/in",
		"upper/up", "upper/shut/in",
		"upper/only/in"} {
		os.MkdirAll(path, 0o755)
	}
	os.WriteFile("lower/file", nil, 0o600)
	opaque := unix.Setxattr("upper/shut", "user.overlay.opaque", []byte("y"), 0) == nil
	for rel, want := range map[string]bool{"d": true, "d/in": true, "up": true, "up/in": true,
		"only":    false,
		"only/in": false, "file": false, "none": false, "shut": !opaque,
		"shut/in": !opaque} {
		if got := below(s.covers[0].Layers, rel); got != want {
			t.Errorf("%s: %v", rel, got)
		}
	}
}

// TestFolder finds the folders that can't be renamed yet, by the names that a process uses.
func TestFolder(t *testing.T) {
	dir, s := cwd(t)
	os.MkdirAll("view/d/in", 0o755)
	os.MkdirAll("lower/d/in", 0o755)
	os.Mkdir("view/own", 0o755)
	os.WriteFile("view/file", nil, 0o600)
	os.Symlink("d", "view/link")
	fd, _ := unix.Open("view/d", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	defer unix.Close(fd)
	for _, c := range []struct {
		fd         int
		path, name string
	}{
		{unix.AT_FDCWD, "view/d", "d"}, {unix.AT_FDCWD, "view/d//", "d"}, {unix.AT_FDCWD,
			dir + "/view/d/in", "in"},
		{fd, "in", "in"}, {fd, "./in", "in"}, {unix.AT_FDCWD, "view/link/in", "in"},
		{unix.AT_FDCWD, "view/link", ""}, {unix.AT_FDCWD, "view/own", ""}, {unix.AT_FDCWD, "view/file",
			""},
		{unix.AT_FDCWD, "view/none", ""}, {unix.AT_FDCWD, "view/d/.", ""}, {unix.AT_FDCWD, "view/d/..",
			""},
		{unix.AT_FDCWD, "lower/d", ""}, {unix.AT_FDCWD, "", ""}, {fd, "none", ""}, {-7, "in", ""},
	} {
		got := s.folder(os.Getpid(), named{c.fd, c.path})
		if (got != nil) != (c.name != "") || got != nil && got.name != c.name {
			t.Errorf("%d %q: %+v, want %q", c.fd, c.path, got, c.name)
		}
		if got != nil {
			got.close()
		}
	}
}

// TestRefused knows the renames that the kernel refuses anyway.
func TestRefused(t *testing.T) {
	_, s := cwd(t)
	for _, path := range []string{"view/d/in", "view/empty", "view/full/x", "view/to", "lower/d",
		"elsewhere"} {
		os.MkdirAll(path, 0o755)
	}
	os.WriteFile("view/file", nil, 0o600)
	os.Symlink("to", "view/link")
	for _, c := range []struct {
		to    string
		flags uint64
		want  bool
	}{
		{"view/new", 0, false}, {"view/to/new", 0, false}, {"view/link/new", 0, false}, {"elsewhere/new",
			0, false},
		{"view/empty", 0, false}, {"view/new", unix.RENAME_NOREPLACE, false},
		{"view/full", 0, true}, {"view/file", 0, true}, {"view/d", 0, true}, {"view/d/in/new", 0, true},
		{"view/none/new", 0, true}, {"view/.", 0, true}, {"view/..", 0, true}, {"", 0, true},
		{"view/empty", unix.RENAME_NOREPLACE, true}, {"view/new", unix.RENAME_EXCHANGE, true},
		{"view/full", unix.RENAME_EXCHANGE, false}, {"view/file", unix.RENAME_EXCHANGE, false},
	} {
		f := s.folder(os.Getpid(), named{unix.AT_FDCWD, "view/d"})
		if f == nil {
			t.Fatal("no folder")
		}
		if got := f.refused(os.Getpid(), named{unix.AT_FDCWD, c.to}, c.flags); got != c.want {
			t.Errorf("%q, flags %d: %v", c.to, c.flags, got)
		}
		f.close()
	}
}

// TestSameFile tells renames of one name to another of the same file, which do nothing.
func TestSameFile(t *testing.T) {
	_, s := cwd(t)
	os.Mkdir("view/d", 0o755)
	os.Mkdir("upper/d", 0o755)
	os.WriteFile("upper/a", nil, 0o600)
	os.WriteFile("upper/single", nil, 0o600)
	os.Link("upper/a", "upper/b")
	os.Link("upper/a", "upper/d/c")
	os.WriteFile("upper/other", nil, 0o600)
	os.Link("upper/other", "upper/another")
	for _, c := range []struct {
		one, two string
		flags    uint64
		want     bool
	}{
		{"view/a", "view/b", 0, true}, {"view/a", "view/d/c", 0, true}, {"view/a", "view/a", 0, true},
		{"view/a", "view/b", unix.RENAME_EXCHANGE, true},
		{"view/a", "view/b", unix.RENAME_NOREPLACE, false},
		{"view/a", "view/other", 0, false}, {"view/a", "view/none", 0, false},
		{"view/none", "view/a", 0, false}, {"view/single", "view/single", 0, false},
		{"view/a/", "view/b", 0, false}, {"view/d", "view/d", 0, false},
		{"upper/a", "upper/b", 0, false}, {"view/none/a", "view/b", 0, false},
	} {
		n := &notif{pid: uint32(os.Getpid()), nr: unix.SYS_RENAMEAT2, args: [6]uint64{4: c.flags}}
		names := [2]named{{unix.AT_FDCWD, c.one}, {unix.AT_FDCWD, c.two}}
		if got := s.sameFile(n, names); got != c.want {
			t.Errorf("%s to %s, flags %d: %v", c.one, c.two, c.flags, got)
		}
	}
}

// TestReached tells where a process is about to write, outside of the covers.
func TestReached(t *testing.T) {
	dir, s := cwd(t)
	os.WriteFile("lower/file", nil, 0o600)
	os.WriteFile("lower/shut", nil, 0o400)
	os.Symlink("file", "lower/link")
	os.Symlink("none", "lower/broken")
	unix.Mkfifo("lower/fifo", 0o600)
	fd, _ := unix.Open("lower", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	defer unix.Close(fd)
	shut := dir + "/lower/shut" // root may write
	if os.Geteuid() != 0 {
		shut = ""
	}
	for _, c := range []struct {
		fd     int
		path   string
		follow bool
		want   string
	}{
		{unix.AT_FDCWD, "lower/file", true, dir + "/lower/file"}, {unix.AT_FDCWD, "lower/file", false,
			dir + "/lower/file"},
		{unix.AT_FDCWD, "lower/link", true, dir + "/lower/file"}, {unix.AT_FDCWD, "lower/link", false,
			dir + "/lower/link"},
		{unix.AT_FDCWD, "lower/new", true, dir + "/lower/new"}, {unix.AT_FDCWD, "lower/broken", true,
			dir + "/lower/broken"},
		{fd, "file", true, dir + "/lower/file"}, {fd, "../lower/file", false, dir + "/lower/file"},
		{unix.AT_FDCWD, dir + "/lower/file", true, dir + "/lower/file"}, {unix.AT_FDCWD, "lower/shut",
			true, shut},
		{unix.AT_FDCWD, "lower/fifo", true, ""}, {unix.AT_FDCWD, "/dev/null", true, ""},
		{unix.AT_FDCWD, "none/new", true, ""}, {unix.AT_FDCWD, "lower/..", false, ""},
		{unix.AT_FDCWD, "", true, ""},
	} {
		got, cover := s.reached(os.Getpid(), named{c.fd, c.path}, c.follow)
		if got != c.want || cover != -1 {
			t.Errorf("%d %q, follow %v: %q, want %q; cover %d", c.fd, c.path, c.follow, got, c.want, cover)
		}
	}
}

// TestWithin: a folder is within itself and those above it.
func TestWithin(t *testing.T) {
	cwd(t)
	os.MkdirAll("view/d/in", 0o755)
	os.Mkdir("view/dd", 0o755)
	open := func(path string) int {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		return fd
	}
	top := open("view/d")
	for path, want := range map[string]bool{"view/d": true, "view/d/in": true, "view": false,
		"view/dd": false, "lower": false, "/": false} {
		if got := within(open(path), top); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// TestHasFile finds files by paths without links, and no folders.
func TestHasFile(t *testing.T) {
	_, s := cwd(t)
	os.MkdirAll("lower/d/in", 0o755)
	os.WriteFile("lower/d/in/file", nil, 0)
	os.WriteFile("outside", nil, 0o600)
	os.Symlink("d", "lower/link")
	os.Symlink("nowhere", "lower/dead")
	unix.Mkfifo("lower/fifo", 0o600) // is not waited for
	for rel, want := range map[string]bool{
		"d/in/file": true, "dead": true, "link": true, "fifo": true,
		"d": false, "link/in/file": false, "none": false, "d/in/file/x": false, "": false,
		".": false, "../outside": false, "d/../../outside": false,
	} {
		if got := HasFile(s.covers[0].Lower, rel); got != want {
			t.Errorf("%q: %v", rel, got)
		}
	}
}

// TestCoverOf: a mount in a cover is a cover of its own.
func TestCoverOf(t *testing.T) {
	s := &server{covers: []overlay.Open{{Path: "/w"}, {Path: "/w/mount"}, {Path: "/other"}}}
	for path, want := range map[string]int{"/w": 0, "/w/a": 0, "/w/mount": 1, "/w/mount/a/b": 1,
		"/w/mountain": 0, "/other/w/a": 2, "/": -1, "/ww": -1} {
		if got := s.coverOf(path); got != want {
			t.Errorf("%q: %d, want %d", path, got, want)
		}
	}
}
