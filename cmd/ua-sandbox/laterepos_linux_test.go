package main

import (
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

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
				ran && got != "ran\nran" || !ran && !strings.Contains(got, "git-rebase-todo (") {
				t.Errorf("tier %s: %s: %s\n%s", tier, script, got, left)
			}
		}
		if tier == "2" {
			continue // where nothing tells whose they are
		}
		shell(t, dir, stop+"echo exec mine >>"+todo)
		if got := output(t, dir, "--quiet", "--tier", tier, "--", "touch", todo); got != "" {
			t.Errorf("tier %s: %s", tier, got)
		}
	}
}
