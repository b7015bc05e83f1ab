package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestOtherWorktree: git in the sandbox does not see the user's other worktrees, as those
// below /tmp. It neither prunes them nor what is staged there.
func TestOtherWorktree(t *testing.T) {
	scripttest.Need(t, "git")
	scripttest.NeedTier(t, "3")
	for _, command := range []string{"git worktree prune", "git worktree prune --expire now -v",
		"git gc -q --prune=now", "git -c gc.worktreePruneExpire=now gc -q --prune=now",
		"git worktree remove --force other", "rm -rf .git/worktrees", "mv .git/worktrees x"} {
		dir, err := os.MkdirTemp("/var/lib", "ua-main")
		if err != nil {
			scripttest.Skip(t, scripttest.Refused, "%v", err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		other := filepath.Join(t.TempDir(), "other")
		git := func(at string, args ...string) string {
			c := exec.Command("git", append([]string{"-C", at, "-c", "user.name=x", "-c",
				"user.email=x@x"}, args...)...)
			out, err := c.CombinedOutput()
			if err != nil {
				t.Errorf("%s: git %s: %v: %s", command, args, err, out)
			}
			return string(out)
		}
		git(dir, "init", "-q")
		git(dir, "commit", "-q", "--allow-empty", "-m", "one")
		git(dir, "worktree", "add", "-q", other)
		os.WriteFile(filepath.Join(other, "staged"), []byte("work of a day"), 0o644)
		git(other, "add", "staged")
		cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-sandbox"), "--", "sh", "-c", command)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		if s := git(other, "status", "--porcelain"); s != "A  staged\n" {
			t.Errorf("%s: %q\n%s", command, s, out)
		}
		if s := git(other, "show", ":staged"); !strings.Contains(s, "work of a day") {
			t.Errorf("%s: %q\n%s", command, s, out)
		}
	}
}
