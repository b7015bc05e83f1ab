package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A lister sees what os.ReadDir sees, also in a folder that takes many calls, and
// in one folder after another.
func TestList(t *testing.T) {
	dir := t.TempDir()
	for i := range 400 {
		name := filepath.Join(dir, fmt.Sprintf("%d-%s", i, strings.Repeat("n", i%200)))
		if i%3 == 0 {
			if err := os.Mkdir(name, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(dir, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	var l lister
	for _, at := range []string{dir, filepath.Join(dir, "0-"), filepath.Join(dir, "none"),
		filepath.Join(dir, "1-n"), dir} {
		want, _ := os.ReadDir(at)
		got := map[string]bool{}
		l.list(at, func(name []byte, folder bool) { got[string(name)] = folder })
		if len(got) != len(want) {
			t.Errorf("%s: %d names, want %d", at, len(got), len(want))
		}
		for _, e := range want {
			if folder, ok := got[e.Name()]; !ok || folder != e.IsDir() {
				t.Errorf("%s: %v %v, want %v", e.Name(), ok, folder, e.IsDir())
			}
		}
	}
}
