package main

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGitFolders: what would have the user's next git command run a program stays in the
// try, whoever made it and however; what git writes itself lands.
func TestGitFolders(t *testing.T) {
	const evil = `printf '#!/bin/sh\ntouch "$HOME/ran"\n' >evil; chmod +x evil; `
	// at prints the path of an object, and put makes the one of its input.
	const objects = `at() { echo .git/objects/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-); }
		put() { git hash-object -w --stdin; }
		old=$(git rev-parse HEAD:f); evil=$(echo evil | put); new=$(echo two | git hash-object --stdin)
		mkdir -p $(dirname $(at $new)); `
	for name, c := range map[string]struct {
		change, refused string
	}{
		"a hook": {evil + "cp evil .git/hooks/post-checkout", ".git/hooks/post-checkout"},
		"a link as hooks": {evil + "rm -r .git/hooks; mkdir h; cp evil h/post-checkout; " +
			"ln -s ../h .git/hooks", ".git/hooks"},
		"a link to a hook": {evil + "ln -s ../../evil .git/hooks/post-checkout",
			".git/hooks/post-checkout"},
		"hard links": {evil + "mkdir z; cp evil z/e; ln z/e .git/hooks/post-checkout",
			".git/hooks/post-checkout"},
		"fsmonitor":  {evil + `git config core.fsmonitor "$PWD/evil"`, ".git/config"},
		"an include": {evil + `git config include.path ../evil`, ".git/config"},
		"hooksPath":  {evil + `git config core.hooksPath "$PWD"`, ".git/config"},
		"a nested one": {evil + `git init -q n; git -C n config core.fsmonitor "$PWD/evil"`,
			"n/.git/config"},
		"a bare one":     {`git init -q --bare b; git -C b config core.fsmonitor x`, "b/config"},
		"moved":          {`git init -q n; git -C n config core.fsmonitor x; mv n m`, "m/.git/config"},
		"what was there": {"mv data/d .git2; rm -rf .git; mv .git2 .git", ".git/config"},
		"made one":       {"cp -r .git/HEAD .git/objects .git/refs parts/", "parts/HEAD"},
		"a pointer":      {"mkdir p; echo gitdir: ../data/d >p/.git", "p/.git"},
		"a link":         {"mkdir p; ln -s ../data/d p/.git", "p/.git"},
		"a pointer out":  {"mkdir p; echo gitdir: /tmp/nowhere >p/.git", "p/.git"},
		"an object": {`o=$(find .git/objects -type f | head -1); chmod u+w $o; echo x >>$o`,
			".git/objects/"},
		"another object": {objects + `rm -f $(at $old); cp $(at $evil) $(at $old)`, ".git/objects/d0/"},
		"the same time": {objects + `touch -r $(at $old) t; rm -f $(at $old)
			cp $(at $evil) $(at $old); touch -r t $(at $old)`, ".git/objects/d0/"},
		"a new object":  {objects + `cp $(at $evil) $(at $new)`, ".git/objects/f7/"},
		"no object":     {objects + `echo text >$(at $new)`, ".git/objects/f7/"},
		"a linked one":  {objects + `ln $(at $evil) own`, ".git/objects/"},
		"a link as one": {objects + `ln -s ../../../f $(at $new)`, ".git/objects/f7/"},
		"a link as many": {objects + `mv .git/objects/d0 o; ln -s ../../o .git/objects/d0`,
			".git/objects/d0"},
		"a pack's table": {`cp data/pack-forged.* .git/objects/pack/`, ".git/objects/pack/pack-forged"},
		"in place of": {`rm -rf .git/objects/d0; cp data/pack-forged.* .git/objects/pack/`,
			".git/objects/pack/pack-forged"},
		"a clone's": {objects + `git clone -q --no-hardlinks . n; cd n; cp $(at $evil) $(at $new)`,
			"n/.git/objects/f7/"},
		"a replaced": {objects + `git replace $old $evil`, ".git/refs/replace/d0"},
		"many":       {objects + `git replace $old $evil; git pack-refs --all`, ".git/packed-refs"},
		"a module's": {`mkdir -p .git/modules; git init -q --bare .git/modules/m
			git --git-dir .git/modules/m config core.fsmonitor x`, ".git/modules/m/config"},
		"alternates": {`echo /tmp/objects >.git/objects/info/alternates`,
			".git/objects/info/alternates"},
		"packs": {objects + `for n in $(seq 20); do echo $n >f; git commit -qam $n; done
			git repack -qad --write-bitmap-index; git multi-pack-index write; git commit-graph write`, ""},
		"sha256": {`git init -q --object-format=sha256 n; cd n; echo 1 >f; git add f
			git commit -qm one; git gc -q; echo 2 >f; git commit -qam two`, ""},
		"commits": {`echo 2 >f; git add f; git commit -qm two; git branch b; git tag t; git gc -q
			git remote add o https://example.com/x; git config user.email a@b`, ""},
		"a worktree": {`git worktree add -q w; echo 3 >w/f; git -C w commit -qam three`, ""},
		"a new repository": {`git init -q n; echo 1 >n/f; git -C n add f
			git -C n commit -qm one`, ""},
		"a submodule": {`git -c protocol.file.allow=always submodule --quiet add "file://$PWD" n
			git commit -qm sub`, ""},
		"a clone": {`git clone -q . n || git clone -q --no-hardlinks . n`, ""},
		"a shared index": {`git init -q n; cd n; o=$(echo evil | git hash-object -w --stdin)
			git update-index --add --cacheinfo 100755,$o,.gix/hooks/post-checkout
			git update-index --split-index
			python3 -c 'import glob, hashlib
p = glob.glob(".git/sharedindex.*")[0]
d = open(p, "rb").read()[:-20].replace(b".gix", b".git")
open(p, "wb").write(d + hashlib.sha1(d).digest())'`, "n/.git/sharedindex."},
		"a tree elsewhere": {`mkdir w; git config core.worktree ../w`, ".git/config"},
		"a new tree's":     {`git init -q n; git -C n config core.worktree ../../w`, "n/.git/config"},
		"another format":   {`git config extensions.objectFormat sha256`, ".git/config"},
		"links as parts": {`mkdir s; cp .git/HEAD s; mv parts/config s; mkdir o o/objects o/refs
			ln -s ../o/objects ../o/refs s`, "s/"},
		"a hook's example":  {`echo x >.git/hooks/own.sample`, ""},
		"what goes":         {`rm .git/hooks/*; rm .git/config`, ""},
		"without a git one": {evil + `mkdir hooks; cp evil hooks/pre-commit; cp evil config`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, os.Geteuid())
			b.must(b.dir, "/bin/sh", "-c", `git config --global user.name a
				git config --global user.email a@b; git config --global init.defaultBranch main`)
			dir := filepath.Join(b.dir, "work", "r")
			b.must(b.dir+"/work", "/bin/sh", "-c", `git init -q r; cd r; echo 1 >f; git add f
				git commit -qm one; mkdir data parts; git init -q --bare data/d
				git -C data/d config core.fsmonitor x
				printf '[core]\n\tfsmonitor = x\n' >parts/config`)
			forgePack(t, b, filepath.Join(dir, "data"))
			b.must(dir, "ua-try", "--quiet", "--", "/bin/sh", "-c", c.change)
			was := snapshot(dir, false)
			_, err := b.run(dir, nil, "ua-try", "apply")
			if c.refused == "" {
				if err != nil {
					t.Fatal(err)
				}
				b.must(dir, "/bin/sh", "-c", `for r in . n w; do
					test ! -e $r/.git/config || git -C $r fsck --full --strict; done`)
				b.must(dir, "ua-try", "undo")
				if now := snapshot(dir, false); now != was {
					t.Error(difference(was, now))
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), "work/r/"+c.refused) ||
				!strings.Contains(err.Error(), "refused") {
				t.Fatalf("%v", err)
			}
			if now := snapshot(dir, false); now != was {
				t.Errorf("something has landed:\n%s", difference(was, now))
			}
			_, err = b.run(dir, nil, "ua-try", "apply", "--skip-refused")
			if err != nil && !strings.Contains(err.Error(), "nothing to apply") {
				t.Error(err)
			}
			for range 2 { // and what stays is refused again
				if _, err = b.run(dir, nil, "ua-try", "apply"); err == nil ||
					!strings.Contains(err.Error(), c.refused) {
					t.Errorf("the rest: %v", err)
				}
			}
			b.must(dir, "ua-try", "apply", "--allow-refused")
			b.must(dir, "ua-try", "undo")
			if now := snapshot(dir, false); now != was {
				t.Errorf("taken back:\n%s", difference(was, now))
			}
		})
	}
}

// forgePack makes a pack by whose table git finds other content under the name of the file f
// of one line, "1".
func forgePack(t *testing.T, b *bench, dir string) {
	out := b.must(dir, "/bin/sh", "-c", `o=$(echo evil | git hash-object -w --stdin)
		p=$(echo $o | git pack-objects -q $PWD/pack); mv pack-$p.pack pack-forged.pack
		mv pack-$p.idx pack-forged.idx
		chmod 600 pack-forged.idx
		rm -f ../.git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); echo $o`)
	evil, err := hex.DecodeString(strings.TrimSpace(out))
	known, _ := hex.DecodeString("d00491fd7e5bb6fa28c517a0bb32b8b506539d4d")
	table, err2 := os.ReadFile(dir + "/pack-forged.idx")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	table = bytes.Replace(table, evil, known, 1)
	for i := range 256 { // how many names there are up to each first byte
		table[8+4*i+3] = 0
		if i >= int(known[0]) {
			table[8+4*i+3] = 1
		}
	}
	sum := sha1.Sum(table[:len(table)-sha1.Size])
	copy(table[len(table)-sha1.Size:], sum[:])
	if err := os.WriteFile(dir+"/pack-forged.idx", table, 0o600); err != nil {
		t.Fatal(err)
	}
}
