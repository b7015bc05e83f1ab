package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestOtherVersionControl has commands change and make what Mercurial, Jujutsu, Breezy,
// Darcs and Pijul obey in working trees that were there; the rest of their folders can be written, and
// new repositories too.
func TestOtherVersionControl(t *testing.T) {
	const trees = `mkdir -p .hg/store sub/.hg .jj/repo/store .bzr/branch sub/.jj _darcs/prefs .pijul; echo old >.hg/hgrc; echo old >.hg/requires
echo old >.jj/repo/store/git_target; echo old >.bzr/branch/branch.conf; echo old >sub/.jj/repo
echo old >_darcs/prefs/prefs; echo old >.pijul/config`
	const files = `.hg/hgrc .hg/hgrc-not-shared .hg/requires .hg/sharedpath sub/.hg/hgrc .jj/repo/config.toml ` +
		`.jj/repo/store/git_target .jj/workspace-config.toml .bzr/branch/branch.conf .bzr/branch/location ` +
		`_darcs/prefs/defaults _darcs/prefs/prefs .pijul/config .pijul/hooks/record`
	const attacks = `mkdir .pijul/hooks; for f in ` + files + `; do echo evil >>$f; done
mv .hg/hgrc .hg/h2; mv .hg h3; mkdir -p .hg/store; echo evil >.hg/hgrc
echo x >.hg/store/data; mkdir -p new/.hg; echo mine >new/.hg/hgrc; true`
	const look = `grep -l evil ` + files + `
cat new/.hg/hgrc .hg/hgrc`
	for _, tier := range tiers(t) {
		dir := t.TempDir()
		shell(t, dir, "mkdir work; cd work; "+trees)
		work := filepath.Join(dir, "work")
		said := output(t, work, "--tier", tier, "--quiet", "--", "sh", "-c", attacks)
		got := shell(t, work, "{ "+look+"\n} 2>/dev/null || true")
		if strings.Contains(got, "/") || !strings.Contains(got, "mine\nold") {
			t.Errorf("tier %s: %s\n%s", tier, got, said)
		}
	}
}
