package outputdir

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/jobs"
)

func TestSafeName(t *testing.T) {
	for id, want := range map[string]string{
		"call_1":                 "call_1",
		"toolu-01A":              "toolu-01A",
		"../../etc/passwd":       "______etc_passwd",
		"a b\n\x00ü":             "a_b___",
		strings.Repeat("x", 100): strings.Repeat("x", 40),
		"":                       "",
	} {
		if got := safeName(id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}

// A folder without a path is a private one in TMPDIR, made when it is needed.
func TestPrivate(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	var f Folder
	if f.Made() != "" || f.Root() != nil {
		t.Error("it is there before it is needed")
	}
	file, err := f.Create("c/1", ".txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	dir, name := filepath.Split(file.Name())
	info, err := os.Stat(dir)
	if filepath.Clean(dir) != f.Made() || filepath.Dir(f.Made()) != tmp || err != nil ||
		info.Mode().Perm() != 0o700 {
		t.Errorf("%s in %s: %v", name, f.Made(), err)
	}
	info, err = file.Stat()
	if !strings.HasPrefix(name, "c_1-") || !strings.HasSuffix(name, ".txt") || err != nil ||
		info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v", name, err)
	}
}

// A link that a command puts in the place of the folder leads nowhere once it is made.
func TestLinkInPlace(t *testing.T) {
	at, other := filepath.Join(t.TempDir(), "out"), t.TempDir()
	f := Folder{Path: at}
	if err := f.Make(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(at, at+".old"), os.Symlink(other, at)); err != nil {
		t.Fatal(err)
	}
	file, err := f.Create("c", ".txt")
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	if list, _ := os.ReadDir(other); len(list) != 0 {
		t.Errorf("%v was made elsewhere", list)
	}
	if list, _ := os.ReadDir(at + ".old"); len(list) != 1 {
		t.Errorf("%v where the folder is", list)
	}
}

func TestRoom(t *testing.T) {
	f := Folder{Path: t.TempDir(), Max: 10}
	if n := f.BytesLeft(100); n != 10 {
		t.Errorf("room for %d", n)
	}
	if n := f.BytesLeft(5); n != 5 {
		t.Errorf("room for %d", n)
	}
	file, err := f.Create("c", ".txt")
	if err != nil {
		t.Fatal(err)
	}
	file.WriteString("12345678")
	file.Close()
	f.Count(file.Name())
	if n := f.BytesLeft(100); n != 2 {
		t.Errorf("room for %d", n)
	}
	f.Count("")                              // a result without a file
	f.Count(filepath.Join(f.Path, "absent")) // one that a command has removed
	f.Count(file.Name())
	if n := f.BytesLeft(100); n != 1 {
		t.Errorf("a file needs room for a byte, not %d", n)
	}
	if _, err := f.Create("d", ".txt"); !errors.Is(err, errFull) {
		t.Errorf("it is full: %v", err)
	}
	if n := (&Folder{}).BytesLeft(100); n != 100 {
		t.Errorf("without a bound: %d", n)
	}
}

// A record takes the place of the one before, whole, and leaves nothing beside it.
func TestRecord(t *testing.T) {
	f := Folder{Path: t.TempDir(), Max: 1} // which bounds no records
	path := f.Record("c", "", &jobs.Record{CallID: "c", State: jobs.Running})
	if path == "" || !strings.HasSuffix(path, jobs.Suffix) {
		t.Fatalf("%q", path)
	}
	if again := f.Record("c", path, &jobs.Record{CallID: "c", State: jobs.Ended}); again != path {
		t.Errorf("%q", again)
	}
	text, err := os.ReadFile(path)
	var r jobs.Record
	if err != nil || json.Unmarshal(text, &r) != nil || r.State != jobs.Ended {
		t.Errorf("%s, %v", text, err)
	}
	if list, _ := os.ReadDir(f.Path); len(list) != 1 {
		t.Errorf("%v", list)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil { // as a command may do
		t.Fatal(err)
	}
	f.Record("c", path, &r)
	if list, _ := os.ReadDir(f.Path); len(list) != 1 {
		t.Errorf("%v", list)
	}
}

// Where no folder can be made there is no file, and the error says why.
func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := Folder{Path: file}
	if _, err := f.Create("c", ".txt"); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("%v", err)
	}
	if path := f.Record("c", "", &jobs.Record{}); path != "" {
		t.Error(path)
	}
	t.Setenv("TMPDIR", file)
	if err := (&Folder{}).Make(); err == nil {
		t.Error("a private folder in a file")
	}
}
