package run

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAbove(t *testing.T) {
	for dir, want := range map[string]string{
		"/data/sub/u/runs/A":       "/data/sub/u/runs/A",
		"/data/sub/u/runs/A/sub/B": "/data/sub/u/runs/A",
		"/s/runs/A/sub/B/sub/C":    "/s/runs/A",
		"/s/runs/A/sub":            "/s/runs/A/sub",
		"/sub":                     "/sub", "/": "/", "": "",
	} {
		r := Run{filepath.Base(dir), dir}
		if got := r.Top(); got.Dir != want || dir != want && got.ID != "A" {
			t.Errorf("%s: %+v", dir, got)
		}
	}
}

func TestNew(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("UA_RUN_DIR", dir)
	r, err := New(Parent())
	if err != nil || filepath.Dir(r.Dir) != filepath.Join(dir, "sub") {
		t.Fatal(r, err)
	}
	if info, err := os.Stat(r.Dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatal(info, err)
	}
}

func TestNamesSortByTime(t *testing.T) {
	dir, last := t.TempDir(), ""
	for range 5 {
		r, err := New(dir)
		if err != nil || r.ID <= last {
			t.Fatalf("%s after %s, %v", r.ID, last, err)
		}
		last = r.ID
		time.Sleep(2 * time.Millisecond)
	}
}

func TestChildren(t *testing.T) {
	r := Run{"a", filepath.Join(t.TempDir(), "a")}
	if list, err := r.Children(); len(list) != 0 || err != nil {
		t.Errorf("of none: %v, %v", list, err)
	}
	os.MkdirAll(filepath.Join(r.Dir, "sub", "b"), 0o700)
	list, err := r.Children()
	if len(list) != 1 || list[0].ID != "b" || err != nil {
		t.Fatalf("%v, %v", list, err)
	}
	for _, name := range []string{"\x1b]0;x\a", "\xc2\x9b2J", "\xe2\x80\xae", "a\nb", "\xff"} {
		os.Mkdir(filepath.Join(r.Dir, "sub", name), 0o700)
	}
	if list, err := r.Children(); len(list) != 1 || err != nil {
		t.Errorf("beside names that drive a terminal: %v, %v", list, err)
	}
	os.Symlink("..", filepath.Join(list[0].Dir, "sub"))
	if list, err := list[0].Children(); len(list) != 0 || err != nil {
		t.Errorf("behind a link: %v, %v", list, err)
	}
}
