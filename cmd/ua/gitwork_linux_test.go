package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// gitPlace makes a repository "main" with a remote, a submodule, branches and a stash, and a
// linked worktree of it.
const gitPlace = `set -e
git config --global user.name A; git config --global user.email a@example.org
git config --global init.defaultBranch main; git config --global protocol.file.allow always
git init -q main; cd main; printf 'up.git\nlib\nin\nsteps\n' >.git/info/exclude
git init -q --bare up.git; git init -q lib; git -C lib commit -q --allow-empty -m lib
git remote add origin ./up.git
for i in 1 2 3; do echo $i >f; echo $i >g$i; git add f g$i; git commit -q -m $i; done
git submodule --quiet add "$PWD/lib" sub; git commit -q -m sub
git push -q origin main main:side; git fetch -q; git submodule --quiet deinit -f sub
rm -rf .git/modules/sub; git branch old; git branch older HEAD~1; git branch packed; git tag t1
git pack-refs --all; git branch loose; git worktree add -q -b linked ../linked
echo mine >../linked/f; git -C ../linked stash -q`

// A gitStep is what a command does, a check at the end of the run, outside, and what that prints.
// A step that is not to be taken into the repository has the reason.
type gitStep struct{ do, check, want, why string }

var gitSteps = map[string][]gitStep{
	"main": {
		{do: "git push -q -u origin HEAD:pushed", want: "refs/heads/pushed\n  pushed\n",
			check: "git config branch.main.merge; git -C up.git branch --list pushed"},
		{do: "git checkout -q -b k origin/side", want: "refs/heads/side\n",
			check: "git config branch.k.merge"},
		{do: "git branch l; git branch -q -u origin/main l", want: "refs/heads/main\n",
			check: "git config branch.l.merge"},
		{do: "git branch m1; git branch -m m1 m2", want: "  m2\n", check: "git branch --list 'm?'"},
		{do: "git remote add second ./up.git && git fetch -q second", want: "third/side\n",
			check: "git for-each-ref --format='%(refname:short)' refs/remotes/third/side"},
		{do: "git remote rename second third", want: "./up.git\n", check: "git config remote.third.url"},
		{do: "git config user.name Me", want: "Me\n", check: "git config --local user.name"},
		{do: "git submodule --quiet update --init", want: "lib\n", check: "git -C sub log --format=%s"},
		{do: "git commit -q --allow-empty -m c; git rebase -q --force-rebase HEAD~1", want: "c\n",
			check: "git log -1 --format=%s"},
		{do: "git notes add -m n", want: "n\n", check: "git notes show"},
		{do: "git worktree add -q -b in in", want: "refs/heads/in\n",
			check: "git -C in symbolic-ref HEAD"},
		{do: "git bisect start -q HEAD HEAD~2 && git bisect reset 2>&1", want: "refs/heads/k\n",
			check: "git symbolic-ref HEAD"},
		{do: "git gc -q --prune=now", why: "of a worktree whose folder is not seen here", want: "1\n",
			check: "git fsck --no-dangling 2>&1; ls .git/objects/pack/*.pack | wc -l"},
		{do: "git config core.fsmonitor ./evil", check: "git config core.fsmonitor",
			why: "core.fsmonitor"},
		{do: "git config filter.lfs.clean 'evil %f'", check: "git config filter.lfs.clean",
			why: "filter.lfs.clean"},
		{do: "echo evil >.git/hooks/pre-commit", check: "ls .git/hooks | grep -v sample", why: "a hook"},
		{do: "echo '*.x filter=f' >.git/info/attributes", check: "cat .git/info/attributes 2>/dev/null",
			why: "attributes"},
	},
	"linked": {
		{do: "git stash pop -q", want: "mine\n", check: "cat f; git stash list"},
		{do: "git commit -q -a -m c", want: "c\n", check: "git log -1 --format=%s"},
		{do: "git tag -d t1", check: "git tag"},
		{do: "git branch -d old", check: "git branch --list old"},
		{do: "git branch -D packed loose", check: "git branch --list packed loose"},
		{do: "git branch -m older newer", want: "  newer\n", check: "git branch --list older newer"},
		{do: "git branch n; git update-ref -d refs/heads/n", check: "git branch --list n"},
		{do: "git pack-refs --all", want: "1\n",
			check: "grep -c refs/heads/newer ../main/.git/packed-refs"},
		{do: "git gc -q", check: "git fsck --no-dangling 2>&1; git status --porcelain"},
		{do: "git checkout -q -b z && git branch -q -u origin/main", want: "refs/heads/main\n",
			check: "git config branch.z.merge"},
		{do: "git config user.name Me", want: "Me\n", check: "git config --local user.name"},
		{do: "git config alias.st '!evil'", check: "git config alias.st", why: "alias.st"},
	},
}

// TestGitWork: git works for the commands of a run, in a repository and in a linked worktree.
// What may not stay is told with the command's result.
func TestGitWork(t *testing.T) {
	scripttest.Need(t, "git")
	scripttest.NeedTier(t, "3")
	for _, uid := range users() {
		for at, steps := range gitSteps {
			p := newPlace(t, uid)
			if out := p.shell(p.cwd, gitPlace); out != "" {
				t.Fatal(out)
			}
			dir := filepath.Join(p.cwd, at)
			var commands []string
			for i, step := range steps {
				file := filepath.Join(p.home, "steps", fmt.Sprint(i)) // which the gate does not judge
				p.write(file, step.do+"\n")
				commands = append(commands, "sh "+file)
			}
			p.recording("main.jsonl", "done", commands...)
			p.env = append(p.env, "UA_MODEL=replay:"+filepath.Join(p.cwd, "main.jsonl"))
			cmd := p.command("ua", "--read", filepath.Join(p.home, "steps"), "task")
			cmd.Dir = dir
			said, err := cmd.CombinedOutput()
			results := p.outputs()
			if err != nil || len(results) != len(steps) {
				t.Fatalf("uid %d, %s: %v, %d results: %s", uid, at, err, len(results), said)
			}
			for i, step := range steps {
				r := results[i].Raw
				if strings.Contains(r, "not taken into the repository") != (step.why != "") ||
					!strings.Contains(r, step.why) || results[i].Get("is_error").Bool() {
					t.Errorf("uid %d, %s: %s: %s", uid, at, step.do, r)
				}
				if got := p.shell(dir, step.check); got != step.want {
					t.Errorf("uid %d, %s: %s: %s gives %q", uid, at, step.do, step.check, got)
				}
			}
		}
	}
}

// shell runs a script as the user, outside of any sandbox.
func (p *place) shell(dir, script string) string {
	cmd := p.command("ua")
	cmd.Path, cmd.Args, cmd.Dir = "/bin/sh", []string{"sh", "-c", script}, dir
	out, _ := cmd.CombinedOutput()
	return string(out)
}
