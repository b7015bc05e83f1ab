package main

import (
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestOtherVersionControl has commands change and make what Mercurial, Jujutsu, Breezy,
// Darcs and Pijul obey in working trees that were there; the rest of their folders can be
// written, and new repositories too.
func TestOtherVersionControl(t *testing.T) {
	const trees = `mkdir -p .hg/store sub/.hg .jj/repo/store .bzr/branch sub/.jj _darcs/prefs .pijul
echo old >.hg/hgrc; echo old >.hg/requires; echo old >.jj/repo/store/git_target
echo old >.bzr/branch/branch.conf; echo old >sub/.jj/repo
echo old >_darcs/prefs/prefs; echo old >.pijul/config`
	const files = `.hg/hgrc .hg/hgrc-not-shared .hg/requires .hg/sharedpath sub/.hg/hgrc ` +
		`.jj/repo/config.toml .jj/repo/store/git_target .jj/workspace-config.toml ` +
		`.bzr/branch/branch.conf .bzr/branch/location ` +
		`_darcs/prefs/defaults _darcs/prefs/prefs .pijul/config .pijul/hooks/record`
	const attacks = `mkdir .pijul/hooks; for f in ` + files + `; do echo evil >>$f; done
mv .hg/hgrc .hg/h2; mv .hg h3; mkdir -p .hg/store; echo evil >.hg/hgrc
echo x >.hg/store/data; mkdir -p new/.hg; printf '[paths]\nmine = x\n' >new/.hg/hgrc; true`
	const look = `grep -l evil ` + files + `
cat new/.hg/hgrc .hg/hgrc`
	for _, tier := range tiers(t) {
		dir := t.TempDir()
		shell(t, dir, "mkdir work; cd work; "+trees)
		work := filepath.Join(dir, "work")
		said := output(t, work, "--tier", tier, "--quiet", "--", "sh", "-c", attacks)
		got := shell(t, work, "{ "+look+"\n} 2>/dev/null || true")
		if strings.Contains(got, "/") || !strings.Contains(got, "mine = x\nold") {
			t.Errorf("tier %s: %s\n%s", tier, got, said)
		}
	}
}

// What these systems write by themselves works, and stays.
func TestOthersWork(t *testing.T) {
	scripttest.Need(t, "hg", "darcs", "fossil", "svn")
	const script = `set -e; export HOME=$TMPDIR USER=me HGUSER=me
hg init h; cd h; echo a >a; hg add a; hg commit -q -m a; cd ..
hg clone -q h h2; hg --config extensions.share= share -q h h3; hg -R h3 status
darcs init d; cd d; echo a >a; darcs record -q -l -a -A me -m a; cd ..; darcs get -q d d2
fossil init f.fossil; mkdir f; cd f; fossil open ../f.fossil
echo a >a; fossil add a; fossil commit -m a --no-warnings; cd ..
svnadmin create s; svn checkout -q "file://$PWD/s" w
cd w; echo a >a; svn add -q a; svn commit -q -m first`
	dir := t.TempDir()
	said := output(t, dir, "--", "sh", "-c", "{ "+script+"\n} >/dev/null && echo worked")
	left := shell(t, dir, `grep -c ^default <h2/.hg/hgrc
cat h3/a d2/a w/a; find . -name '*.refused'`)
	if !strings.Contains(said, "worked") || left != "1\na\na\na\n" {
		t.Errorf("%s\n%s", said, left)
	}
}
