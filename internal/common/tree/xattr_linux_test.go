package tree

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"ua/internal/test/scripttest"
)

// marked makes a file with attributes, of a mode that may forbid to set any.
func marked(t *testing.T, mode os.FileMode, names ...string) string {
	path := filepath.Join(t.TempDir(), "file")
	os.WriteFile(path, nil, 0o600)
	for _, name := range names {
		if err := unix.Setxattr(path, name, []byte("value of "+name), 0); errors.Is(err, unix.ENOTSUP) {
			scripttest.Skip(t, scripttest.Elsewhere,
				"the file system of TMPDIR keeps no attributes of users")
		} else if err != nil {
			t.Fatal(err)
		}
	}
	os.Chmod(path, mode)
	return path
}

// place returns the place of a file, and look how it is.
func place(t *testing.T, path string) Place {
	return opened(t, filepath.Dir(path)).At(filepath.Base(path))
}
func look(path string) *File {
	f, _ := Lstat(path)
	return f
}

// attributeNames returns the names of a file's attributes, an overlay's too.
func attributeNames(t *testing.T, path string) ([]string, error) {
	fd, _, err := place(t, path).pin()
	if err != nil {
		t.Fatal(err)
	}
	defer fd.close()
	return fd.attributeNames()
}

// TestSet gives a file just the attributes of another, whatever its mode is, which stays.
func TestSet(t *testing.T) {
	marked(t, 0o600, "user.a") // or there is nothing to test
	for name, c := range map[string]struct {
		has  []string
		want Attributes
	}{
		"none":     {nil, Attributes{}},
		"new ones": {nil, Attributes{"user.a": []byte("1"), "user.b": nil}},
		"others": {[]string{"user.a", "user.b"}, Attributes{"user.b": []byte("2"),
			"user.c": []byte("\x00\xff")}},
		"the same":   {[]string{"user.a"}, Attributes{"user.a": []byte("value of user.a")}},
		"no more":    {[]string{"user.a", "user.b"}, Attributes{}},
		"a long one": {[]string{"user.a"}, Attributes{"user.a": make([]byte, 2000)}},
	} {
		for _, mode := range []os.FileMode{0o644, 0o444} {
			path := marked(t, mode, c.has...)
			if err := place(t, path).Apply(nil, look(path), c.want); err != nil {
				t.Errorf("%s, mode %o: %v", name, mode, err)
			}
			info, _ := os.Stat(path)
			if info.Mode().Perm() != mode {
				t.Errorf("%s: mode %o becomes %o", name, mode, info.Mode().Perm())
			}
			os.Chmod(path, 0o600)
			got, err := place(t, path).Attributes()
			if err != nil || !got.Equal(c.want) {
				t.Errorf("%s, mode %o: %q, %v", name, mode, got, err)
			}
		}
	}
}

// TestStrip takes an overlay's marks away, and nothing else.
func TestStrip(t *testing.T) {
	path := marked(t, 0o444, "user.own", "user.overlay.opaque", "user.overlay.origin",
		"user.overlayed")
	if list, err := place(t, path).Attributes(); err != nil || len(list) != 2 {
		t.Errorf("without an overlay's: %q, %v", list, err)
	}
	for range 2 {
		if err := place(t, path).Strip(); err != nil {
			t.Error(err)
		}
	}
	names, err := attributeNames(t, path)
	slices.Sort(names)
	if err != nil || !slices.Equal(names, []string{"user.overlayed", "user.own"}) {
		t.Errorf("%q, %v", names, err)
	}
	for _, name := range []string{"user.overlay.x", "trusted.overlay.x"} {
		if !Overlay(name) || Overlay("x"+name) {
			t.Error(name)
		}
	}
	if err := place(t, path+".none").Strip(); err == nil {
		t.Error("a file that is not there")
	}
}

// TestManyAttributes: any number of names is read.
func TestManyAttributes(t *testing.T) {
	var want []string
	for c := 'a'; c <= 'z'; c++ {
		want = append(want, "user.a-name-that-takes-its-room-in-the-list-"+string(c))
	}
	names, err := attributeNames(t, marked(t, 0o600, want...))
	slices.Sort(names)
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("%d of %d, %v", len(names), len(want), err)
	}
}

// TestReal leads to a file by no links.
func TestReal(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	os.Mkdir("d", 0o700)
	os.Symlink("d", "l")
	os.WriteFile("d/f", nil, 0o600)
	for path, want := range map[string]string{".": dir, "l": dir + "/d", "l/f": dir + "/d/f",
		dir + "/l/../d": dir + "/d",
		"none":          "", "l/none": ""} {
		if got, err := Real(path); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
}
