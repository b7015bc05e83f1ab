package main

import (
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestCrowdedOut: a repository that an earlier command has put behind many new folders, so
// that the first search does not come to it, obeys nothing that a command changes; and what
// was there stays, whatever else is done there.
func TestCrowdedOut(t *testing.T) {
	scripttest.Need(t, "git")
	for _, tier := range tiers(t) {
		gitEnv(t)
		dir := t.TempDir()
		shell(t, dir, `mkdir zz; cd zz; git init -q repo; cd repo; git commit -q --allow-empty -m x
git config core.fsmonitor mine; printf '#!/bin/sh\n' >.git/hooks/pre-push; mkdir -p .hg
echo '[paths]' >.hg/hgrc; git config user.name u; sleep 0.1`)
		output(t, dir, "--tier", tier, "--quiet", "--", "sh", "-c", "mkdir $(seq -f a%g 400)")
		state := "cd zz/repo; cat .git/config .hg/hgrc .git/hooks/pre-push; ls .git/hooks"
		before := shell(t, dir, state)
		got := output(t, dir, "--tier", tier, "--quiet", "--", "sh", "-c",
			"cd zz/repo; touch f; git -c core.fsmonitor= add f; "+
				"git -c core.fsmonitor= commit -q -m f; git log --format=%s -1")
		if after := shell(t, dir, state); got != "f" || after != before {
			t.Errorf("tier %s: %s: %v", tier, got, difference(before, after))
		}
		for _, script := range []string{
			"git config alias.st '!evil'; git config core.fsmonitor evil",
			"echo evil >>.git/hooks/pre-push; echo evil >.git/hooks/post-commit",
			"echo '[hooks]' >>.hg/hgrc; echo update = evil >>.hg/hgrc",
			"sleep 1.2; git config core.pager evil; " +
				"timeout 60 sh -c 'until [ -e .git/config.refused ]; do sleep 0.05; done'",
		} {
			got := output(t, dir, "--tier", tier, "--quiet", "--", "sh", "-c", "cd zz/repo; "+script)
			left := shell(t, dir, `grep -rl evil zz | grep -v refused || true
find . -name '*.refused*' -delete`)
			if left != "" || !strings.Contains(got, "moved aside") || strings.Contains(got, "exit status") {
				t.Errorf("tier %s: %s: %s%s", tier, script, got, left)
			}
		}
	}
}

// TestManyNewFolders: the last search comes to a repository behind a thousand new folders.
func TestManyNewFolders(t *testing.T) {
	scripttest.Need(t, "git")
	gitEnv(t)
	dir := t.TempDir()
	got := output(t, dir, "--quiet", "--", "sh", "-c", `mkdir $(seq -f a%g 1200)
git init -q zz; git -C zz config core.fsmonitor evil`)
	left := shell(t, dir, "cat zz/.git/config")
	if strings.Contains(left, "evil") || !strings.Contains(got, "zz/.git/config") {
		t.Errorf("%s: %s", got, left)
	}
}

// TestMissingFolders: what is protected is moved aside at once also where the folder that it
// is in is made, or made anew, meanwhile.
func TestMissingFolders(t *testing.T) {
	scripttest.Need(t, "git")
	gitEnv(t)
	dir := t.TempDir()
	shell(t, dir, "git init -q .")
	for _, script := range []string{
		`rm -rf .git/info; mkdir .git/info; echo x >.git/info/attributes
until [ ! -e .git/info/attributes ]; do sleep 0.05; done`,
		`mv .git/info .git/i2; mkdir .git/info; echo x >.git/info/attributes
until [ ! -e .git/info/attributes ]; do sleep 0.05; done`,
	} {
		got := output(t, dir, "--quiet", "--", "timeout", "60", "sh", "-c",
			"exec 2>&-; sleep 1.2; "+script)
		if !strings.HasPrefix(got, "ua-sandbox: protected, so moved aside") ||
			strings.Contains(got, "exit status") {
			t.Errorf("%s: %s", filepath.Base(script), got)
		}
	}
}

// TestRebaseTodo: what a command has a rebase run when somebody goes on with it leaves at its
// end, and what was there stays. Its own rebases run what they are to.
func TestRebaseTodo(t *testing.T) {
	scripttest.Need(t, "git")
	const todo = ".git/rebase-merge/git-rebase-todo"
	for _, tier := range tiers(t) {
		gitEnv(t)
		dir := t.TempDir()
		shell(t, dir, `git init -q .; for i in 1 2 3; do git commit -q --allow-empty -m $i; done`)
		stop := `GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i HEAD~1 2>/dev/null; `
		for _, c := range [][2]string{ // a script, and what is left to do, if the rebase is not over
			{stop + "echo exec evil >>" + todo, "pick 3 noop"},
			{stop + "printf '\t x\tevil\nbreak\n' >" + todo, "break noop"},
			{stop + "echo x evil >t; ln -sf ../../t " + todo, "noop"},
			{stop + "mkdir n; mv .git/rebase-merge n; cp -r n/rebase-merge .git; " +
				"echo x evil >" + todo, "noop"},
			{"git rebase -q -x 'echo ran >>ran' HEAD~2 2>/dev/null; cat ran", ""},
		} {
			script, want := c[0], c[1]
			got := output(t, dir, "--quiet", "--tier", tier, "--", "sh", "-c", script)
			left := shell(t, dir, `for f in `+todo+`; do [ ! -e $f ] ||
sed 's/ [0-9a-f]* / /;s/ *#.*//' $f; done; git rebase --abort 2>/dev/null || true; 
rm -rf n t ran .git/rebase-merge; git clean -qfdx; true`)
			if ran := want == ""; strings.Join(strings.Fields(left), " ") != want ||
				ran && got != "ran\nran" || !ran && !strings.Contains(got, "moved aside") {
				t.Errorf("tier %s: %s: %s\n%s", tier, script, got, left)
			}
		}
		shell(t, dir, stop+"echo exec mine >>"+todo)
		if got := output(t, dir, "--quiet", "--tier", tier, "--", "touch", todo); got != "" {
			t.Errorf("tier %s: %s", tier, got)
		}
	}
}
