package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// shell runs a script outside, as the user, in dir.
func shell(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// gitEnv gives git an identity and no settings of the machine's.
func gitEnv(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, kv := range []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=b",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=b", "GIT_ALLOW_PROTOCOL=file"} {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
}

// repos are repositories of all kinds in a workspace: a working tree with a
// submodule and a linked worktree, a nested one, a bare one.
const repos = `
git init -q origin && git -C origin commit -q --allow-empty -m one && git -C origin branch other
git init -q lib && git -C lib commit -q --allow-empty -m lib
mkdir work && cd work && git init -q . && git commit -q --allow-empty -m first
git -c protocol.file.allow=always submodule --quiet add "$PWD/../lib" sub && git commit -q -m sub
git worktree add -q linked && git init -q nested && git init -q --bare bare.git
git remote add origin "$PWD/../origin"
git config core.hooksPath hooks && mkdir hooks
echo x >extra && git config include.path ../extra`

// doors are what a command tries, as rows.
const doors = `
echo x >>.git/config
git config core.fsmonitor evil
mkdir -p .git/hooks; echo x >.git/hooks/pre-commit
rm -rf .git/hooks; mkdir .git/hooks; echo x >.git/hooks/evil
echo ../evil >.git/commondir
echo x >.git/config.worktree
mkdir -p .git/info; echo '* filter=x' >.git/info/attributes
mv .git moved; cp -r moved .git; echo evil >>.git/config
mv .git/config c2; cp c2 .git/config; echo evil >>.git/config
mv .git/modules m2; mkdir -p .git/modules/sub; cp -r m2/sub .git/modules
	echo evil >>.git/modules/sub/config
echo x >>.git/modules/sub/config
echo x >.git/modules/sub/hooks/evil
echo ../evil >.git/modules/sub/commondir
echo gitdir: ../evil >sub/.git
mv sub sub2; mkdir sub; echo gitdir: ../evil >sub/.git
echo x >.git/worktrees/linked/config.worktree
echo ../evil >.git/worktrees/linked/commondir
mv .git/worktrees/linked w2; mkdir .git/worktrees/linked
	echo ../evil >.git/worktrees/linked/commondir
echo gitdir: ../evil >linked/.git
echo x >>nested/.git/config
mv nested/.git n2; mkdir nested/.git; echo evil >nested/.git/config
echo x >nested/.git/hooks/evil
echo x >>bare.git/config
echo x >bare.git/hooks/evil
echo x >hooks/evil
rm -r hooks; ln -s /tmp hooks
echo x >>extra
mkdir -p .git/x; echo x >.git/HEAD`

// state is what git obeys in the workspace.
const state = `
find . -name evil -o \
	'(' -name '*.refused*' -o -name '[mcnw]2' -o -name sub2 -o -name moved ')' -prune -o \
	-type f '(' -name config -o -name config.worktree -o -name commondir -o -name attributes \
	-o -name .git -o -path '*/hooks/*' -o -name gitdir -o -name extra -o -path ./HEAD ')' \
	-exec cksum {} + | sort
readlink hooks || true`

func TestGitsDoors(t *testing.T) {
	scripttest.Need(t, "git")
	for _, tier := range tiers(t) {
		t.Run(tier, func(t *testing.T) {
			gitEnv(t)
			dir := t.TempDir()
			shell(t, dir, repos)
			work := filepath.Join(dir, "work")
			before := shell(t, work, state)
			for _, door := range rows(doors) {
				cmd := sandbox(t, "--tier", tier, "--", "sh", "-c", door)
				cmd.Dir = work
				out, _ := cmd.CombinedOutput()
				if after := shell(t, work, state); after != before {
					t.Fatalf("%s: %s\n%s", door, out, difference(before, after))
				}
			}
		})
	}
}

// difference is the lines that only one of two texts has.
func difference(before, after string) (lines []string) {
	for _, pair := range [][3]string{{"-", before, after}, {"+", after, before}} {
		for line := range strings.Lines(pair[1]) {
			if !strings.Contains(pair[2], line) {
				lines = append(lines, pair[0]+line)
			}
		}
	}
	return lines
}

// What people do with git every day works, in an own branch of the list above.
func TestGitWorks(t *testing.T) {
	scripttest.Need(t, "git")
	const script = `set -e; exec 2>&1
echo a >f; git add f; git commit -q -m a
git branch b; git checkout -q b; echo b >g; git add g; git commit -q -m b
git checkout -q -; git merge -q b
git checkout -q -b c HEAD~1; echo c >h; git add h; git commit -q -m c; git rebase -q b
echo d >>h; git stash -q; git stash pop -q; git commit -q -a -m d
git fetch -q origin; git checkout -q other; git tag t
git -c protocol.file.allow=always submodule --quiet update
git worktree add -q ../w2 2>/dev/null || git worktree add -q w2
git -C sub commit -q --allow-empty -m in-sub
git -C linked commit -q --allow-empty -m in-linked
git -C nested commit -q --allow-empty -m in-nested
git push -q bare.git HEAD:refs/heads/x; git gc -q
git status --short >/dev/null; git log --oneline -1 t
git init -q new; git -C new config user.name c
echo worked`
	for _, tier := range tiers(t) {
		gitEnv(t)
		dir := t.TempDir()
		shell(t, dir, repos)
		if got := output(t, filepath.Join(dir, "work"), "--tier", tier, "--quiet", "--read",
			dir+"/origin", "--", "sh", "-c", script); !strings.Contains(got, "\nworked") {
			t.Errorf("tier %s: %s", tier, got)
		}
	}
}

// What is named by an option is lifted, and no more.
func TestGitLifted(t *testing.T) {
	scripttest.Need(t, "git")
	scripttest.NeedTier(t, "3")
	gitEnv(t)
	dir := t.TempDir()
	shell(t, dir, repos)
	work := filepath.Join(dir, "work")
	for options, want := range map[string]string{
		"--write .git/config": "config",
		"--write .git/hooks":  "hooks",
		"--write .git":        "config hooks",
	} {
		args := append(strings.Fields(options), "--quiet", "--", "sh", "-c",
			"(echo '#' >>.git/config) 2>/dev/null && printf 'config '; (echo x >.git/hooks/x) "+
				"2>/dev/null && printf 'hooks'; true")
		if got := output(t, work, args...); got != want {
			t.Errorf("%s: %q", options, got)
		}
	}
}

// A home as the working folder: what runs by itself later is read-only, and what
// is not there yet is moved aside when it is made.
func TestStartFiles(t *testing.T) {
	uids := []int{os.Getuid()}
	if os.Getuid() == 0 {
		uids = append(uids, 1000)
	}
	for _, uid := range uids {
		for _, tier := range tiers(t) {
			t.Run(fmt.Sprintf("uid%d/tier%s", uid, tier), func(t *testing.T) {
				home, err := os.MkdirTemp("", "ua-home")
				if err != nil {
					t.Fatal(err)
				}
				defer os.RemoveAll(home)
				shell(t, home, `mkdir -p .config/systemd/user .config/autostart .local/bin
mkdir tools dotfiles plain; echo a >.bashrc; echo a >.gitconfig
echo a >dotfiles/zshrc; ln -s dotfiles/zshrc .zshrc
echo a >tools/prog; chmod 755 tools/prog`)
				if err := exec.Command("chown", "-R", fmt.Sprint(uid), home).Run(); err != nil {
					t.Fatal(err)
				}
				script := `exec 2>/dev/null
echo evil >>.bashrc; mv .bashrc b; echo evil >.bashrc; echo evil >>.gitconfig
echo evil >.config/systemd/user/x.service; mv .config c
mkdir -p .config/autostart; echo evil >.config/autostart/x
echo evil >.local/bin/ls; echo evil >tools/prog; echo evil >tools/ls
echo evil >>dotfiles/zshrc; rm .zshrc; echo evil >.zshrc; echo evil >.bash_profile
mkdir -p .config/fish; echo evil >.config/fish/config.fish
echo fine >plain/file; cat plain/file`
				cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-sandbox"), "--quiet", "--tier", tier,
					"--", "sh", "-c", script)
				cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + home + "/tools:/usr/bin:/bin"}
				if os.Getuid() == 0 {
					cmd.SysProcAttr = asUser(uid)
				}
				out, _ := cmd.Output()
				if string(out) != "fine\n" {
					t.Errorf("%s", out)
				}
				got := shell(t, home, `grep -rl evil . | grep -v refused || true; readlink .zshrc`)
				if got != "dotfiles/zshrc\n" {
					t.Errorf("%s", got)
				}
			})
		}
	}
}

// As root in / the machine's programs and settings can't be written.
func TestRootsStartFiles(t *testing.T) {
	if os.Getuid() != 0 {
		scripttest.Skip(t, scripttest.Elsewhere, "only root could write there")
	}
	for _, tier := range tiers(t) {
		script := `for d in /usr/bin /etc /usr/local/bin /bin /etc/profile.d; do
	(: >$d/ua-sandbox-test) 2>/dev/null && echo $d && rm $d/ua-sandbox-test
done; exit 0`
		if got := output(t, "/", "--quiet", "--tier", tier, "--", "sh", "-c", script); got != "" {
			t.Errorf("tier %s: %s", tier, got)
		}
	}
}

func TestProtect(t *testing.T) {
	script := `exec 2>/dev/null; echo y >run/journal.jsonl; mv run r2; rm -rf run link
mkdir run; echo y >run/j2; echo z >run/sub/f && cat run/journal.jsonl run/sub/f; chmod 777 run`
	for _, tier := range tiers(t) {
		dir := t.TempDir()
		shell(t, dir, "mkdir -p run/sub; chmod 700 run; echo x >run/journal.jsonl; ln -s run link")
		got := output(t, dir, "--quiet", "--tier", tier, "--protect", "link", "--write", "run/sub", "--",
			"sh", "-c", script)
		got, said, _ := strings.Cut(got, "\nua-sandbox: ")
		if got, _, _ = strings.Cut(got, " ["); got != "x\nz" {
			t.Errorf("tier %s: %q", tier, got)
		}
		if mode := shell(t, dir, "stat -c %a run"); mode != "700\n" || tier == "2" &&
			!strings.Contains(said, "put back") {
			t.Errorf("tier %s: mode %s%s", tier, mode, said)
		}
	}
	got := output(t, t.TempDir(), "--protect", "no-such", "--", "true")
	if !strings.Contains(got, "125") {
		t.Errorf("%q", got)
	}
}

// Where no mount keeps protected files, what a command made of them is put back, and
// kept beside; nobody else gets into the folder of a secret.
func TestPutBack(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	shell(t, home, `mkdir -m 700 .ssh run; mkdir work; cd work; git init -q .
mkdir -p .ua/profiles .git/hooks; echo x >.ua/policy.toml; echo y >.ua/profiles/p.toml
printf '#!/bin/sh\n' >.git/hooks/pre-push; chmod 755 .git/hooks/pre-push; chmod 640 .git/config`)
	work := filepath.Join(home, "work")
	const state = `ls -lR .ua .git/hooks .git/config | grep -v '^total' | sed 's/  */ /g' |
cut -d' ' -f1,5,9; cat .git/config .ua/*.toml .ua/profiles/*; stat -c %a ../.ssh ../run`
	before := shell(t, work, state)
	for _, script := range []string{
		"echo z >>.git/config; echo evil >.git/hooks/post-commit; echo evil >>.git/hooks/pre-push",
		"rm .git/hooks/pre-push .git/config .ua/profiles/p.toml; ln -s /etc/passwd .git/config",
		"rm -rf .git/hooks .ua; ln -s /tmp .ua; mkfifo .git/hooks",
		"mv .git/hooks h; mkdir .git/hooks; mv .ua u; mkdir -p .ua/profiles; echo z >.ua/policy.toml",
		"chmod 777 .git/config .git/hooks .git/hooks/pre-push .ua ../.ssh",
		"truncate -s 3G .git/config; chmod 0 .git/config",
		"chmod 777 ../run",
		"rm .git/config; rm -r .git/hooks; chmod 511 .git",
	} {
		got := output(t, work, "--quiet", "--tier", "2", "--protect", home+"/run", "--",
			"sh", "-c", script+"; true")
		shell(t, work, "find .git .ua -name '*.refused*' -exec rm -rf {} +; rm -rf *")
		if after := shell(t, work, state); after != before || !strings.Contains(got, "put back") {
			t.Errorf("%s: %s\n%s", script, got, difference(before, after))
		}
	}
}
