package tree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestSwapped: what was looked at is changed, or nothing. A link that has come in the place
// of a folder or a file leads nowhere.
func TestSwapped(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	r := opened(t, dir)
	os.WriteFile(outside+"/key", []byte("secret"), 0o600)
	os.Mkdir(dir+"/d", 0o700)
	os.WriteFile(dir+"/f", []byte("text"), 0o644)
	folder, _ := r.At("d").Lstat()
	file, _ := r.At("f").Lstat()
	for name, to := range map[string]string{"d": outside, "f": outside + "/key"} {
		os.Rename(filepath.Join(dir, name), filepath.Join(dir, name+".old"))
		os.Symlink(to, filepath.Join(dir, name))
	}
	before := []*File{mustLook(t, outside), mustLook(t, outside+"/key")}
	for what, err := range map[string]error{
		"the mode of a folder": r.At("d").Chmod(folder, 0o777),
		"any mode of it":       r.At("d").Chmod(nil, 0o777),
		"the mode of a file":   r.At("f").Chmod(nil, 0o777),
		"the look of a folder": r.At("d").Apply(nil, folder, Attributes{"user.a": nil}),
		"the look of a file":   r.At("f").Apply(file, file, nil),
		"a copy":               Copy(r.At("f"), r.At("copy"), file),
		"a copy into":          Copy(r.At("f.old"), r.At("d/copy"), file),
		"a folder in it":       r.At("d/new").Mkdir(),
		"a name in it":         r.At("f.old").Rename(r.At("d/f"), 0),
		"a link in it":         r.At("f.old").Link(r.At("d/f")),
		"a file in it":         r.At("d/key").Unlink(),
	} {
		if err == nil {
			t.Errorf("%s was changed", what)
		}
	}
	r.At("d").SetMtime(7) // the link's own
	r.At("d").RemoveAll()
	if text, err := r.At("f").Read(100); err == nil {
		t.Errorf("read: %s", text)
	}
	if names, err := r.At("d").Names(); err == nil {
		t.Errorf("names: %v", names)
	}
	for i, path := range []string{outside, outside + "/key"} {
		if now := mustLook(t, path); *now != *before[i] {
			t.Errorf("%s: %+v, was %+v", path, now, before[i])
		}
	}
	os.Mkdir(dir+"/d", 0o750)
	if err := r.At("d").Chmod(folder, 0o777); !errors.Is(err, ErrChanged) {
		t.Errorf("another folder: %v", err)
	}
}

// TestManyFolders: however many folders are open, both of a rename and of a link are.
func TestManyFolders(t *testing.T) {
	dir := t.TempDir()
	r := opened(t, dir)
	for i := range 300 {
		from, to := r.At(fmt.Sprintf("from%d", i)), r.At(fmt.Sprintf("to%d", i))
		if err := errors.Join(from.Mkdir(), to.Mkdir(), from.Join("f").Mkdir(),
			os.WriteFile(from.Join("g").String(), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(from.Join("f").Rename(to.Join("f"), 0),
			from.Join("g").Link(to.Join("g"))); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
}

// mustLook describes a file that is there.
func mustLook(t *testing.T, path string) *File {
	t.Helper()
	f, err := Lstat(path)
	if err != nil || f == nil {
		t.Fatalf("%s: %v", path, err)
	}
	return f
}
