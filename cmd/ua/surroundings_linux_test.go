package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/internal/test/scripttest"
)

// TestSurroundingsNetwork: the model is told of no network where namespaces are refused and
// commands have none.
func TestSurroundingsNetwork(t *testing.T) {
	scripttest.NeedTier(t, "3")
	scripttest.Need(t, "unshare")
	for _, uid := range users() {
		for script, want := range map[string]string{
			`exec "$0" "$@"`: "network packages, git",
			`echo 0 >/proc/sys/user/max_user_namespaces; exec "$0" "$@"`: "network none",
		} {
			p := newPlace(t, uid)
			p.recording("main.jsonl", "done")
			cmd := p.command("ua", "task")
			unshare, _ := exec.LookPath("unshare")
			cmd.Args = append([]string{"unshare", "-Ur", "sh", "-c", script,
				filepath.Join(p.bin, "ua")}, cmd.Args[1:]...)
			cmd.Path = unshare
			out, err := cmd.CombinedOutput()
			kept, _, _ := p.run("ua-journal", "cat", "last")
			if err != nil || !strings.Contains(kept, "; "+want) {
				t.Errorf("uid %d: %q: no %q: %v: %s\n%s", uid, script, want, err, out, kept)
			}
		}
	}
}

// TestSurroundingsTakenBack: where mounts are refused once the model was told of a network, it
// reads with the first result that there is none.
func TestSurroundingsTakenBack(t *testing.T) {
	scripttest.NeedTier(t, "3")
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.recording("main.jsonl", "done", "echo at $UA_SANDBOX", "echo again")
		cmd := p.command("ua", "task")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := scripttest.RunWithout(cmd, unix.SYS_OPEN_TREE)
		kept, _, _ := p.run("ua-journal", "cat", "last")
		_, after, _ := strings.Cut(kept, `at 2`)
		_, second, _ := strings.Cut(after, `"type":"message"`)
		if strings.Contains(kept, "; network none") && err == nil {
			continue // the lower tier was told before the model was
		}
		if err != nil || !strings.Contains(kept, "; network packages, git") ||
			!strings.Contains(second, "no network") || strings.Count(kept, "have no network") != 1 {
			t.Errorf("uid %d: %v: %s\n%s", uid, err, out.String(), kept)
		}
	}
}
