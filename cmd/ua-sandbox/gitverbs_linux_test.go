package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ua/internal/test/scripttest"
)

// gitBase makes the folders in which git is tried: a repository "main" with two branches, a
// tag, packed and loose refs, a stash and staged work, what it is cloned from, a library for
// submodules, and linked worktrees.
const gitBase = `git init -q --bare up.git; git init -q lib; git -C lib commit -q --allow-empty \
-m lib
git init -q main; cd main
git remote add origin "$PWD/../up.git"
for i in 1 2 3; do echo $i >f; echo $i >g$i; git add .; git commit -q -m $i; done
git push -q origin main main:side main:later; git fetch -q
git branch old; git branch packed HEAD~1; git tag t1; git tag -a -m ann t2
git pack-refs --all; git branch loose HEAD~1; git branch topic HEAD~2
echo stashed >f; git stash -q
git worktree add -q -b linked ../linked; git worktree add -q -b other ../other
echo staged >../other/s; git -C ../other add s
git worktree add -q -b gone ../gone; rm -rf ../gone
git -c protocol.file.allow=always submodule --quiet add "$PWD/../lib" sub; git commit -q -m sub
git branch keep; git submodule --quiet deinit -f sub; rm -rf .git/modules/sub
echo 4 >f; git add f; git -C ../linked -c protocol.file.allow=always merge -q main
echo 5 >../linked/f; git -C ../linked add f`

// gitState says what a repository is: its refs, settings, index, working tree and objects.
const gitState = `git for-each-ref; git symbolic-ref -q HEAD || git rev-parse HEAD
git config --local --list | sort; git ls-files -s; git status --porcelain --branch
git stash list --format=%gd%s; git worktree list --porcelain
git rev-list --objects --all --reflog | sort; git fsck --no-dangling 2>&1 | grep -v '^notice'
git submodule status --recursive 2>&1; git notes list 2>&1; git rerere status
ls .git 2>/dev/null | grep -E '^(MERGE|REBASE|CHERRY|REVERT|BISECT|rebase|sequencer)'
git count-objects -v | grep -E 'garbage'; cat "$(git rev-parse --git-path info/exclude)" "$(git \
rev-parse --git-path info/sparse-checkout)" 2>/dev/null; true`

// gitVerbs are commands of git, and the same in several steps.
const gitVerbs = `git config user.name Me
git config --unset user.email; git config --add remote.origin.fetch +refs/x/*:refs/x/*
git config --rename-section remote.origin remote.up
git config --remove-section branch.main || true
git remote add second "$PWD/../up.git"; git fetch -q second
git remote rename origin up
git remote remove origin
git remote set-url origin https://example.org/x
git remote set-head origin later
git remote prune origin
git fetch -q --prune
git fetch -q origin main:fetched
git checkout -q -f -b x origin/side
git checkout -q -f --orphan new; git commit -q -m new
git checkout -q -f --detach HEAD~1
git checkout -q -f topic; git checkout -q -
git switch -q --discard-changes -c y
git switch -q --discard-changes -d t1
git restore --staged f; git restore f
git branch -m old older
git branch -M packed loose
git branch -c old copy
git branch -d old
git branch -D packed loose topic
git branch -u origin/side
git branch --unset-upstream || true
git branch --set-upstream-to=origin/later old
git branch tmp_a; git tag incoming-b; git checkout -q -f -b tmp_c; git commit -q --allow-empty -m e
git branch new/in/folders; git branch -d new/in/folders; git branch new
git branch -f old HEAD~1
git branch --edit-description 2>/dev/null || true
git tag -d t1
git tag -d t2
git tag -a -m x t3
git tag -f t1 HEAD~1
git update-ref -d refs/heads/packed
git update-ref refs/heads/old HEAD~1
printf 'create refs/heads/a HEAD\ndelete refs/heads/old\n' | git update-ref --stdin
git symbolic-ref refs/heads/sym refs/heads/old
git pack-refs --all
git pack-refs --all --prune; git branch -d old
git gc -q
git gc -q --prune=now
git gc -q --aggressive
git repack -adq
git repack -dq
git prune
git prune-packed
git commit-graph write --reachable
git multi-pack-index write
git maintenance run --task=loose-objects
git unpack-objects -q <$(ls "$(git rev-parse --git-common-dir)"/objects/pack/*.pack | head -n 1) \
|| true
git reflog expire --expire=now --all
git reflog delete HEAD@{0}
git stash pop -q || true
git stash drop -q
git stash -q; git stash pop -q
git stash clear
git stash branch fromstash || true
git push -q -u origin HEAD:pushed
git push -q origin :later
git push -q --tags
git push -q origin HEAD:refs/heads/f; git fetch -q --all
git -c protocol.file.allow=always submodule update -q --init
git -c protocol.file.allow=always submodule update -q --init; git submodule deinit -q -f sub
git -c protocol.file.allow=always submodule add -q "$PWD/../lib" sub2; git commit -q -m sub2
git submodule init -q; git submodule sync -q
(git -c protocol.file.allow=always submodule update -q --init; cd sub; git -c \
protocol.file.allow=always submodule add -q "$PWD/../../lib" in; git commit -q -m in; cd in; \
git commit -q --allow-empty -m deep; git branch deep)
git -c protocol.file.allow=always submodule update -q --init; git -C sub commit -q --allow-empty \
-m in; git add sub; git commit -q -m in
git commit -q -m c
git commit -q --amend -m a
git commit -q --allow-empty -m e
git commit -q -a --fixup HEAD
git add -A; git add -N new 2>/dev/null || true
git rm -q -f f
git mv f h
git rm -q --cached f
git reset -q --hard HEAD~1
git reset -q --soft HEAD~1
git reset -q HEAD f
git clean -qfdx
git commit -q -m c; git merge -q topic
git commit -q -m c; git checkout -q -b m HEAD~1; echo m >m; git add m; git commit -q -m m; git \
merge -q --no-edit -
git commit -q -m c; git checkout -q -b m HEAD~1; echo m >f; git commit -q -am m; git merge -q - \
|| true
git commit -q -m c; git checkout -q -b m HEAD~1; echo m >f; git commit -q -am m; git merge -q - \
|| git merge --abort
git commit -q -m c; git rebase -q --force-rebase HEAD~2
git commit -q -m c; GIT_SEQUENCE_EDITOR=: git rebase -q -i --root || true
git commit -q -m c; git checkout -q -b m HEAD~1; echo m >f; git commit -q -am m; git rebase -q - \
|| true
git commit -q -m c; git revert --no-edit HEAD
git commit -q -m c; git checkout -q -b m HEAD~1; git cherry-pick - >/dev/null
git commit -q -m c; git format-patch -q -1; git reset -q --hard HEAD~1; git am -q *.patch
git commit -q -m c; git bisect start HEAD HEAD~2 >/dev/null
git commit -q -m c; git bisect start HEAD HEAD~2 >/dev/null; git bisect reset -q
git notes add -m n HEAD
git rerere; git config rerere.enabled true
git worktree add -q "$PWD/in" -b in; git -C in commit -q --allow-empty -m in
git worktree add -q "$PWD/in" -b in; git worktree remove in
git worktree add -q "$PWD/in" -b in; rm -rf in; git worktree prune
git worktree add -q --detach "$PWD/in"; git worktree move in in2
git worktree add -q "$PWD/in" -b in; git worktree lock in
git sparse-checkout set g1
git sparse-checkout set --sparse-index g1; git commit -q --allow-empty -m s
git update-index --assume-unchanged g1
git update-index --split-index
git update-index --index-version 4
git write-tree >/dev/null; git read-tree HEAD~1
git hash-object -w f >/dev/null
git mktree </dev/null >/dev/null
git checkout-index -f -a
git apply --index </dev/null || true
git archive HEAD >/dev/null
git fast-export --all --signed-tags=strip >x; git fast-import --quiet --force <x
git filter-branch -f --msg-filter 'sed s/^/x/' HEAD >/dev/null 2>&1
git bundle create -q b HEAD; git fetch -q b HEAD:refs/heads/bundled
echo x >>"$(git rev-parse --git-path info/exclude)"
git fsck >/dev/null 2>&1; git count-objects >/dev/null
git shortlog HEAD >/dev/null; git describe --all >/dev/null`

// TestGitVerbs: they leave the repositories as they do outside, in a repository and in a
// linked worktree of it, as root and as a user.
func TestGitVerbs(t *testing.T) {
	scripttest.Need(t, "git")
	scripttest.NeedTier(t, "4")
	users := map[string]int{"main": os.Getuid(), "linked": os.Getuid()}
	if os.Getuid() == 0 {
		users["main"] = 1000
	}
	for at, uid := range users {
		t.Run(at, func(t *testing.T) {
			v := newGitPlace(t, uid)
			verbs := strings.Split(strings.ReplaceAll(gitVerbs, "\\\n", ""), "\n")
			for some := range slices.Chunk(verbs, 12) {
				v.compare(at, strings.Join(some, gitAborts))
			}
		})
	}
}

// gitAborts ends what a verb has left half done.
const gitAborts = "\nfor w in merge rebase am cherry-pick; do git $w --abort 2>/dev/null; done\n"

// A gitPlace is a folder in which git is tried, always under the same path.
type gitPlace struct {
	t         *testing.T
	uid       int
	dir, copy string
}

func newGitPlace(t *testing.T, uid int) *gitPlace {
	dir, err := os.MkdirTemp("/var/tmp", "gitverbs")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		err = os.Chown(dir, uid, -1)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	v := &gitPlace{t: t, uid: uid, dir: dir + "/w", copy: dir + "/base"}
	v.run("/", exec.Command("mkdir", v.dir, dir+"/home"))
	v.run(v.dir, exec.Command("sh", "-ec", gitBase))
	v.run("/", exec.Command("cp", "-a", v.dir, v.copy))
	return v
}

// run runs a command as the user and returns its output.
func (v *gitPlace) run(dir string, cmd *exec.Cmd) string {
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(v.dir)+"/home", "XDG_STATE_HOME=",
		"GIT_CONFIG_COUNT=4",
		"GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=t", "GIT_CONFIG_KEY_1=user.email",
		"GIT_CONFIG_VALUE_1=t@e", "GIT_CONFIG_KEY_2=init.defaultBranch", "GIT_CONFIG_VALUE_2=main",
		"GIT_CONFIG_KEY_3=advice.detachedHead", "GIT_CONFIG_VALUE_3=false",
		"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000",
		"FILTER_BRANCH_SQUELCH_WARNING=1", "GIT_EDITOR=true")
	if v.uid != os.Getuid() {
		id := uint32(v.uid)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.Args[0] != "sh" {
		v.t.Logf("%v: %v: %s", cmd.Args, err, out)
	}
	return string(out) + fmt.Sprint(err)
}

// fresh makes the folder anew.
func (v *gitPlace) fresh() {
	v.run("/", exec.Command("sh", "-ec", "rm -rf "+v.dir+"; cp -a "+v.copy+" "+v.dir))
}

// compare runs the verb outside and inside, and compares what it says and leaves.
func (v *gitPlace) compare(at, verb string) {
	v.t.Helper()
	dir := filepath.Join(v.dir, at)
	state := func() string {
		text := ""
		for _, at := range []string{"main", "linked", "other"} {
			text += v.run(filepath.Join(v.dir, at), exec.Command("sh", "-c", gitState))
		}
		// Those of worktrees that a command does not see stay as they are.
		return text + v.run(dir, exec.Command("git", "reflog", "--format=%gs"))
	}
	v.fresh()
	wantSaid := v.run(dir, exec.Command("sh", "-c", verb))
	want := state()
	v.fresh()
	args := []string{"--quiet", "--tier", "4", "--write", v.dir + "/up.git", "--read", v.dir + "/lib",
		"--env", "GIT_CONFIG_COUNT"}
	said := v.run(dir, sandbox(v.t, append(args, "--", "sh", "-c", verb)...))
	if at, line, ok := strings.Cut(said, "ua-sandbox: not taken"); ok && strings.Contains(line,
		"of a worktree whose folder is not seen") { // which git would have pruned
		_, rest, _ := strings.Cut(line, "\n")
		said = at + rest
	}
	got := state()
	if said != wantSaid || got != want {
		v.t.Errorf("%s: %s\nsaid %s, outside %s\n%s", at, verb, said, wantSaid, lineDiff(want, got))
	}
}

// lineDiff returns the lines that only one of two texts has.
func lineDiff(want, got string) string {
	var b strings.Builder
	for _, c := range [][3]string{{"-", want, got}, {"+", got, want}} {
		for line := range strings.Lines(c[1]) {
			if !strings.Contains(c[2], line) && b.Len() < 4000 {
				b.WriteString(c[0] + line)
			}
		}
	}
	return b.String()
}
