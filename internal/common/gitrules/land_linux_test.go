package gitrules

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// shell runs a script in a folder, with git's settings of nobody.
func shell(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=main",
		"GIT_CONFIG_KEY_1=gc.auto", "GIT_CONFIG_VALUE_1=0"}
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, said)
	}
	return strings.TrimSpace(string(said))
}

// upperOf makes the upper folder of an overlay of lower that shows what is in view.
func upperOf(t *testing.T, lower, view, upper string) {
	t.Helper()
	walk := func(top string, each func(rel string, d fs.DirEntry) error) {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(top, path)
			return cmp.Or(err, each(rel, d))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	walk(view, func(rel string, d fs.DirEntry) error {
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(upper, rel), 0o755)
		}
		text, err := os.ReadFile(filepath.Join(view, rel))
		if old, gone := os.ReadFile(filepath.Join(lower, rel)); gone == nil &&
			string(old) == string(text) {
			return nil
		}
		return errors.Join(err, os.WriteFile(filepath.Join(upper, rel), text, 0o644))
	})
	walk(lower, func(rel string, d fs.DirEntry) error {
		info, err := os.Lstat(filepath.Join(view, rel))
		if err == nil && info.IsDir() == d.IsDir() {
			return nil
		}
		if err != nil {
			err = unix.Mknod(filepath.Join(upper, rel), unix.S_IFCHR, 0)
		}
		if d.IsDir() && err == nil {
			return fs.SkipDir
		}
		return err
	})
}

// TestLanding: what git does in a view of a repository lands, unless it may not, or somebody
// else has changed the same meanwhile.
func TestLanding(t *testing.T) {
	const begin = `git init -q . && echo one >a && git add a && git commit -qm one && `
	const packs = begin + `git repack -dq && echo two >a && git commit -qam two && git repack -dq &&
echo three >a && git commit -qam three && git gc -q && echo four >a && git commit -qam four &&
git repack -dq && echo loose >a && git commit -qam five`
	forged := fmt.Sprintf("%x", sha256.Sum256([]byte("cc\n")))
	for name, c := range map[string]struct {
		before, change, meanwhile string
		refused                   string // "" for nothing
		check                     string // in the repository, afterwards
	}{
		"packs packed anew": {before: packs, change: `git repack -adq; git prune-packed -q`,
			check: `test $(ls .git/objects/pack/*.pack | wc -l) = 1
git count-objects | grep "^0 "; git log --oneline | grep five`},
		"a pack that is kept": {before: packs + ` && touch $(ls .git/objects/pack/*.pack |
sed "s/pack$/keep/")`, change: `rm .git/objects/pack/*.keep; git repack -adq`,
			check: `test $(ls .git/objects/pack/*.pack | wc -l) = 3`},
		"a pack that is gone": {before: packs, change: `rm -f .git/objects/pack/*`,
			check: `git log --oneline | grep one`},
		"loose objects that are gone": {before: begin + `true`, change: `rm -rf .git/objects/??`,
			check: `git log --oneline | grep one`},
		"a submodule that is gone": {before: begin + `git clone -q --bare . .git/modules/m/n`,
			change: `rm -rf .git/modules`, refused: "modules/m/n",
			check: `git --git-dir .git/modules/m/n log --oneline | grep one`},
		"logs of a submodule that are gone": {before: begin + `mkdir .git/modules && mkdir m &&
git init -q --separate-git-dir=.git/modules/m m && git -C m commit -q --allow-empty -m one`,
			change: `rm -rf .git/modules/m/logs`, check: `git -C m log --oneline | grep one
! test -e .git/modules/m/logs/HEAD`},
		"every branch gone": {before: packs + ` && git pack-refs --all`,
			change: `rm -rf .git/refs/heads/* .git/packed-refs`, refused: "HEAD",
			check: `git log --oneline main | grep one`},
		"a branch deleted": {before: begin + `git branch x && git pack-refs --all`,
			change: `git branch -D x`, check: `! git rev-parse -q --verify x; git rev-parse main`},
		"a file staged": {before: begin + `true`, change: `echo b >b; git add b`,
			check: `git ls-files | grep b`},
		"an index that is read anew meanwhile": {before: begin + `true`,
			change: `echo b >b; git add b`, meanwhile: `touch -d yesterday a; git status`,
			check: `git ls-files | grep b`},
		"a file staged meanwhile": {before: begin + `true`, change: `echo b >b; git add b`,
			meanwhile: `echo c >c; git add c`, refused: "index", check: `git ls-files | grep c`},
		"a branch moved meanwhile": {before: begin + `git branch x`,
			change:    `echo b >a; git commit -qam two; git branch -f x`,
			meanwhile: `git branch -f x $(git commit-tree -m other HEAD^{tree})`,
			refused:   "refs/heads/x", check: `git log -1 --format=%s x | grep other`},
		"a branch moved and packed meanwhile": {before: begin + `git branch x`,
			change:    `echo b >a; git commit -qam two; git branch -f x`,
			meanwhile: `git branch -f x $(git commit-tree -m other HEAD^{tree}); git pack-refs --all`,
			refused:   "refs/heads/x", check: `git log -1 --format=%s x | grep other`},
		"a branch packed meanwhile": {before: begin + `git branch x`,
			change:    `echo b >a; git commit -qam two; git branch -f x; git branch -f x HEAD`,
			meanwhile: `git pack-refs --all`, check: `git log -1 --format=%s x | grep two`},
		"a branch in the place of a folder": {before: begin + `git branch x/y/z`,
			change: `git branch -D x/y/z; git branch x`, check: `git rev-parse x`},
		"a folder in the place of a branch": {before: begin + `git branch x`,
			change: `git branch -D x; git branch x/y/z`, check: `git rev-parse x/y/z`},
		"objects of another repository": {before: `git init -q other && cd other && ` + begin +
			`git checkout -q --detach && cd .. && git clone -qs other c && mv c/.git . &&
mkdir w && git worktree prune`, change: `git branch x $(git -C other rev-parse HEAD)`,
			check: `git log -1 --format=%s x | grep one`},
		"a ref to nothing": {before: begin + `true`,
			change:  `echo 0123456789012345678901234567890123456789 >.git/refs/heads/x`,
			refused: "refs/heads/x", check: `! git rev-parse -q --verify x`},
		"a ref that leads out": {before: begin + `true`,
			change:  `echo "ref: refs/../../etc/passwd" >.git/refs/heads/x`,
			refused: "refs/heads/x", check: `! test -e .git/refs/heads/x`},
		"a rebase that runs a command": {before: begin + `echo two >a && git commit -qam two`,
			change: `GIT_SEQUENCE_EDITOR='printf "break\nexec touch hit\npick HEAD\n" >' \
git rebase -qi HEAD^ || true`, refused: "rebase-merge/git-rebase-todo",
			check: `! grep exec .git/rebase-merge/git-rebase-todo
grep noop .git/rebase-merge/git-rebase-todo`},
		"objects that a remote is said to have": {before: begin + `echo two >a &&
git commit -qam two && git repack -adq`, change: `git commit -q --allow-empty -m three
p=.git/objects/pack/pack; p=$p-$(git rev-parse HEAD | git pack-objects -q $p); touch $p.promisor
git config remote.x.url x; git config remote.x.promisor true`, refused: "config",
			check: `git gc -q; git log --oneline | grep one; test ! -e .git/objects/pack/*.promisor`},
		"what is not used is kept no longer": {before: begin + `true`,
			change: `git config gc.pruneExpire now`, refused: "config", check: `true`},
		"large files": {before: begin + `mkdir -p .git/lfs/objects/1 && cd .git/lfs/objects/1 &&
for w in a b; do echo $w >$(echo $w | sha256sum | cut -c1-64); done`,
			change: `cd .git/lfs/objects/1; echo evil >$(echo a | sha256sum | cut -c1-64)
rm $(echo b | sha256sum | cut -c1-64); for w in c d; do echo $w >$(echo c$w | sha256sum |
cut -c1-64); done; echo e >$(echo e | sha256sum | cut -c1-64)`,
			refused: "lfs/objects/1/" + forged, check: `cd .git/lfs/objects/1; cat * | sort | tr -d "\n" |
grep -x abe`},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			dir := t.TempDir()
			work, view := filepath.Join(dir, "work"), filepath.Join(dir, "view")
			os.Mkdir(work, 0o755)
			shell(t, work, c.before)
			upper := filepath.Join(dir, "upper")
			os.Mkdir(upper, 0o755)
			lower, err := Open(filepath.Join(work, ".git"))
			if err != nil {
				t.Fatal(err)
			}
			defer lower.Close()
			changes, err := Open(upper)
			if err != nil {
				t.Fatal(err)
			}
			l := &Landing{Lower: lower, Inside: func(string) bool { return false },
				Foreign: func(string) bool { return false }, Git: func() string { return "git" }}
			shell(t, dir, "cp -a work view")
			l.Begin(changes)
			defer l.Begin(changes)(false)
			shell(t, view, c.change)
			upperOf(t, filepath.Join(work, ".git"), filepath.Join(view, ".git"), upper)
			shell(t, work, c.meanwhile+"\ntrue")
			refused, err := l.Land(nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.refused == "" && len(refused) > 0 || c.refused != "" && !slices.ContainsFunc(refused,
				func(r Refusal) bool { return r.Path == c.refused }) {
				t.Errorf("refused: %v, want %q", refused, c.refused)
			}
			shell(t, work, c.check+"\ngit fsck --strict")
		})
	}
}

// TestSince: what changes right after the overlay began was changed meanwhile, and what changed
// right before was not, where the file system's clock tells them apart.
func TestSince(t *testing.T) {
	dir := t.TempDir()
	l := &Landing{Foreign: func(string) bool { return false }}
	var err error
	if l.Lower, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	defer l.Lower.Close()
	change := func(name string) {
		next := filepath.Join(dir, name+".lock")
		if err := errors.Join(os.WriteFile(next, nil, 0o600),
			os.Rename(next, filepath.Join(dir, name))); err != nil {
			t.Fatal(err)
		}
	}
	var a, b unix.Stat_t
	change("HEAD")
	unix.Lstat(filepath.Join(dir, "HEAD"), &a)
	os.Chmod(filepath.Join(dir, "HEAD"), 0o600)
	unix.Lstat(filepath.Join(dir, "HEAD"), &b)
	exact := a.Ctim != b.Ctim
	upper := t.TempDir()
	for range 200 {
		changes, err := Open(upper)
		if err != nil {
			t.Fatal(err)
		}
		change("HEAD")
		end := l.Begin(changes)
		if exact && l.changedOutside("HEAD") {
			t.Fatal("a change before is one after")
		}
		if change("HEAD"); !l.changedOutside("HEAD") {
			t.Fatal("a change after is none")
		}
		end(false)
	}
}
