package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// attacked makes a repository with a loose blob, and with a worktree in a folder that commands
// do not see.
const attacked = `git init -q -b main work; cd work; echo one >f; git add f; git commit -q -m one
git branch other; git worktree add -q -b away ../away; echo staged >../away/s
git -C ../away add s`

// gitAttacks would have the user's git run or show what it did not before, but for the first
// line's, which rewrite what is there.
const gitAttacks = `o=.git/objects/$(git rev-parse HEAD:f | sed 's,..,&/,'); \
chmod u+w $o; echo x >$o
o=.git/objects/$(git rev-parse HEAD:f | sed 's,..,&/,'); n=$(echo evil | \
git hash-object -w --stdin | sed 's,..,&/,'); chmod u+w $o; cat .git/objects/$n >$o; \
git checkout -q other
echo evil >.git/hooks/post-checkout; chmod +x .git/hooks/post-checkout
cp /bin/true .git/hooks/pre-commit
rm -rf .git/hooks; mkdir h; echo evil >h/pre-commit; ln -s ../h .git/hooks
git config core.fsmonitor ./evil
git config core.hooksPath h
git config alias.x '!evil'; git config user.name Mallory
git config include.path ../evil.cfg
git config diff.external ./evil
printf '[core]\n\tsshCommand = evil\n' >>.git/config
rm .git/config; printf '[core]\n\tpager = evil\n' >evil.cfg; ln -s ../evil.cfg .git/config
echo ../evil >.git/commondir
mkdir -p objs; echo $PWD/objs >.git/objects/info/alternates
n=$(echo evil | git hash-object -w --stdin | sed 's,..,&/,'); mkdir .git/objects/aa; \
cp .git/objects/$n .git/objects/aa/$(printf '%038d' 1)
echo evil >g; git add g; git commit -q -m g; git repack -adqn; p=$(ls .git/objects/pack/*.pack); \
chmod u+w $p; printf x | dd of=$p bs=1 seek=40 conv=notrunc 2>/dev/null
echo 1111111111111111111111111111111111111111 >.git/refs/heads/none
echo ref: ../../evil >.git/refs/heads/none
git replace HEAD HEAD:f -f 2>/dev/null; git update-ref refs/replace/$(git rev-parse HEAD:f) \
$(echo evil | git hash-object -w --stdin)
git update-ref refs/replace/$(git rev-parse HEAD:f) $(echo evil | git hash-object -w --stdin); \
git pack-refs --all
echo '* filter=x' >.git/info/attributes
o=$(echo evil | git hash-object -w --stdin); git update-index --add --cacheinfo \
100755,$o,xgit/hooks/post-checkout; sed -i 's,xgit/hooks,.git/hooks,' .git/index
echo ref: refs/heads/other >.git/worktrees/away/HEAD; rm .git/worktrees/away/index
rm -rf .git/worktrees; git worktree prune --expire now
mkdir .git/objects/pack2; rm -rf .git/refs/tags; ln -s /etc .git/refs/tags
mkfifo .git/index2; rm .git/index; mkfifo .git/index
rm -rf .git/objects; mkdir .git/objects
rm -rf .git; git init -q -b evil
rm -rf .git
mv .git/refs .git/r; ln -s r .git/refs
echo evil >.git/evil; mkdir -p .git/modules/x; \
cp -r .git/HEAD .git/objects .git/refs .git/modules/x; \
printf '[core]\n\tfsmonitor = evil\n' >.git/modules/x/config`

// gitObeyed is what git obeys, and what is in it by hash.
const gitObeyed = `set +e
ls .git .git/hooks .git/info | grep -vE 'sample|^(COMMIT_EDITMSG|packed-refs|modules)$'
cat .git/info/attributes .git/objects/info/alternates 2>/dev/null; cat .git/worktrees/away/HEAD
git config --local --list | grep -v '^user.name'; git cat-file -p main:f; git -C ../away status -s
git for-each-ref refs/replace refs/heads/none; git ls-files | grep '^.git'
find .git/modules -name config 2>/dev/null | xargs -r cat; git fsck --no-dangling 2>&1; true`

// TestGitAttacks: whatever a command does in a git folder, git obeys there what it obeyed
// before, objects are what their names say, and no other worktree has changed.
func TestGitAttacks(t *testing.T) {
	scripttest.Need(t, "git")
	gitEnv(t)
	for _, tier := range tiers(t) {
		if tier == "2" {
			continue // where there is no overlay
		}
		for _, attack := range strings.Split(strings.ReplaceAll(gitAttacks, "\\\n", ""), "\n") {
			dir, err := os.MkdirTemp("/var/tmp", "ua-attack")
			if err != nil {
				t.Fatal(err)
			}
			shell(t, dir, attacked)
			work := filepath.Join(dir, "work")
			before := shell(t, work, gitObeyed)
			got := output(t, work, "--tier", tier, "--", "sh", "-c", attack)
			if after := shell(t, work, gitObeyed); after != before {
				t.Errorf("tier %s: %s\n%s\n%s", tier, attack, difference(before, after), got)
			}
			os.RemoveAll(dir)
		}
	}
}

// folderOfGit makes what git takes for a git folder of ".git/$d".
const folderOfGit = `head() { mkdir -p .git/$d/objects .git/$d/refs sub; \
echo "gitdir: ../.git/$d" >sub/.git; }; z=0000000000000000000000000000000000000000; `

// gitPrograms would have the user's git run a program or write a file of the user's in what
// comes behind ">>>".
const gitPrograms = `d=lfs/x; head; echo ref: refs/heads/main >.git/$d/HEAD; \
touch .git/$d/objects/x .git/$d/refs/x; printf '[core]\n\tfsmonitor = $RAN\n' >.git/$d/config \
>>> cd sub; git status
d=rr-cache; head; echo ref: refs/heads/main >.git/$d/HEAD; echo ../../common >.git/$d/commondir; \
mkdir -p common/objects common/refs; printf '[core]\n\tfsmonitor = $RAN\n' >common/config >>> \
cd sub; git status
d=logs; head; touch .git/$d/objects/x; printf "[core]a= $z x\nfsmonitor=$RAN; $z x\n" \
>.git/$d/config >>> cd sub; git status
d=logs/refs/x; head; cp .git/logs/HEAD .git/$d; touch .git/$d/objects/x .git/$d/refs/x; \
mkdir .git/$d/hooks; echo "$z $z ;$RAN" >.git/$d/hooks/post-index-change; \
chmod +x .git/$d/hooks/* >>> cd sub; touch a; git add a
d=refs/x; head; git rev-parse HEAD | tee .git/$d/HEAD .git/$d/objects/x >.git/$d/refs/x; \
mkdir .git/$d/hooks; printf 'ref: refs/heads/main\n$RAN' >.git/$d/hooks/post-index-change; \
chmod +x .git/$d/hooks/* >>> cd sub; touch a; git add a
git rebase -i main 2>&1; echo x/y >.git/rebase-merge/strategy; mkdir git-merge-x; cp ../ran \
git-merge-x/y; echo pick topic >.git/rebase-merge/git-rebase-todo >>> \
git add f; git commit -m x; git rebase --continue
git cherry-pick main main~ 2>&1; printf '[options]\n\tstrategy = x/y\n' >.git/sequencer/opts; \
mkdir git-merge-x; cp ../ran git-merge-x/y >>> \
git add f; git commit -m x; git cherry-pick --continue
git format-patch -2 --stdout >p; git checkout -q main; git am p; \
echo " '--build-fake-ancestor=$RAN.now'" >.git/rebase-apply/apply-opt >>> \
echo 4 >f; git add f; git am --continue
git config rerere.enabled true; mkdir -p .git/rr-cache/$z; echo x >.git/rr-cache/$z/preimage; \
printf "$z\t$RAN\0" >.git/MERGE_RR >>> \
git commit --allow-empty -m x; grep -r touch .git/rr-cache && touch "$RAN.now"`

// TestGitPrograms: what lands in a git folder makes no second one of a part of it, and what is
// left unfinished runs no program and uses no file elsewhere when the user goes on with it.
func TestGitPrograms(t *testing.T) {
	scripttest.Need(t, "git")
	scripttest.NeedTier(t, "3")
	gitEnv(t)
	t.Setenv("GIT_EDITOR", "true")
	for _, attack := range strings.Split(strings.ReplaceAll(gitPrograms, "\\\n", ""), "\n") {
		dir := t.TempDir()
		ran := filepath.Join(dir, "ran")
		t.Setenv("RAN", ran)
		shell(t, dir, `printf '#!/bin/sh\ntouch "$RAN.now"; exit 1\n' >ran; chmod +x ran
git init -q -b main work; cd work; echo 1 >f; git add f; git commit -q -m 1
git checkout -q -b topic; echo 2 >f; git commit -q -a -m 2
echo g >g; git add g; git commit -q -m g; git checkout -q main
echo 3 >f; git commit -q -a -m 3; git checkout -q topic`)
		work := filepath.Join(dir, "work")
		attack, then, _ := strings.Cut(attack, ">>>")
		attack = folderOfGit + strings.ReplaceAll(attack, "$RAN", ran)
		got := output(t, work, "--", "sh", "-c", attack)
		after := shell(t, work, "("+then+") </dev/null 2>&1 || true")
		if _, err := os.Lstat(ran + ".now"); err == nil {
			t.Errorf("%s\n%s\n%s", attack, got, after)
		}
	}
}

// TestGitConflict: what the user changes while a command runs stays as the user left it, and
// the command's side is told.
func TestGitConflict(t *testing.T) {
	scripttest.Need(t, "git")
	scripttest.NeedTier(t, "3")
	gitEnv(t)
	dir := t.TempDir()
	shell(t, dir, attacked)
	work := filepath.Join(dir, "work")
	cmd := sandbox(t, "--", "sh", "-c", "cd .git; git config user.name inside; "+
		"git update-ref refs/heads/other $(git commit-tree -m in HEAD^{tree}); touch ../began; "+
		"until [ -e ../go ]; do sleep 0.1; done; git config user.email inside; git tag in")
	cmd.Dir = work
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scripttest.Await(t, "the command", func() bool {
		_, err := os.Stat(filepath.Join(work, "began"))
		return err == nil
	})
	shell(t, work, "git config user.name outside; "+
		"git update-ref refs/heads/other $(git commit-tree -m out HEAD^{tree}); touch go")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, out.String())
	}
	left := shell(t, work, "git config user.name; git log --format=%s other; "+
		"git config user.email || git tag")
	if left != "outside\nout\nin\n" ||
		strings.Count(out.String(), "changed outside of the sandbox") != 2 {
		t.Errorf("%s\n%s", left, out.String())
	}
}

// TestGitIndexMeanwhile: what the user stages while a command runs stays, and the command's side
// is told; what git has only written anew is no change of the user's.
func TestGitIndexMeanwhile(t *testing.T) {
	scripttest.Need(t, "git")
	scripttest.NeedTier(t, "3")
	gitEnv(t)
	for outside, want := range map[string]string{
		"touch -d tomorrow f; git update-index --refresh": "f inside false",
		"echo 2 >f; git add f":                            "f true",
		"git mv f g":                                      "g true",
	} {
		work := t.TempDir()
		shell(t, work, "git init -q; echo 1 >f; git add f; git commit -q -m 1")
		cmd := sandbox(t, "--", "sh", "-c", "touch began; until [ -e go ]; do sleep 0.05; done; "+
			"rm began go; touch inside; git add inside")
		cmd.Dir = work
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		scripttest.Await(t, "the command", func() bool {
			_, err := os.Stat(filepath.Join(work, "began"))
			return err == nil
		})
		shell(t, work, outside+"; touch go")
		err := cmd.Wait()
		got := fmt.Sprint(strings.ReplaceAll(shell(t, work, "git ls-files"), "\n", " "),
			strings.Contains(out.String(), "changed outside of the sandbox"))
		if err != nil || got != want {
			t.Errorf("%s: %v, %q, want %q: %s", outside, err, got, want, out.String())
		}
	}
}

// TestGitRefsLand: a ref takes the place of folders that git left empty, and may lead to an object
// of the repository that this one borrows from.
func TestGitRefsLand(t *testing.T) {
	scripttest.Need(t, "git")
	scripttest.NeedTier(t, "3")
	gitEnv(t)
	dir := t.TempDir()
	shell(t, dir, "git init -q lender; cd lender; git commit -q --allow-empty -m lent; "+
		"git clone -q --shared . ../work; mkdir -p ../work/.git/refs/heads/x/y/z")
	work := filepath.Join(dir, "work")
	if out := output(t, work, "--read", filepath.Join(dir, "lender"), "--", "sh", "-c",
		"git branch z/a; git pack-refs --all; git branch x; git branch y"); out != "" {
		t.Error(out)
	}
	if got := shell(t, work, "git log --format=%s --no-walk x y z/a"); got != "lent\n" {
		t.Errorf("%q", got)
	}
}
