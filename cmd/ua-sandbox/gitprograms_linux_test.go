package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// programs are repositories whose settings name programs, hooks and attributes in the working
// tree: a main one with a linked worktree in it, one that stands alone, and the user's own
// settings for all, which are a link and include others.
const programs = `
git init -q main && cd main && mkdir tools docs .husky more
for f in tools/fsm tools/clean.sh tools/x.py tools/ext.sh tools/top tools/below tools/try \
	tools/page 'tools/my gpg' 'tools/my tool' tools/conv tools/team tools/deep tools/edit \
	tools/only.js clean runme docs/template.txt src.go Makefile check notes .husky/pre-commit
do echo true >"$f"; chmod +x "$f"; done
printf '[alias]\n\tteam = !tools/team\n[include]\n\tpath = more/deep.cfg\n' >team.cfg
printf '[pager]\n\tlog = tools/deep\n' >more/deep.cfg
git add . && git commit -q -m first
git config core.fsmonitor tools/fsm
git config filter.c.clean './tools/clean.sh %f'
git config filter.c.smudge 'python3 -u clean %f'
git config alias.x '!f() { python3 tools/x.py "$@"; }; f'
git config alias.run '!env A=b timeout 5 sh -e runme'
git config alias.top '!"$(git rev-parse --show-toplevel)"/tools/top'
git config alias.below '!cd tools && ./below'
git config alias.try 'bisect run tools/try'
git config alias.page '-c core.pager=tools/page log'
git config gpg.program 'tools/my gpg'
git config mergetool.t.cmd '"tools/my tool" "$LOCAL"'
git config diff.c.textconv 'LC_ALL=C $PWD/tools/conv'
git config alias.only '!node tools/only'
git config --add include.path ../team.cfg
git config --add include.path ../later.cfg
git config merge.m.driver 'later/merge %A'
git config diff.later.command 'python3 later/diff.py --out made/diff'
git config alias.later '!test -f start && sh start'
git config credential.helper '!sh -c "later/key get"'
git config alias.l 'log -- src.go'
git config alias.check '!make check && npm run lint && sh -c "make build"'
git config alias.copy '!git add notes; cp dist/app /usr/local/bin; make >made/log.txt'
git config gitflow.prefix.release release/
git config commit.template docs/template.txt
git config core.hooksPath .husky
git config remote.origin.url ./src.go
git worktree add -q linked && git worktree add -q ../alone
printf '[diff]\n\texternal = ./tools/ext.sh\n[includeIf "gitdir:/x/"]\n\tpath = own.cfg\n' >../user
printf '[core]\n\teditor = tools/edit\n' >../own.cfg
ln -s user "$GIT_CONFIG_GLOBAL"`

// namedFiles are the files that words of the settings name.
const namedFiles = `tools/fsm:tools/clean.sh:tools/x.py:tools/ext.sh:` +
	`tools/my gpg:tools/team:tools/deep:tools/edit:.husky/pre-commit`

// everyday is work that goes on as if no setting named a program.
const everyday = `exec 2>&1
for f in src.go docs/template.txt Makefile check notes; do echo a >>$f; done
echo a >tools/new; mkdir -p made dist build release; echo a >dist/app
echo a >made/log.txt; echo a >made/diff; echo a >build/a; echo a >release/a
git add .; git commit -qm a; git branch -qf "$1"; echo b >>src.go; git stash -q
git checkout -q "$1"; echo c >c; git add .; git commit -qm c; git checkout -q -
git merge -q --no-edit "$1"; git rebase -q HEAD~1; git stash pop -q; git reset -q --hard
for f in dist/app made/log.txt made/diff build/a release/a; do test -f $f; done
git log >/dev/null; echo worked`

// TestGitsPrograms holds that what git's settings name in a working tree cannot be changed,
// with a linked worktree's, the user's own and included settings too. What is only
// data can be, and what a named program looks for by itself.
func TestGitsPrograms(t *testing.T) {
	scripttest.Need(t, "git")
	for _, tier := range tiers(t) {
		gitEnv(t)
		dir := t.TempDir()
		t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "settings"))
		shell(t, dir, programs)
		for _, tree := range []string{"main", "main/linked", "alone"} {
			work := filepath.Join(dir, tree)
			files := strings.Split(namedFiles, ":")
			if tree == "main" {
				files = append(files, "team.cfg", "more/deep.cfg")
			}
			texts := map[string]string{}
			for _, file := range files {
				text, _ := os.ReadFile(filepath.Join(work, file))
				texts[file] = string(text)
			}
			for _, attack := range []string{
				`echo evil >>"$f"`, `rm "$f"; echo evil >"$f"`, `ln -sf /tmp/evil "$f"`,
				`echo evil >n; mv n "$f"`,
				`mv "${f%/*}" moved; mkdir -p "${f%/*}"; echo evil >"$f"`,
			} {
				script := `for f; do ` + attack + `; done`
				out := output(t, work, append([]string{"--tier", tier, "--", "sh", "-c", script, "sh"},
					files...)...)
				for _, file := range files {
					path := filepath.Join(work, file)
					text, err := os.ReadFile(path)
					if link, _ := os.Readlink(path); string(text) != texts[file] || link != "" {
						t.Fatalf("tier %s, %s: %s %s: %v %q\n%s", tier, tree, attack, file, err, text, out)
					}
				}
			}
			got := output(t, work, "--tier", tier, "--quiet", "--", "sh", "-ec", everyday,
				"sh", "side-"+filepath.Base(tree))
			if !strings.HasSuffix("\n"+got, "\nworked") {
				t.Errorf("tier %s, %s: %s", tier, tree, got)
			}
		}
	}
}
