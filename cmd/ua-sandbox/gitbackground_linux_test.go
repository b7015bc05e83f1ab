package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ua/internal/test/scripttest"
)

// TestGitBackground has a process go on that has the name of the command itself: overlays are
// not renewed under it, so the user's new commit is seen only after its end. A process that ran
// when the command first asked is the command itself.
func TestGitBackground(t *testing.T) {
	scripttest.Need(t, "git", "bash")
	scripttest.NeedTier(t, "3")
	for _, uid := range users(t) {
		v := newGitPlace(t, uid)
		main := filepath.Join(v.dir, "main")
		v.run(v.dir, exec.Command("sh", "-ec", "rm -rf main; git init -q main; cd main; "+
			"printf '/g?\n' >.git/info/exclude; git commit -q --allow-empty -m first"))
		cmd := sandbox(t, "--quiet", "--land", "--env", "GIT_CONFIG_COUNT", "--", "bash", "-c",
			`see() { printf r >&$UA_LAND_FD; read -r line <&$UA_LAND_FD; git log -1 --format=%s; }
			mkfifo /tmp/p; exec {p}<>/tmp/p; bash -c "read -u $p" & own=$!; see; >g0
			until test -e g1; do sleep 0.02; done; bash -c "read -u $p" & see
			kill $!; wait $! 2>/dev/null; see; kill $own`)
		done := make(chan string)
		go func() { done <- v.run(main, cmd) }()
		scripttest.Await(t, "the command", func() bool {
			_, err := os.Stat(filepath.Join(main, "g0"))
			return err == nil
		})
		v.run(main, exec.Command("git", "commit", "-q", "--allow-empty", "-m", "second"))
		v.run(main, exec.Command("touch", "g1"))
		if got, want := <-done, "first\nfirst\nsecond\n<nil>"; got != want {
			t.Errorf("uid %d: %q, want %q", uid, got, want)
		}
	}
}
