package worktree

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// checkout makes a repository with a commit, goes there, and returns a function that runs a
// shell line in a folder.
func checkout(t *testing.T) (sh func(dir, line string)) {
	t.Helper()
	scripttest.Need(t, "git")
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, filepath.Join(home, name))
	}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "a")
		t.Setenv("GIT_"+who+"_EMAIL", "a@b.example")
	}
	dir := filepath.Join(home, "project")
	sh = func(dir, line string) {
		t.Helper()
		cmd := exec.Command("/bin/sh", "-ec", line)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	sh(dir, "git init -q -b main; echo one >file; git add file; git commit -qm one")
	t.Chdir(dir)
	return sh
}

// A work tree in which nothing changed goes with its branch; anything else keeps it.
func TestEnd(t *testing.T) {
	for line, want := range map[string]string{
		"true":                                 Removed,
		"echo two >file":                       Kept,
		"echo new >other":                      Kept,
		"echo two >file; git commit -qam two":  Kept,
		"git checkout -q --detach":             Removed,
		"git init -q nested; echo x >nested/x": Kept,
		"rm -rf .git":                          Error,
		// Settings of the user by which git shows less.
		"git config --global status.showUntrackedFiles no; echo new >other":           Kept,
		"git config --global status.showUntrackedFiles no; mkdir d; echo x >d/a":      Kept,
		"git config --global diff.ignoreSubmodules all; git init -q n; echo >n/x":     Kept,
		"git config --global status.branch true; git config --global color.ui always": Removed,
		"git config --global core.quotePath false; echo new >'a b'":                   Kept,
		"git config --global status.short true; chmod +x file":                        Kept,
		"rm file": Kept, "git mv file other": Kept, "git rm -q --cached file": Kept,
		"git commit -q --allow-empty -m none":                                         Kept,
		"git commit -q --amend -m other":                                              Kept,
		"git checkout -q -b own; git commit -q --allow-empty -m x; git checkout -q -": Removed,
		// The repository keeps what is stashed.
		"git stash -q || true; echo two >file; git stash -q": Removed,
	} {
		sh := checkout(t)
		tree, err := Create(Folder("run"), "run", "explore")
		if err != nil {
			t.Fatal(err)
		}
		if tree.Branch != "ua/run-explore-1" || tree.Path != filepath.Join(Folder("run"), "explore-1") {
			t.Errorf("%+v", tree)
		}
		sh(tree.Path, line)
		state, err := tree.End()
		if state != want || (err != nil) != (want == Error) {
			t.Errorf("%s: %s, %v", line, state, err)
		}
		_, gone := os.Stat(tree.Path)
		if (want == Removed) != errors.Is(gone, os.ErrNotExist) {
			t.Errorf("%s: %v", line, gone)
		}
		branch := exec.Command("git", "rev-parse", "-q", "--verify", tree.Branch).Run()
		if (want == Removed) != (branch != nil) {
			t.Errorf("%s: the branch: %v", line, branch)
		}
	}
}

// Where there can be no work tree the error says which check failed.
func TestRefused(t *testing.T) {
	for line, want := range map[string]string{
		"rm -rf .git":     NotARepo,
		"echo two >file":  DirtyTree,
		"echo new >other": DirtyTree,
		"git checkout -q --orphan x; git rm -qf file": CreateFailed,
		"true": "",
	} {
		sh := checkout(t)
		sh(".", line)
		tree, err := Create(Folder("run"), "run", "")
		var r *Refusal
		if want == "" && (err != nil || !strings.HasSuffix(tree.Path, "agent-1")) ||
			want != "" && (!errors.As(err, &r) || r.Why != want) {
			t.Errorf("%s: %+v, %v", line, tree, err)
		}
	}
}

// Agents of a run have work trees beside each other.
func TestSideBySide(t *testing.T) {
	checkout(t)
	for _, name := range []string{"a-1", "a-2", "a-3"} {
		tree, err := Create(Folder("run"), "run", "a")
		if err != nil || filepath.Base(tree.Path) != name || tree.Branch != "ua/run-"+name {
			t.Errorf("%+v, %v", tree, err)
		}
	}
}

// What is old goes unless something would be lost by it.
func TestPrune(t *testing.T) {
	sh := checkout(t)
	trees := map[string]*Tree{}
	for _, name := range []string{"clean", "changed", "new", "empty"} {
		tree, err := Create(Folder(name), name, "a")
		if err != nil {
			t.Fatal(err)
		}
		trees[name] = tree
	}
	sh(trees["changed"].Path, "echo two >file")
	sh(trees["empty"].Path, "rm -rf .git file")
	old := time.Now().Add(-48 * time.Hour)
	for name, tree := range trees {
		if name == "new" {
			continue
		}
		if err := os.Chtimes(tree.Path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	state := map[string]bool{}
	for _, o := range pruneAll(24*time.Hour, false) {
		state[filepath.Base(filepath.Dir(o.Path))] = o.Err == nil
	}
	if len(state) != 3 || !state["clean"] || state["changed"] || !state["empty"] {
		t.Errorf("%v", state)
	}
	if list := pruneAll(24*time.Hour, true); len(list) != 1 || list[0].Err != nil {
		t.Errorf("by force: %+v", list)
	}
	for name, tree := range trees {
		if _, err := os.Stat(tree.Path); (err == nil) != (name == "new") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// It is time to prune once a day.
func TestDue(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	if err := os.Mkdir(filepath.Join(state, "ua"), 0o700); err != nil {
		t.Fatal(err)
	}
	if !Due() || Due() {
		t.Error("not once")
	}
	// The clock may have been wrong when the last one was.
	for _, by := range []time.Duration{-25 * time.Hour, 10000 * time.Hour} {
		at := time.Now().Add(by)
		if err := os.Chtimes(filepath.Join(state, "ua", ".pruned"), at, at); err != nil {
			t.Fatal(err)
		}
		if !Due() || Due() {
			t.Errorf("not once, %v away", by)
		}
	}
}
