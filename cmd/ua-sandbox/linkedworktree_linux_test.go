package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestWorktreeBelowTmp: with a private tmp, too, git sees the main repository of a linked
// worktree, which commands cannot change but for what a commit writes.
func TestWorktreeBelowTmp(t *testing.T) {
	scripttest.Need(t, "git")
	dir := t.TempDir()
	made := exec.Command("sh", "-ec", `git init -q main; git -C main config user.name a
git -C main config user.email a@example.org; git -C main commit -q --allow-empty -m x
git -C main pack-refs --all; git -C main worktree add -q ../linked`)
	made.Dir = dir
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, tier := range tiers(t) {
		for profile, want := range map[string]string{"workspace": "a|x|committed|",
			"read-only": "a|x|"} {
			cmd := sandbox(t, "--quiet", "--tier", tier, "--profile", profile, "--", "sh", "-c",
				`git config user.name | tr '\n' '|'; git log --format=%s -1 | tr '\n' '|'
git commit -q --allow-empty -m x 2>/dev/null && printf 'committed|'
for f in config hooks/pre-commit HEAD; do { echo evil >>../main/.git/$f; } 2>/dev/null; done
true`)
			cmd.Dir = dir + "/linked"
			out, err := cmd.Output()
			if got := strings.TrimSpace(string(out)); got != want || err != nil {
				t.Errorf("tier %s, %s: %q, %v, want %q", tier, profile, got, err, want)
			}
			got := shell(t, dir, "grep -l evil main/.git/* main/.git/hooks/* 2>/dev/null || true")
			if got != "" {
				t.Errorf("tier %s, %s: written: %s", tier, profile, got)
			}
		}
	}
}

// TestPartBelowTmp: nor is the repository missing around a folder or a submodule of one, in
// which commands can write.
func TestPartBelowTmp(t *testing.T) {
	scripttest.Need(t, "git")
	gitEnv(t)
	dir := t.TempDir()
	shell(t, dir, `git init -q lib; git -C lib commit -q --allow-empty -m lib; mkdir -p main/part/in
cd main; git init -q .; echo x >part/in/f; git add .; git commit -q -m x
git -c protocol.file.allow=always submodule --quiet add "$PWD/../lib" sub; git commit -q -m y
git worktree add -q ../linked; echo secret >../beside`)
	for _, tier := range tiers(t) {
		for at, want := range map[string]string{"main/part": "y|", "main/part/in": "y|",
			"main/sub": "lib|", "linked/part": "y|"} {
			got := output(t, filepath.Join(dir, at), "--quiet", "--tier", tier, "--", "sh", "-c",
				`git log --format=%s -1 | tr '\n' '|'; git status --short; echo made >made && rm made
{ echo >>$(git rev-parse --git-dir)/config; } 2>/dev/null && echo wrote
[ `+tier+` = 2 ] || cat `+dir+`/beside 2>/dev/null; true`)
			if got != want {
				t.Errorf("tier %s, %s: %q, want %q", tier, at, got, want)
			}
		}
	}
}

// What leads git to other objects of the repository does not stay.
func TestWorktreesObjects(t *testing.T) {
	scripttest.Need(t, "git")
	gitEnv(t)
	for _, tier := range tiers(t) {
		dir := t.TempDir()
		shell(t, dir, "git init -q m; cd m; git commit -q --allow-empty -m a; git worktree add -q ../w")
		cmd := sandbox(t, "--quiet", "--tier", tier, "--", "sh", "-c", `git commit -q --allow-empty -m b
cd ../m/.git; echo /evil >objects/info/alternates; echo /evil >objects/info/http-alternates
mkdir refs/replace; git rev-parse @~ >refs/replace/$(git rev-parse @)`)
		cmd.Dir = filepath.Join(dir, "w")
		out, _ := cmd.CombinedOutput()
		got := shell(t, dir, `cd m/.git; ls objects/info/*alternates refs/replace 2>&1 | grep -v \
	-e 'No such' -e refused || true; git -C ../../w log -1 --format=%s`)
		if got != "b\n" {
			t.Errorf("tier %s: %s%s", tier, got, out)
		}
	}
}
