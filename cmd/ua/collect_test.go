package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// TestCollectInner removes the old work trees of subagents, and none in which there is
// something to lose. What commands have made in their place starts nothing and leads nowhere.
func TestCollectInner(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.repository()
		p.write(filepath.Join(p.home, "move.sh"), unseenMove)
		precious := filepath.Join(p.home, "precious")
		p.write(filepath.Join(precious, "x"), "x\n")
		mark := filepath.Join(p.home, "started")
		p.allowLeaf()
		m := p.model("call: ua --isolate worktree -m anthropic/committed 'a part'\n" +
			"call: ua --isolate worktree -m anthropic/changed 'a part'\n" +
			"call: ua --isolate worktree -m anthropic/hostile 'a part'\n" +
			fmt.Sprintf(`call: mkdir "${UA_JOURNAL%%/*}/sub/20260101-000000-eeeeee"; ln -s %s `+
				`"${UA_JOURNAL%%/*}/sub/20260101-000000-eeeeee/worktree"`, p.home) +
			"\n---\ntext: done")
		for name, command := range map[string]string{
			"committed": "echo x > new; git add new; git commit -qm x; ln -s " + precious +
				" link; git add link; git commit -qm y",
			"changed": "echo x > new",
			"hostile": "sh ~/move.sh .git old; git init -q .; echo '* filter=x' > .gitattributes; " +
				"git add -A; git commit -qm z",
		} {
			os.WriteFile(filepath.Join(m.Dir, "model."+name), []byte("call: "+command+
				"\n---\ntext: part done\n"), 0o644)
		}
		if out, errs, status := p.run("ua", "task"); status != 0 || out != "done\n" {
			t.Fatalf("uid %d: status %d, %q, %s", uid, status, out, errs)
		}
		trees := p.glob("*/sub/*/worktree/*-1")
		if len(trees) != 3 {
			t.Fatalf("uid %d: %s: %s", uid, trees, p.outputs())
		}
		// What a sandbox of a lower tier may not have kept a command from.
		p.write(filepath.Join(trees[2], ".git/config"), "[core]\nrepositoryformatversion = 0\n"+
			"[filter \"x\"]\nclean = touch "+mark+"; cat\n")
		p.write(filepath.Join(trees[2], "file"), "one\n")
		if out, errs, _ := p.run("ua", "gc"); out+errs != "" {
			t.Errorf("uid %d: young: %s%s", uid, out, errs)
		}
		long := time.Now().Add(-8 * 24 * time.Hour)
		old := append(trees, p.glob("*/sub/*/worktree/*")...)
		for _, path := range append(old, p.glob("*/journal.jsonl")...) {
			os.Chtimes(path, long, long)
		}
		out, errs, status := p.run("ua", "gc")
		if cannot := "ua-sandbox: the sandbox can't be set up: "; strings.Contains(errs, cannot) &&
			out == "" {
			scripttest.Skip(t, scripttest.Refused, "git is not run without tier 3: %s", errs)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Errorf("uid %d: ua gc started a program", uid)
		}
		if _, err := os.Stat(filepath.Join(precious, "x")); err != nil {
			t.Errorf("uid %d: %v", uid, err)
		}
		if !strings.Contains(out, "removed "+trees[0]+"\n") ||
			!strings.Contains(errs, trees[1]+": it has uncommitted changes") || status != 0 {
			t.Errorf("uid %d: status %d, %s%s", uid, status, out, errs)
		}
		if branches := p.git("branch", "--list", "ua/*"); strings.Count(branches, "ua/") != 3 {
			t.Errorf("uid %d: %s", uid, branches)
		}
		if left, _, _ := p.run("ua", "gc", "--force"); !strings.Contains(left, "removed "+trees[1]) {
			t.Errorf("uid %d: %s", uid, left)
		}
		if left := p.glob("*/sub/*/worktree/*-1"); len(left) != 0 {
			t.Errorf("uid %d: %s", uid, left)
		}
	}
}
