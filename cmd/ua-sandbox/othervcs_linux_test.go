package main

import (
	"fmt"
	"os"
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

// othersPlanting is what a command does to have the user's programs run something in a tree
// of another system that it makes, as rows.
const othersPlanting = `
hg init new; printf '[hooks]\npre-status = %s\n' "$RUN" >new/.hg/hgrc
hg init new; printf '[paths]\rx=y\r[alias]\rstatus = !%s\r' "$RUN" >new/.hg/hgrc
hg init new; printf '[paths]\ndefault = x\n%%include ../../inc\n' >new/.hg/hgrc
	printf '[hooks]\npre-status = %s\n' "$RUN" >inc
hg init new; printf 'import os\nos.system("""%s""")\n' "$RUN" >e.py
	printf "[extensions]\ne = $PWD/e.py\n" >new/.hg/hgrc
hg init new; printf '[hooks]\npre-status = %s\n' "$RUN" >inc; ln -s ../../inc new/.hg/hgrc
hg init real; printf '[hooks]\npre-status = %s\n' "$RUN" >real/.hg/hgrc
	mkdir new; mv real/.hg dot; ln -s ../dot new/.hg
hg init old; hg --config extensions.share= share -q old new
	printf '[hooks]\npre-status = %s\n' "$RUN" >old/.hg/hgrc
hg init old; hg --config extensions.share= share -q old new; mv old/.hg store
	printf '[hooks]\npre-status = %s\n' "$RUN" >store/hgrc; echo "$PWD/store" >new/.hg/sharedpath
hg init new; mv fixture new/.hg/hgrc
hg init plain; printf '[hooks]\npre-status = %s\n' "$RUN" >plain/.hg/hgrc
mkdir -p a/b; hg init a/b/new; printf '[hooks]\npre-status = %s\n' "$RUN" >a/b/new/.hg/hgrc
	mv a/b/new .
darcs init new; printf 'ALL posthook %s\nALL run-posthook\n' "$RUN" >new/_darcs/prefs/defaults
fossil init r.fossil; mkdir new; cd new; fossil open ../r.fossil
	echo a >a; fossil add a; fossil commit -m a --no-warnings
	fossil settings diff-command "sh -c '$RUN' #"; echo b >a
svnadmin create repo; printf '#!/bin/sh\n%s\n' "$RUN" >repo/hooks/start-commit
	chmod 755 repo/hooks/start-commit; svn checkout -q "file://$PWD/repo" new
	touch new/a; svn add -q new/a
svn checkout -q "file://$PWD/svn" new; printf '#!/bin/sh\n%s\n' "$RUN" >svn/hooks/start-commit
	chmod 755 svn/hooks/start-commit; touch new/a; svn add -q new/a
mkdir -p new/.jj/repo
	printf '[aliases]\nst = ["util", "exec", "--", "sh", "-c", "%s"]\n' "$RUN" \
	>new/.jj/repo/config.toml
mkdir -p new/.pijul; printf '[hooks]\nrecord = ["%s"]\n' "$RUN" >new/.pijul/config
`

// othersVisits are what the user then does.
const othersVisits = `exec 2>/dev/null; export HOME=$TMPDIR USER=me
for d in . new plain a/b/new; do
	(cd $d && { hg status; hg log; darcs whatsnew; darcs log
		fossil status; fossil diff; svn status; svn commit -q -m x; })
done; cat new/.jj/repo/config.toml new/.pijul/config; cat touched; true`

// TestOthersPlants has commands make trees of other systems of version control, and then the
// user's programs, confined as well, go there.
func TestOthersPlants(t *testing.T) {
	scripttest.Need(t, "hg", "darcs", "fossil", "svn")
	for i, tier := range tiers(t) {
		for n, row := range rows(othersPlanting) {
			t.Run(fmt.Sprint(tier, "/", n), func(t *testing.T) { othersPlant(t, tier, row) })
			if i > 0 {
				break // what is found does not depend on the tier
			}
		}
	}
}

func othersPlant(t *testing.T, tier, row string) {
	t.Parallel()
	dir := t.TempDir()
	shell(t, dir, "mkdir work; cd work; mkdir plain; svnadmin create svn; printf "+
		"'[hooks]\\npre-status = touch touched\\n' >fixture")
	work := filepath.Join(dir, "work")
	run := `export HOME=$TMPDIR USER=me HGUSER=me; RUN="touch ` + work + `/touched"; `
	said := output(t, work, "--tier", tier, "--", "sh", "-c", run+row+"; true")
	got := output(t, work, "--tier", tier, "--quiet", "--", "sh", "-c", othersVisits)
	_, err := os.Lstat(filepath.Join(work, "touched"))
	if err == nil || strings.Contains(got, "touch") {
		t.Errorf("%s\nrun: %s\n%s", row, said, got)
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
	if !strings.Contains(said, "worked\n") || left != "1\na\na\na\n./f/.fslckout.refused\n" {
		t.Errorf("%s\n%s", said, left)
	}
}
