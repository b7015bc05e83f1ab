package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/scripttest"
)

// programs are repositories whose settings name programs, hooks and attributes in the working
// tree: a main one with a linked worktree in it, one that stands alone, and the user's own
// settings for both.
const programs = `
git init -q main && cd main && mkdir tools docs .husky
for f in tools/fsm tools/clean.sh tools/x.py tools/ext.sh docs/template.txt src.go \
	.husky/pre-commit
do echo true >$f; chmod +x $f; done
git add . && git commit -q -m first
git config core.fsmonitor tools/fsm
git config filter.c.clean './tools/clean.sh %f'
git config alias.x '!f() { python3 tools/x.py "$@"; }; f'
git config alias.l 'log -- src.go'
git config commit.template docs/template.txt
git config core.hooksPath .husky
git config remote.origin.url ./src.go
git worktree add -q linked && git worktree add -q ../alone
printf '[diff]\n\texternal = ./tools/ext.sh\n' >"$GIT_CONFIG_GLOBAL"`

// TestGitsPrograms holds that what git's settings name in a working tree cannot be changed,
// with a linked worktree's and the user's own settings too. What is only data can be.
func TestGitsPrograms(t *testing.T) {
	scripttest.Need(t, "git")
	for _, tier := range tiers(t) {
		gitEnv(t)
		dir := t.TempDir()
		t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "settings"))
		shell(t, dir, programs)
		for _, tree := range []string{"main", "main/linked", "alone"} {
			work := filepath.Join(dir, tree)
			for _, file := range []string{"tools/fsm", "tools/clean.sh", "tools/x.py",
				"tools/ext.sh", ".husky/pre-commit"} {
				for _, attack := range []string{
					`echo evil >>"$0"`, `rm "$0"; echo evil >"$0"`, `ln -sf /tmp/evil "$0"`,
					`echo evil >n; mv n "$0"`,
					`mv "${0%/*}" moved; mkdir "${0%/*}"; echo evil >"$0"`,
				} {
					cmd := sandbox(t, "--tier", tier, "--", "sh", "-c", attack, file)
					cmd.Dir = work
					out, _ := cmd.CombinedOutput()
					path := filepath.Join(work, file)
					text, err := os.ReadFile(path)
					if link, _ := os.Readlink(path); string(text) != "true\n" || link != "" {
						t.Fatalf("tier %s, %s: %s %s: %v %q\n%s", tier, tree, attack, file, err, text, out)
					}
				}
			}
			got := output(t, work, "--tier", tier, "--quiet", "--", "sh", "-ec",
				"exec 2>&1; echo a >>src.go; echo a >>docs/template.txt; echo a >tools/new;"+
					" git commit -qam a; echo worked")
			if !strings.Contains(got, "\nworked") && !strings.HasPrefix(got, "worked") {
				t.Errorf("tier %s, %s: %s", tier, tree, got)
			}
		}
	}
}
