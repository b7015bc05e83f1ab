package tree

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestNamesOfAnyBytes(t *testing.T) {
	for name, want := range map[Name]string{
		"a": `"a"`, "": `""`, "ü\n": `"ü\n"`, "\xff": `{"base64":"/w=="}`, "a\x00b": `"a\u0000b"`,
	} {
		text, err := json.Marshal(name)
		if err != nil || string(text) != want {
			t.Errorf("%q: %s, %v; want %s", name, text, err, want)
		}
		var back Name
		if err := json.Unmarshal(text, &back); err != nil || back != name {
			t.Errorf("%s comes back as %q, %v", text, back, err)
		}
	}
	for _, text := range []string{`1`, `["a"]`, `{"base64":1}`, `{"base64":"?"}`} {
		var n Name
		if err := json.Unmarshal([]byte(text), &n); err == nil {
			t.Errorf("%s is read as %q", text, n)
		}
	}
}

func TestStamps(t *testing.T) {
	for text, want := range map[string]Stamp{
		"0.000000000": 0, "1.000000002": 1e9 + 2, "-1.999999999": -1, "-2.000000000": -2e9,
		"1795377373.303496002": 1795377373303496002,
	} {
		var s Stamp
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%s: %d, %v", text, s, err)
		}
		if back, _ := want.MarshalText(); string(back) != text {
			t.Errorf("%d is written as %s, not %s", want, back, text)
		}
	}
	for _, text := range []string{"", "1", "1.5", "1.-00000001", "x.000000000", "1.00000000x",
		"99999999999.000000000"} {
		if err := new(Stamp).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a time", text)
		}
	}
}

func TestModes(t *testing.T) {
	for text, want := range map[string]Mode{
		"0644": 0o644, "4755": 0o4755, "0000": 0, "7777": 0o7777,
	} {
		var m Mode
		if err := m.UnmarshalText([]byte(text)); err != nil || m != want {
			t.Errorf("%s: %o, %v", text, m, err)
		}
		if back, _ := want.MarshalText(); string(back) != text {
			t.Errorf("%o is written as %s", want, back)
		}
	}
	for _, text := range []string{"", "0888", "17777", "-1", "rwx"} {
		if err := new(Mode).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a mode", text)
		}
	}
}

// What counts as a change of a file, and what a rename alone leaves.
func TestUntouched(t *testing.T) {
	file := File{Type: Regular, Mode: 0o644, UID: 1, GID: 2, Size: 3, Mtime: 4, Ctime: 5, Ino: 6}
	folder := File{Type: Folder, Mode: 0o755, Mtime: 4, Ctime: 5, Ino: 6}
	link := File{Type: Symlink, Mode: 0o777, Target: "a", Ino: 6}
	for _, c := range []struct {
		name             string
		was              File
		change           func(*File)
		untouched, still bool
	}{
		{"nothing", file, func(*File) {}, true, true},
		{"a rename", file, func(f *File) { f.Ctime++ }, false, true},
		{"contents", file, func(f *File) { f.Mtime++ }, false, false},
		{"size", file, func(f *File) { f.Size++ }, false, false},
		{"mode", file, func(f *File) { f.Mode = 0o600 }, false, false},
		{"owner", file, func(f *File) { f.UID++ }, false, false},
		{"group", file, func(f *File) { f.GID++ }, false, false},
		{"another file", file, func(f *File) { f.Ino++ }, false, false},
		{"another type", file, func(f *File) { f.Type = Fifo }, false, false},
		{"another device", file, func(f *File) { f.Device++ }, false, false},
		{"what lies in a folder", folder, func(f *File) { f.Mtime++; f.Ctime++; f.Size++ }, true, true},
		{"a folder's mode", folder, func(f *File) { f.Mode = 0o700 }, false, false},
		{"another folder", folder, func(f *File) { f.Ino++ }, false, false},
		{"a link's target", link, func(f *File) { f.Target = "b" }, false, false},
		{"a link's mode, which it has not", link, func(f *File) { f.Mode = 0 }, true, true},
	} {
		now := c.was
		c.change(&now)
		if c.was.Untouched(&now) != c.untouched || c.was.Still(&now) != c.still {
			t.Errorf("%s: untouched %v, still %v", c.name, c.was.Untouched(&now), c.was.Still(&now))
		}
	}
}

// opened opens a folder until the test ends.
func opened(t *testing.T, dir string) *Root {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// A copy has all that the file has, holes too.
func TestCopy(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	r := opened(t, dir)
	os.WriteFile(at("plain"), []byte("text"), 0o640)
	os.WriteFile(at("empty"), nil, 0o400)
	os.WriteFile(at("marked"), []byte("x"), 0o444)
	os.Chmod(at("marked"), 0o644)
	unix.Setxattr(at("marked"), "user.a", []byte("b"), 0)
	os.Chmod(at("marked"), 0o444)
	sparse, _ := os.Create(at("sparse"))
	sparse.WriteAt([]byte("end"), 8<<20)
	sparse.Close()
	os.Truncate(at("sparse"), 16<<20)
	os.Symlink("nowhere\xff", at("link"))
	os.Mkdir(at("folder"), 0o2710)
	unix.Mkfifo(at("fifo"), 0o600)
	unix.Mknod(at("socket"), unix.S_IFSOCK|0o600, 0)
	names, _ := os.ReadDir(dir)
	for _, entry := range names {
		from, to := at(entry.Name()), at("copy of "+entry.Name())
		old, fresh := r.At(entry.Name()), r.At("copy of "+entry.Name())
		old.SetMtime(1e18 + 7)
		f, err := Lstat(from)
		if err == nil {
			err = Copy(old, fresh, f)
		}
		g, err2 := Lstat(to)
		if err != nil || err2 != nil || g == nil {
			t.Errorf("%s: %v, %v", entry.Name(), err, err2)
			continue
		}
		if !f.SameMeta(g) || f.Mtime != g.Mtime || f.Target != g.Target || f.Type != Folder &&
			f.Size != g.Size {
			t.Errorf("%s: %+v becomes %+v", entry.Name(), f, g)
		}
		a, _ := old.Attributes()
		if b, _ := fresh.Attributes(); !a.Equal(b) {
			t.Errorf("%s: %q become %q", entry.Name(), a, b)
		}
		if same, err := SameData(old, fresh); f.Type == Regular && (err != nil || !same) {
			t.Errorf("%s: other contents, %v", entry.Name(), err)
		}
		if err := Copy(old, fresh, f); err == nil {
			t.Errorf("%s: copied over what is there", entry.Name())
		}
	}
	var st unix.Stat_t
	if unix.Stat(at("copy of sparse"), &st); st.Blocks*512 > 4<<20 {
		t.Errorf("holes take %d bytes", st.Blocks*512)
	}
	if err := Copy(r.At("none"), r.At("to"), &File{Type: Regular}); err == nil {
		t.Error("nothing is copied")
	} else if _, err := os.Lstat(at("to")); err == nil {
		t.Error("a copy that failed is left")
	}
}

func TestSameData(t *testing.T) {
	dir := t.TempDir()
	r := opened(t, dir)
	write := func(name, text string) Place {
		os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
		return r.At(name)
	}
	long := strings.Repeat("x", 128<<10)
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"", "", true}, {"a", "a", true}, {"a", "b", false}, {"a", "", false}, {"", "a", false},
		{long, long, true}, {long, long + "y", false}, {long + "y", long + "z", false},
		{long[:64<<10], long[:64<<10], true}, {long[:64<<10], long, false},
	} {
		same, err := SameData(write("a", c.a), write("b", c.b))
		if err != nil || same != c.same {
			t.Errorf("%.9q (%d) and %.9q (%d): %v, %v", c.a, len(c.a), c.b, len(c.b), same, err)
		}
	}
	if _, err := SameData(write("a", ""), r.At("none")); err == nil {
		t.Error("a file that is not there")
	}
	os.Symlink("a", filepath.Join(dir, "link"))
	if _, err := SameData(write("a", ""), r.At("link")); err == nil {
		t.Error("a link was followed")
	}
}

// FuzzFile: any JSON is a file that is written as it was read, or none.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"type":"link","mode":"0777","mtime":"1.000000002","target":{"base64":"/w=="}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var one, two File
		if json.Unmarshal(text, &one) != nil {
			return
		}
		again, err := json.Marshal(&one)
		if err != nil || json.Unmarshal(again, &two) != nil || one != two {
			t.Errorf("%s: %+v is written as %s and read as %+v", text, one, again, two)
		}
	})
}

func TestShown(t *testing.T) {
	for path, want := range map[string]string{"a b": "a b", "a\nb": `"a\nb"`, "\xff": `"\xff"`,
		`a"b`: `"a\"b"`,
		"ü":   "ü", "\x1b[2J": `"\x1b[2J"`} {
		if got := Shown(path); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}
