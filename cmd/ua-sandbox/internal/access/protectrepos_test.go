package access

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestParts holds that more worktrees and modules than anybody has, as a command could make
// them, neither hold up the next one nor hide one that was there: their folder is protected.
func TestParts(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git := filepath.Join(dir, ".git")
	add := func(kind string, n int) {
		for i := range n {
			part := filepath.Join(git, kind, fmt.Sprint("a", i))
			if err := os.MkdirAll(filepath.Join(part, "hooks"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(part, "HEAD"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	protected := func() []string {
		p := &Policy{Write: []string{dir}}
		p.gitDir(git, dir)
		return p.Protect
	}
	modules := filepath.Join(git, "modules")
	add("worktrees", 2)
	add("modules", 20)
	if got := protected(); slices.Contains(got, modules) ||
		!slices.Contains(got, filepath.Join(modules, "a7/hooks")) {
		t.Errorf("20: %q", got)
	}
	add("modules", maxParts-1)
	if got := protected(); len(got) > 9 || !slices.Contains(got, modules) {
		t.Errorf("too many: %q", got)
	}
}
