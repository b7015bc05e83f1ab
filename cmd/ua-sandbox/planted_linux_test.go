package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// planting is what a command does to have the user's git run something, as rows. $RUN is
// what is to be run. A nested repository is looked into by git-status(1) in the outer one,
// by front ends that look for repositories, and by a prompt in its folder.
const planting = `
new sub; git config -f sub/.git/config core.fsmonitor "$RUN"; git add sub
new --separate-git-dir=store/x sub
	git config -f store/x/config core.fsmonitor "$RUN"; git add sub
new sub; git config -f sub/.git/config core.fsmonitor "$RUN"
	git update-index --add --cacheinfo 160000,$(git -C sub rev-parse HEAD),sub
new sub; git config -f sub/.git/config core.fsmonitor "$RUN"
new sub; git config -f sub/.git/config core.fsmonitor "$RUN"
	git -c core.splitIndex=true add sub; git update-index --split-index
new sub; git config -f sub/.git/config core.fsmonitor "$RUN"
	git update-index --index-version 4 --add sub
new sub; git config -f sub/.git/config core.fsmonitor "$RUN"
	git add -N .; git update-index --index-version 3 --add sub
new sub; hook sub/.git/hooks/post-index-change; git add sub
new sub; rm -rf sub/.git/hooks
	mkdir h; hook h/post-index-change; ln -s ../../h sub/.git/hooks; git add sub
new sub; git config -f sub/.git/config core.hooksPath ../h
	mkdir h; hook h/post-index-change; git add sub
new sub; git config -f extra core.fsmonitor "$RUN"
	git config -f sub/.git/config include.path ../../extra; git add sub
new sub; git config -f extra core.fsmonitor "$RUN"
	git config -f sub/.git/config 'includeIf.gitdir:**.path' ../../extra; git add sub
new sub; git config -f sub/.git/config extensions.worktreeConfig true
	git config -f sub/.git/config.worktree core.fsmonitor "$RUN"; git add sub
new sub; mv sub/.git/config real; git config -f real core.fsmonitor "$RUN"
	ln -s ../../real sub/.git/config; git add sub
new sub; new other; git config -f other/.git/config core.fsmonitor "$RUN"
	echo ../../other/.git >sub/.git/commondir; git add sub
new sub; mv sub/.git real; git config -f real/config core.fsmonitor "$RUN"
	ln -s ../real sub/.git; git add sub
new sub; printf '[core]\n\tfsmonitor = "%s"\\\n' "$RUN" >>sub/.git/config; git add sub
new sub; printf '[core] # x\n[ExtensionS]\n[core]FsMonitor="%s"' "$RUN" >>sub/.git/config
	git add sub
new sub
	printf '\357\273\277[core "x"]\n[core]\r\n\tfsmonitor=%s\r\n' "$RUN" >sub/.git/config
	git add sub
new sub; new sub/in; git config -f sub/in/.git/config core.fsmonitor "$RUN"
	git -C sub add in; git -C sub commit -q -m x; git add sub
new sub; echo '* filter=f' >sub/.gitattributes; echo x >sub/f
	git -C sub add .; git -C sub commit -q -m x
	git config -f sub/.git/config filter.f.clean "$RUN"; git add sub; sleep 1.1; echo y >sub/f
mkdir -p a/b/node_modules; new a/b/node_modules/sub
	git config -f a/b/node_modules/sub/.git/config core.fsmonitor "$RUN"
	git add -f a/b/node_modules/sub
new build; git config -f build/.git/config core.fsmonitor "$RUN"
rm -rf plain; new plain; git config -f plain/.git/config core.fsmonitor "$RUN"
git init -q --bare sub; git config -f sub/config core.worktree ..
	git config -f sub/config core.bare false; git config -f sub/config core.fsmonitor "$RUN"
cp -r deep/repo/.git x; git config -f x/config core.fsmonitor "$RUN"
	mkdir sub; echo 'gitdir: ../x' >sub/.git; git add sub
git config -f deep/repo/.git/config core.fsmonitor "$RUN"
git -c protocol.file.allow=always clone -q . sub; mkdir .git/modules
	mv sub/.git .git/modules/sub; git config -f .git/modules/sub/config core.fsmonitor "$RUN"
	echo 'gitdir: ../.git/modules/sub' >sub/.git
new sub; git config -f sub/.git/config core.worktree /
	git config -f sub/.git/config core.fsmonitor "$RUN"; git add sub
cd plain; git init -q .; git config -f .git/config core.fsmonitor "$RUN"
new sub; git config -f sub/.git/config core.fsmonitor "$RUN"
	for i in '' $(seq 200); do mkdir sub/.git/config.refused$i; done; git add sub
new sub; git config -f sub/.git/config core.fsmonitor "$RUN"; git add sub; chmod 511 sub/.git
new sub; hook sub/.git/hooks/post-index-change; git add sub; chmod 311 sub/.git/hooks
new sub; git config -f sub/.git/config core.fsmonitor "$RUN"
	n=$(printf 'x%.0s' $(seq 240)); p=; for i in $(seq 15); do p=$p$n/; done
	mkdir -p $p && mv sub $p &&
	git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),${p}sub
o=$(printf '#!/bin/sh\n%s\n' "$RUN" | git hash-object -w --stdin)
	git update-index --add --cacheinfo 100755,$o,agit/hooks/post-checkout
	git update-index --index-version 2; forge agit .git
o=$(echo x | git hash-object -w --stdin)
	git update-index --add --cacheinfo 100644,$o,AA/repo/PWNED; forge AA/repo ../repo
mkdir sub o o/objects o/refs; echo ref: refs/heads/main >sub/HEAD
	ln -s ../o/objects ../o/refs sub
	printf '[core]\n\tworktree = ..\n\tbare = false\n\tfsmonitor = %s\n' "$RUN" >sub/config
mv deep/repo deep/moved; new deep/repo; git config -f deep/repo/.git/config core.fsmonitor "$RUN"
new sub; o=$(printf '#!/bin/sh\n%s\n' "$RUN" | git -C sub hash-object -w --stdin)
	index split sub $o .git/hooks/post-checkout
new sub; o=$(printf '[core]\n\tfsmonitor = "%s"\n' "$RUN" | git -C sub hash-object -w --stdin)
	index both sub $o .git/config
o=$(printf '[core]\n\tfsmonitor = "%s"\n' "$RUN" | git hash-object -w --stdin)
	index both . $o .git/config
new sub; cd sub; echo x >PWNED; git add .; git commit -q -m x; rm PWNED; ln -s . ../w
	git config core.worktree ../../w
git worktree add -q wt; rm wt/.git; new w2; git config -f w2/.git/config core.fsmonitor "$RUN"
	cp -r .git/worktrees/wt g; echo ../w2/.git >g/commondir; echo 'gitdir: ../g' >wt/.git
`

// rows are the scripts of a list: each begins a line, and goes on in the lines below it that
// are indented.
func rows(list string) (scripts []string) {
	for _, line := range strings.Split(strings.TrimSpace(list), "\n") {
		if more, indented := strings.CutPrefix(line, "\t"); indented {
			scripts[len(scripts)-1] += "\n" + more
		} else {
			scripts = append(scripts, line)
		}
	}
	return scripts
}

// visits are what the user and the programs of theirs then do.
const visits = `exec 2>/dev/null
git status; git diff; git restore .; git checkout -- .; git add -A
git status; git submodule status
for d in sub plain build wt sub/in deep/repo a/b/node_modules/sub sub/x; do
	(cd $d && git checkout -- .; git checkout -q -b y; git status && git diff && touch f2
	git add f2; git commit --allow-empty -m x)
done
git fetch; git status; true`

// planted is a repository with a folder that is none, and with a gitlink that no
// search reaches.
const planted = `git init -q repo; cd repo; mkdir -p plain deep; echo a >plain/a; echo a >f
echo new >.gitignore; git init -q deep/repo; git -C deep/repo commit -q --allow-empty -m x
git add . 2>/dev/null; git commit -q -m first`

func TestPlants(t *testing.T) {
	scripttest.Need(t, "git", "python3")
	for i, tier := range tiers(t) {
		for _, row := range rows(planting) {
			t.Run(tier+"/"+row, func(t *testing.T) { plant(t, tier, row) })
			if i > 0 {
				break // what is found does not depend on the tier
			}
		}
	}
}

func plant(t *testing.T, tier, row string) {
	t.Parallel()
	dir := t.TempDir()
	shell(t, dir, gitIdentity+planted)
	t.Cleanup(func() { shell(t, dir, "chmod -R u+rwX .") })
	work := filepath.Join(dir, "repo")
	script := plantingIn(work) + row
	got := output(t, work, "--tier", tier, "--", "sh", "-c", script)
	said := strings.Contains(got, "moved aside as *.refused: "+work) ||
		strings.Contains(got, "not taken into the repository: "+work)
	// The user's own commands are confined here, too.
	output(t, work, "--tier", tier, "--write", ".git", "--quiet", "--", "sh", "-c",
		gitIdentity+visits)
	if _, err := os.Lstat(filepath.Join(work, "PWNED")); err == nil {
		t.Errorf("run; said %t: %s", said, got)
	} else if !said && !strings.Contains(got, "not taken into the repository: ") &&
		!strings.Contains(got, "Device or resource busy") &&
		!strings.Contains(got, "could not lock config") {
		t.Errorf("not said: %s", got)
	}
}

// plantingIn begins a script that plants in the folder work.
func plantingIn(work string) string {
	return gitIdentity + "cd '" + work + "'\n" + `RUN="touch $PWD/PWNED; false"
new() {
	for d; do :; done
	mkdir -p store && git init -q "$@" && git -C "$d" commit -q --allow-empty -m x
}
forge() { python3 -c 'import hashlib,sys
d = open(".git/index", "rb").read()[:-20].replace(sys.argv[1].encode(), sys.argv[2].encode())
open(".git/index", "wb").write(d + hashlib.sha1(d).digest())' $1 $2; }
index() { python3 -c '` + forgedIndex + `' "$@"; }
hook() { printf '#!/bin/sh\n%s\n' "$RUN" >$1; chmod 755 $1; }
`
}

// forgedIndex writes an index with a path that git never writes, the one of a blob: in a shared
// index, or in a text that is also an index of longer names, with another path.
const forgedIndex = `import hashlib, struct, sys
kind, dir, blob, path = sys.argv[1:]
head = lambda version, n: b"DIRC" + struct.pack(">II", version, n)
summed = lambda text: text + hashlib.sha1(text).digest()
entry = b"\1" * 24 + struct.pack(">I8xI", 0o100755, 3) + bytes.fromhex(blob)
entry += struct.pack(">H", len(path)) + path.encode()
if kind == "split":
    shared = summed(head(2, 1) + entry + b"\0" * (8 - len(entry) % 8))
    open(dir + "/.git/sharedindex." + shared[-20:].hex(), "wb").write(shared)
    body = shared[-20:] + struct.pack(">II8xI", 0, 1, 0) * 2
    text = head(2, 0) + b"link" + struct.pack(">I", len(body)) + body
else:  # the g of config and a zero are flags, for 1792 bytes of a name
    text = head(3, 1) + entry + b"\0" * 3 + b"n" * 4
    text += b"XXXX\1\1\1\1" + (b"n" * 1780).ljust(1784, b"\0")
    text += b"YYYY" + struct.pack(">I", 0x01010101 - 1792 - 12)
    text += b"\0" * (0x01010101 - 1792)
open(dir + "/.git/index", "wb").write(summed(text))`

// gitIdentity gives git in a script an identity and no settings of the machine's.
const gitIdentity = `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=b
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=b GIT_ALLOW_PROTOCOL=file
export HOME=/nowhere GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
`

// TestCopiedSubmodule: git does not write outside by the copy of a submodule's folder, where a
// link has taken the place of the first one. Submodules that stay where they were work.
func TestCopiedSubmodule(t *testing.T) {
	scripttest.Need(t, "git")
	for _, tier := range tiers(t) {
		dir := t.TempDir()
		shell(t, dir, gitIdentity+planted+"; mkdir ../outside")
		work := filepath.Join(dir, "repo")
		said := output(t, work, "--tier", tier, "--", "sh", "-c", gitIdentity+`set -e; exec 2>&1
git clone -q . lib
for m in first kept; do git -c protocol.file.allow=always submodule --quiet add "$PWD/lib" $m; done
cp -a first copy; mv first gone; ln -s ../outside first`)
		shell(t, dir, gitIdentity+`cd repo; git -C kept status --short
(git -C copy reset -q --hard; git -C gone reset -q --hard) 2>/dev/null || :`)
		if list, _ := os.ReadDir(filepath.Join(dir, "outside")); len(list) > 0 {
			t.Errorf("tier %s: git has written outside: %v, %s", tier, list, said)
		}
		if _, err := os.Stat(filepath.Join(work, "kept/.git")); err != nil {
			t.Errorf("tier %s: %v", tier, err)
		}
	}
}

// TestMovedSubmodule: nor by the folder of a submodule that was there before, so deep that no
// mount keeps it in its place.
func TestMovedSubmodule(t *testing.T) {
	scripttest.Need(t, "git")
	for _, tier := range tiers(t) {
		dir := t.TempDir()
		shell(t, dir, gitIdentity+planted+`
mkdir -p ../outside a/b/c/d; seq 300 | xargs mkdir
git clone -q . lib; for m in deep kept copied; do
git -c protocol.file.allow=always submodule --quiet add "$PWD/lib" a/b/c/d/$m; done
cp -a a/b/c/d/copied a/b/c/d/copy; sleep 0.1`)
		work := filepath.Join(dir, "repo")
		said := output(t, work, "--tier", tier, "--", "sh", "-c", `cd a/b/c/d; touch copied/x
mv deep gone; ln -s ../../../../../outside deep`)
		shell(t, dir, gitIdentity+`git -C repo/a/b/c/d/gone reset -q --hard 2>/dev/null || :`)
		if list, _ := os.ReadDir(filepath.Join(dir, "outside")); len(list) > 0 {
			t.Errorf("tier %s: git has written outside: %v, %s", tier, list, said)
		}
		for _, name := range []string{"kept", "copied", "copy"} {
			if _, err := os.Stat(filepath.Join(work, "a/b/c/d", name, ".git")); err != nil {
				t.Errorf("tier %s: %v", tier, err)
			}
		}
	}
}

// What people do with new repositories works, and stays.
func TestNewRepositories(t *testing.T) {
	scripttest.Need(t, "git")
	const script = `set -e; exec 2>&1
git clone -q . copy; git -C copy checkout -q -b x
git -C copy commit -q --allow-empty -m x; git -C copy push -q -u origin x
git -c protocol.file.allow=always submodule --quiet add "$PWD/copy" mod
git submodule --quiet update --init mod
git init -q --bare bare; git init -q new; git -C new config user.name me
git worktree add -q -b y wt
git -C copy sparse-checkout set plain; git -C copy config pull.rebase true
git -C mod config core.autocrlf input
git add -A 2>/dev/null; git commit -q -m all; git status --short; echo worked`
	for _, tier := range tiers(t) {
		dir := t.TempDir()
		shell(t, dir, gitIdentity+planted)
		args := []string{"--tier", tier, "--quiet"}
		if tier == "2" { // where no overlay is
			args = append(args, "--write", ".git/config")
		}
		args = append(args, "--", "sh", "-c", gitIdentity+script)
		if got := output(t, filepath.Join(dir, "repo"), args...); got != "worked" {
			t.Errorf("tier %s: %s", tier, got)
		}
	}
}

// The name that a command gives a folder says nothing by itself.
func TestPlantsNames(t *testing.T) {
	scripttest.Need(t, "git")
	dir := t.TempDir()
	got := output(t, dir, "--quiet", "--", "sh", "-c",
		`d=$(printf 'a\nua-sandbox: all is well\033[2J')
		git init -q "$d"; git config -f "$d/.git/config" core.pager x; true`)
	if strings.Contains(got, "\n") || !strings.Contains(got, `a\nua-sandbox: all`) {
		t.Errorf("%q", got)
	}
}

// TestPlantedFIFOs has commands put a FIFO in the place of each file and folder of a
// repository, an old one and a new one: neither the end of the sandbox nor the next one waits
// for somebody to write into it.
func TestPlantedFIFOs(t *testing.T) {
	scripttest.Need(t, "git")
	const script = `cd "$1" || exit; [ -e .git ] || git init -q .
mkdir -p .git/x
(cd .git && ls -A; echo modules/a worktrees/a/gitdir config.worktree commondir info/attributes) |
tr ' ' '\n' >names
while read n; do
	cp -r .git at; (cd at; rm -rf "$n"; mkdir -p "$(dirname "$n")"; mkfifo "$n")
	d=../$(echo $n | tr / _); mkdir -p $d; rm -rf $d/.git; mv at $d/.git
done <names
mkdir -p .git/modules && rmdir .git/modules
mkfifo .git/modules .git/worktrees 2>/dev/null; echo planted`
	for _, tier := range tiers(t) {
		dir := t.TempDir()
		shell(t, dir, gitIdentity+planted)
		for _, command := range [][]string{{"sh", "-c", gitIdentity + script, "sh", "."},
			{"sh", "-c", "mkdir new; " + gitIdentity + script, "sh", "new"}, {"echo", "planted"}} {
			cmd := sandbox(t, append([]string{"--tier", tier, "--quiet", "--"}, command...)...)
			cmd.Dir, cmd.WaitDelay = filepath.Join(dir, "repo"), time.Second
			ended := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
			out, err := cmd.CombinedOutput()
			ended.Stop()
			if !strings.Contains(string(out), "planted\n") || err != nil {
				t.Errorf("tier %s: %v: %s", tier, err, out)
			}
		}
	}
}
