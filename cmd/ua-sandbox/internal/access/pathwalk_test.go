package access

import (
	"os"
	"path/filepath"
	"testing"
)

// A link that only another link leads to, one in the middle of the way, a circle
// and what is not there lead where filepath.EvalSymlinks says.
func TestExisting(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"a/b/c", "a/file"} {
		if err := os.MkdirAll(filepath.Join(dir, f), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"one": "two", "two": "a/b", "a/up": "../one/c",
		"circle": "circle", "gone": "nothing/here"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	var tr tree
	for _, name := range []string{"a/b/c", "one", "one/c", "two/c/none", "a/up", "circle", "circle/x",
		"gone", "a/file/x", "none", "none/x", "one/c"} {
		path := filepath.Join(dir, name)
		want, wrong := filepath.EvalSymlinks(path)
		for range 2 {
			if got, err := tr.existing(path); got != want || (err == nil) != (wrong == nil) {
				t.Errorf("%s: %q %v, want %q %v", name, got, err, want, wrong)
			}
		}
	}
}

// TestFolded: names that differ in case only are one, and letters that only resemble
// small ones are those.
func TestFolded(t *testing.T) {
	for name, want := range map[string]string{
		".netrc": ".netrc", ".NetRC": ".netrc", ".\u212aube": ".kube", "a\u017fh": "ash", "É": "é",
	} {
		if got := folded(name); got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
}
