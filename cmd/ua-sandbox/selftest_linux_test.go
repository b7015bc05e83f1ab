package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// Where the root is mounted within itself, rules for a folder hold for all: tier 2 refuses
// to run anything, and says why. Elsewhere a secret is kept.
func TestRootWithinItself(t *testing.T) {
	scripttest.Need(t, "unshare", "chroot")
	if os.Getuid() != 0 {
		scripttest.Skip(t, scripttest.Refused, "only root changes its root")
	}
	if out, err := exec.Command("unshare", "-m", "true").CombinedOutput(); err != nil {
		scripttest.Skip(t, scripttest.Refused, "%s", out)
	}
	dir := t.TempDir()
	shell(t, dir, "mkdir -p root mnt/root home/.ssh work; echo marker >home/.ssh/id; chmod 755 . ..")
	for _, c := range []struct{ root, user, tier, want string }{
		{"mnt/root", "0", "--tier=2", "can be read all the same"},
		// The folder on the way to the secret has no rule.
		{"root", "0", "--tier=2", "Permission denied"},
		// Who is not root has no namespaces in a chroot: both reasons are told, and what helps.
		{"mnt/root", "61234", "--quiet", "namespaces: operation not permitted; tier 2: secrets: "},
		{"mnt/root", "61234", "--quiet", "hint: mount the root in a folder of / itself"},
	} {
		cmd := exec.Command("unshare", "-m", "sh", "-c",
			`mount --make-rprivate / && mount --rbind / "$0" && cd "$1" &&
			exec chroot --userspec="$3:$3" "$0" sh -c '
			cd "$0/work" && HOME=$0/home exec "$1" --quiet "$2" -- cat ../home/.ssh/id' "$1" "$2" "$4"`,
			filepath.Join(dir, c.root), dir, filepath.Join(scripttest.Bin(t), "ua-sandbox"), c.user, c.tier)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) ||
			strings.Contains(string(out), "marker") {
			t.Errorf("%+v: %v: %s", c, err, out)
		}
	}
}
