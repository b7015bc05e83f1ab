package main

import (
	"os"
	"path/filepath"
	"testing"
)

// In a hidden folder, what --read and --write name can be read at every tier, and
// nothing beside it: a run's folder lies among the journals of all.
func TestShown(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	runs, work := filepath.Join(dir, "state/ua/runs"), filepath.Join(dir, "work")
	for _, path := range []string{runs + "/mine/out", runs + "/other", work} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{runs + "/mine/journal", runs + "/other/journal"} {
		if err := os.WriteFile(path, []byte("kept\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const script = `cd "$1" && echo new >out/f && cat out/f journal && rm out/f
		cat ../other/journal || echo hidden
		{ echo x >journal; } || echo kept out`
	for _, tier := range tiers(t) {
		got := output(t, work, "--quiet", "--tier", tier, "--read", runs+"/mine",
			"--protect", runs+"/mine", "--write", runs+"/mine/out", "--",
			"sh", "-c", "exec 2>/dev/null; "+script, "sh", runs+"/mine")
		if want := "new\nkept\nhidden\nkept out"; got != want {
			t.Errorf("tier %s: %q, want %q", tier, got, want)
		}
	}
}
