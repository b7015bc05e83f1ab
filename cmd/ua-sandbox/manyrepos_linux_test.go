package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManyRepositories holds that a command runs where there are many, with long names: what
// is protected in them is more text than a socket takes at once.
func TestManyRepositories(t *testing.T) {
	name := strings.Repeat("long", 60)
	dir := filepath.Join(t.TempDir(), name, name)
	for i := range 90 {
		for _, name := range []string{"config", "config.worktree", "commondir", "info/attributes",
			"hooks/x"} {
			path := filepath.Join(dir, fmt.Sprintf("r%d/.git", i), name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
				os.WriteFile(path, nil, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tier := range tiers(t) {
		if got := output(t, dir, "--tier", tier, "--", "echo", "ran"); got != "ran" {
			t.Errorf("tier %s: %s", tier, got)
		}
	}
}
