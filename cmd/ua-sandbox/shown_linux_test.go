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

// A file that is handed in, by its name or as standard input, can be read at every tier, and
// its neighbours in the hidden folder can't.
func TestShownFile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	shell(t, home, "mkdir .ssh work; "+
		"echo Host >.ssh/config; echo host >.ssh/known; echo KEY >.ssh/id")
	for _, tier := range tiers(t) {
		got := output(t, filepath.Join(home, "work"), "--quiet", "--tier", tier,
			"--read", home+"/.ssh/config", "--write", home+"/.ssh/known", "--", "sh", "-c",
			"cd ../.ssh; cat config; echo new >>known; cat known; cat id 2>/dev/null || echo hidden")
		if want := "Host\nhost\nnew\nhidden"; got != want {
			t.Errorf("tier %s: %q, want %q", tier, got, want)
		}
		shell(t, home, "echo host >.ssh/known")
		cmd := sandbox(t, "--quiet", "--tier", tier, "--", "sh", "-c",
			"cat; cat ~/.ssh/config 2>/dev/null || echo hidden")
		key, err := os.Open(filepath.Join(home, ".ssh/id"))
		if err != nil {
			t.Fatal(err)
		}
		defer key.Close()
		cmd.Dir, cmd.Stdin = filepath.Join(home, "work"), key
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "KEY\nhidden\n" {
			t.Errorf("tier %s: %v, %q", tier, err, out)
		}
	}
}
