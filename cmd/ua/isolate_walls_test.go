package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// TestWorktreeDoors has an agent turn its work tree's git elsewhere, to settings
// that start a program. ua looks at the work tree outside the sandbox when the run
// ends and when it removes old ones: neither may start that program.
func TestWorktreeDoors(t *testing.T) {
	t.Parallel()
	for _, uid := range users() {
		for name, door := range map[string]string{
			"file":      `make_evil; sh ~/move.sh .git old.git; echo "gitdir: $PWD/evil" >.git`,
			"folder":    `make_evil; sh ~/move.sh .git old.git; mv evil .git`,
			"link":      `make_evil; sh ~/move.sh .git old.git; ln -s evil .git`,
			"commondir": `make_evil; echo "$PWD/evil" >"$g/commondir"`,
			"moved": `make_evil; cp -r "$g" own; echo "$PWD/evil" >own/commondir; ` +
				`sh ~/move.sh "$g" "$g.old"; sh ~/move.sh own "$g"`,
			"config": `git config extensions.worktreeConfig true; ` +
				`git config -f "$g/config.worktree" core.fsmonitor "$payload"; ` +
				`printf '[core]\n\tfsmonitor = "%s"\n' "$payload" >"$g/config.worktree"`,
			"gitlink": `git init -q sub; git -C sub commit -q --allow-empty -m x; git add sub; ` +
				`git config -f sub/.git/config core.fsmonitor "$payload"`,
			"gitlink filter": `git init -q sub; echo a >sub/a; git -C sub add a; ` +
				`git -C sub commit -qm x; git add sub; git config -f sub/.git/config filter.x.clean ` +
				`"$payload"; echo "* filter=x" >sub/.gitattributes; echo b >sub/a`,
			"worktree filter": `printf '[filter "x"]\n\tclean = "%s"\n' "$payload" ` +
				`>"$g/config.worktree"; echo "* filter=x" >.gitattributes; echo b >file`,
			"filter": `echo "* filter=x" >.gitattributes; git config filter.x.clean "$payload"; ` +
				`mkdir -p "$g/info"; echo "* filter=x" >"$g/info/attributes"; touch file`,
		} {
			p := newPlace(t, uid)
			p.repository()
			p.write(filepath.Join(p.home, "move.sh"), unseenMove)
			if strings.HasPrefix(name, "worktree") {
				p.git("config", "extensions.worktreeConfig", "true")
			}
			p.env = append(p.env, "UA_MODEL=replay:"+filepath.Join(p.cwd, "main.jsonl"))
			mark := filepath.Join(p.home, "started")
			p.recording("main.jsonl", "done", `payload='touch `+mark+
				`; false'; g=$(git rev-parse --absolute-git-dir)
make_evil() {
	cp -r "$(git rev-parse --path-format=absolute --git-common-dir)" evil
	cp "$g/index" "$g/HEAD" evil/
	git config -f evil/config core.bare false
	git config -f evil/config core.fsmonitor "$payload"
	git config -f evil/config filter.x.clean "$payload"
	git config -f evil/config diff.external "$payload"
	echo '* filter=x' >.gitattributes
	touch file
}
`+door+`
git status >/dev/null 2>&1; :`)
			_, errs, status := p.run("ua", "--isolate", "worktree", "task")
			if got := p.isolation().Get("got").Str; status != 0 || got != "worktree" {
				t.Fatalf("uid %d: %s: status %d, got %q: %s", uid, name, status, got, errs)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Errorf("uid %d: %s: the run's end started it: %s", uid, name, p.outputs())
				os.Remove(mark)
			}
			old := time.Now().Add(-30 * 24 * time.Hour)
			os.Chtimes(p.isolation().Get("path").Str, old, old)
			p.run("ua", "gc")
			if _, err := os.Stat(mark); err == nil {
				t.Errorf("uid %d: %s: ua gc started it", uid, name)
				os.Remove(mark)
			}
			p.git("status")
			if _, err := os.Stat(mark); err == nil {
				t.Errorf("uid %d: %s: git status in the checkout started it: %s", uid, name,
					strings.TrimSpace(errs))
			}
		}
	}
}

// TestWorktreeWithSubmodule keeps a work tree whose only change is one in a
// submodule: nobody looks into that, so nobody knows that it can go.
func TestWorktreeWithSubmodule(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.repository()
	p.git("update-index", "--add", "--cacheinfo", "160000,"+p.git("rev-parse", "HEAD")+",sub")
	p.git("commit", "-qm", "link")
	os.Mkdir(filepath.Join(p.cwd, "sub"), 0o755)
	p.env = append(p.env, "UA_MODEL=replay:"+filepath.Join(p.cwd, "main.jsonl"))
	p.recording("main.jsonl", "done",
		"git clone -q . sub && git -C sub reset -q --hard HEAD~1 && echo work >sub/new")
	_, errs, _ := p.run("ua", "--isolate", "worktree", "task")
	tree := p.isolation()
	if kept, _ := os.ReadFile(filepath.Join(tree.Get("path").Str,
		"sub/new")); string(kept) != "work\n" ||
		tree.Get("state").Str != "worktree_kept" {
		t.Errorf("%s %s %s", tree, errs, p.outputs())
	}
}

// TestWorktreeObjects: a run in a work tree of its own changes no object that the user's
// branches have, whatever it puts in its place, and its own commits are there.
func TestWorktreeObjects(t *testing.T) {
	scripttest.NeedTier(t, "3")
	const rewrite = `git commit -q --allow-empty -m mine; g=$(git rev-parse --git-common-dir)/objects
at() { echo $g/$(git rev-parse $1 | sed 's,..,&/,'); }
put() { echo $g/$(echo "$1" | git hash-object -w --stdin | sed 's,..,&/,'); }
%s
git show other:file`
	for _, uid := range users() {
		for name, change := range map[string]string{
			"written": `chmod u+w $(at other:file); cat $(put evil) >$(at other:file)`,
			"renamed": `rm -f $(at other:file); cp $(put evil) $(at other:file)`,
			"a link":  `put evil >p; ln -sf $(cat p) $(at other:file)`,
			"a folder": `d=$(dirname $(at other:file)); p=$(basename $(at other:file)); cp -r $d x
rm -f x/$p; cp $(put evil) x/$p; mv $d y; mv x $d`,
			"the tree":  `rm -f $(at other:); cp $(at main:) $(at other:)`,
			"alternate": `mkdir o; cp -r $g/. o/; echo $PWD/o >$g/info/alternates; rm -f $(at other:file)`,
		} {
			p := newPlace(t, uid)
			p.repository()
			p.shell(p.cwd, "git checkout -q -b other; echo two >file; git commit -qam two; "+
				"git checkout -q main")
			p.env = append(p.env, "UA_MODEL=replay:"+filepath.Join(p.cwd, "main.jsonl"))
			p.write(filepath.Join(p.home, "change.sh"), strings.Replace(rewrite, "%s", change, 1))
			p.recording("main.jsonl", "done", "sh ~/change.sh")
			_, errs, status := p.run("ua", "--isolate", "worktree", "task")
			if got := p.isolation().Get("got").Str; status != 0 || got != "worktree" {
				t.Fatalf("uid %d: %s: status %d, got %q: %s", uid, name, status, got, errs)
			}
			seen := p.shell(p.cwd, "git fsck --no-dangling; git checkout -q other; cat file; "+
				"git log --format=%s $(git branch --list 'ua/*' --format='%(refname)') -1")
			if seen != "two\nmine\n" {
				t.Errorf("uid %d: %s: %q: %s%s", uid, name, seen, errs, p.outputs())
			}
		}
	}
}
