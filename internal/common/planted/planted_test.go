package planted

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck: links in the folders may lead within them, links elsewhere anywhere.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"work/sub", "more", "out"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"work/away": "../out", "work/far": "/etc/hostname",
		"work/in": "sub", "work/twice": "in/x", "work/more": "../more/x", "own": "out",
		"work/circle": "circle", "work/sub/up": "../../out/x", "lead": "work"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, link := range map[string]string{
		"work/x": "", "work/missing/x": "", "own/x": "", "work/in/x": "", "work/twice": "",
		"work/more": "", "work/away/x": "work/away", "work/away": "work/away", "work/far": "work/far",
		"work/in/up": "work/sub/up", "lead/away/x": "work/away", "out/x": "",
		"work/circle": "work/circle", "work/sub/../away/x": "work/away",
	} {
		err := Check("--x", filepath.Join(dir, path), dir, []string{"work", "more", "none"})
		if (err != nil) != (link != "") ||
			err != nil && !strings.Contains(err.Error(), `"`+filepath.Join(dir, link)+`" is a`) {
			t.Errorf("%s: %v, want %q", path, err, link)
		}
	}
}
