package prog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// program makes an executable file.
func program(t *testing.T, dir, name string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// The folders of a workspace on PATH, as of a virtual environment, hold what
// commands have put there.
func TestLookup(t *testing.T) {
	base := t.TempDir()
	work, tmp, home := filepath.Join(base, "work"), filepath.Join(base, "tmp"),
		filepath.Join(base, "home")
	program(t, work+"/venv/bin", "bash")
	program(t, work+"/venv/bin", "ua-none-such")
	program(t, tmp, "ua-none-such")
	program(t, home+"/given", "ua-none-such")
	if err := os.Symlink(work+"/venv/bin", home+"/link"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(work+"/venv/bin/ua-none-such",
		program(t, home+"/file", "x")+"y"); err != nil {
		t.Fatal(err)
	}
	good := program(t, home+"/good", "ua-none-such")
	t.Chdir(work)
	t.Setenv("TMPDIR", tmp)
	bad := work + "/venv/bin:venv/bin:./venv/bin::" + tmp + ":" + home + "/link:" + home + "/nothing"
	t.Setenv("PATH", bad)
	if got := Lookup("bash"); got != "" && filepath.Dir(got) == work+"/venv/bin" {
		t.Errorf("bash is %s", got)
	}
	if got := Lookup("ua-none-such") + Sibling("ua-none-such"); got != "" {
		t.Errorf("found %s", got)
	}
	t.Setenv("PATH", bad+":"+home+"/good")
	if got := Sibling("ua-none-such"); got != good {
		t.Errorf("the sibling is %q", got)
	}
	want := ""
	if os.Getuid() == 0 {
		want = good // root's folder, which nobody else writes
	}
	if got := Lookup("ua-none-such"); got != want {
		t.Errorf("found %q, not %q", got, want)
	}
	t.Setenv("PATH", home+"/given:"+home+"/good")
	if got := Lookup("ua-none-such", home+"/given"); got != want {
		t.Errorf("with a folder given: %q, not %q", got, want)
	}
}

// TestFindSibling: what is missing is said with its name and what to do.
func TestFindSibling(t *testing.T) {
	t.Setenv("PATH", "/nowhere")
	_, err := FindSibling("ua-none")
	var e *Error
	if !errors.As(err, &e) || e.Status != NotFound || e.Hint == "" ||
		!strings.HasPrefix(err.Error(), "ua-none: not found") {
		t.Errorf("%v", err)
	}
	if path, err := FindSibling(filepath.Base(os.Args[0])); err != nil || !filepath.IsAbs(path) {
		t.Errorf("%q: %v", path, err)
	}
}
