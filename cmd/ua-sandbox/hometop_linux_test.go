package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// homeOf makes a home of a user, with a folder around it, and returns it.
func homeOf(t *testing.T, uid int, script string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ua-home")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	os.Chmod(dir, 0o755)
	home := filepath.Join(dir, "home")
	shell(t, dir, "mkdir home; cd home; "+script)
	shell(t, dir, fmt.Sprintf("chown -hR %d:%d .", uid, uid))
	return home
}

// inHome returns the command that runs a script in a sandbox in dir, as a user whose home it
// is.
func inHome(t *testing.T, uid int, home, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-sandbox"), args...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
	if os.Getuid() == 0 {
		cmd.SysProcAttr = asUser(uid)
	}
	return cmd
}

// TestHiddenNames: in a home, and above one, nothing is made or changed under a hidden name at
// its top, whatever the name; and all else is as in any folder.
func TestHiddenNames(t *testing.T) {
	const made = `mkdir -p .config/app docs dots .git; echo mine >.bashrc; echo mine >.config/app/rc
echo mine >dots/zshrc; ln -s dots/zshrc .zshrc; echo a >a.txt; echo b >b.txt; echo c >c.txt
echo d >docs/d; ln -s docs link; echo mine >.named`
	const hostile = `exec 2>/dev/null
for n in .bashrc .bash_profile .ssh/config .ssh/authorized_keys \
	.aws/config .docker/cli-plugins/docker-x .config/app/rc .config/new .unheard-of .x/y/z .zshrc \
	".with space" ..odd; do
	mkdir -p "${n%/*}"; echo evil >>"$n"; echo evil >t1; mv t1 "$n"; echo evil >t2; ln -f t2 "$n"
	ln -sf t2 "$n"; rm -f "$n"; mv "${n%%/*}" moved
 echo evil >"$n"; rm -rf moved t1 t2; done
mkdir evil; echo evil >evil/f; mv evil .evil; ln -s a.txt .evil-link; mkfifo .evil-fifo
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(".evil-socket")'
echo evil >dots/zshrc; mv b.txt .hidden-b; chmod 0 .; chmod 777 .bashrc .config; true`
	const work = `set -e; echo new >new.txt; mkdir -p dir/sub; echo f >dir/sub/f; sed -i s/a/A/ a.txt
echo more >>a.txt; rm c.txt; echo d2 >docs/d2; echo t >.tmp.new; mv .tmp.new atomic.txt
ln -s docs/d l2; git init -q repo 2>/dev/null; echo x >.git/description; echo e >link/e
ls .tmp* 2>/dev/null || true`
	for _, uid := range users(t) {
		for _, tier := range tiers(t) {
			for _, where := range []string{"home", "."} {
				t.Run(fmt.Sprintf("uid%d/tier%s/%s", uid, tier, where), func(t *testing.T) {
					home := homeOf(t, uid, made)
					dir := filepath.Join(filepath.Dir(home), where)
					before := shell(t, home, "stat -c '%n %a %Y' .bashrc .config .config/app/rc")
					out, err := inHome(t, uid, home, dir, "--quiet", "--tier", tier, "--", "sh", "-c",
						"cd "+home+"; "+hostile).Output()
					if err != nil {
						t.Fatalf("%q, %v", out, err)
					}
					got := shell(t, home, `grep -rlI evil . 2>/dev/null | grep -v refused || true
ls -A | grep '^\.' | grep -v refused | tr '\n' ' '; cat .bashrc .config/app/rc .zshrc b.txt`)
					want := ".bashrc .config .git .local .named .zshrc mine\nmine\nmine\nb\n"
					if strings.Replace(got, ".local ", "", 1) != strings.Replace(want, ".local ", "", 1) {
						t.Errorf("%q, want %q", got, want)
					}
					if after := shell(t, home, "stat -c '%n %a %Y' .bashrc .config .config/app/rc"); tier > "2" &&
						after != before {
						t.Errorf("%s, was %s", after, before)
					}
					if tier == "2" { // where the top of a home takes no new names
						return
					}
					out, err = inHome(t, uid, home, dir, "--quiet", "--tier", tier, "--", "sh", "-c",
						"cd "+home+"; "+work).CombinedOutput()
					if err != nil || len(out) > 0 {
						t.Fatalf("%q, %v", out, err)
					}
					got = shell(t, home, "cat new.txt dir/sub/f a.txt docs/d2 atomic.txt l2 "+
						".git/description docs/e; "+
						"ls -d c.txt .tmp* .ua-home* 2>/dev/null || true; test -d repo/.git")
					if got != "new\nf\nA\nmore\nd2\nt\nd\nx\ne\n" {
						t.Errorf("%q", got)
					}
				})
			}
		}
	}
}

// TestNamedInHome: what --write names in a home can be written, a hidden name too.
func TestNamedInHome(t *testing.T) {
	for _, uid := range users(t) {
		home := homeOf(t, uid, "mkdir -p .config/app .local/share; echo mine >.profile")
		for _, c := range []struct{ option, script, want string }{
			{"--write=" + home + "/.config", "echo y >.config/app/x; (echo n >.profile) 2>/dev/null; " +
				"cat .config/app/x .profile", "y\nmine\n"},
			{"--write=" + home + "/.config/app", "echo z >.config/app/x; " +
				"(echo n >.config/n) 2>/dev/null; ls .config", "app\n"},
			{"--write=" + home, "echo made >.made; echo w >.profile; cat .profile", "w\n"},
		} {
			out, err := inHome(t, uid, home, home, "--quiet", c.option, "--", "sh", "-c",
				c.script).CombinedOutput()
			if string(out) != c.want {
				t.Errorf("uid %d: %s: %q, %v", uid, c.option, out, err)
			}
		}
		if got := shell(t, home, "cat .config/app/x .made"); got != "z\nmade\n" {
			t.Errorf("uid %d: %q", uid, got)
		}
	}
}

// TestHomeKilled: where all of a sandbox is killed, nothing hidden was made, and the next one
// in that home lands what was made otherwise.
func TestHomeKilled(t *testing.T) {
	scripttest.NeedTier(t, "3")
	for _, uid := range users(t) {
		home := homeOf(t, uid, "mkdir docs; echo a >a.txt; echo s >same.txt; echo mine >.profile")
		cmd := inHome(t, uid, home, home, "--quiet", "--", "sh", "-c", "mkdir -p .ssh new; "+
			"echo evil >.ssh/config; echo n >new/n; echo b >a.new; mv a.new a.txt; echo up; sleep 600")
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		_, _ = out.Read(make([]byte, 3))
		if got := shell(t, home, "ls -d .ssh 2>/dev/null || true; cat a.txt"); got != "a\n" {
			t.Errorf("uid %d: while it runs: %q", uid, got)
		}
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
		for range 100 { // until what it has left is gone
			text, err := inHome(t, uid, home, home, "--quiet", "--", "true").CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			if shell(t, home, "ls -A | grep -c ua-home || true") == "0\n" {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		got := shell(t, home, "cat new/n a.txt a.txt.refused same.txt .profile; ls -d .ssh .ua-home* "+
			"2>/dev/null || true")
		if got != "n\na\nb\ns\nmine\n" {
			t.Errorf("uid %d: %q", uid, got)
		}
	}
}

// A folder that its owner may not write comes home as any other, in the place of a file, too.
func TestReadOnlyFolders(t *testing.T) {
	for _, uid := range users(t) {
		for _, tier := range tiers(t) {
			if tier == "2" { // where the top of a home takes no new names
				continue
			}
			home := homeOf(t, uid, "echo x >cache")
			const script = `umask 022; rm cache; mkdir -p cache/a .hidden; echo x >cache/f
chmod 555 cache; chmod 500 .hidden; mkdir .$(printf %0254d 1)`
			cmd := inHome(t, uid, home, home, "--tier", tier, "--", "sh", "-c", script)
			out, err := cmd.CombinedOutput()
			got := shell(t, home, `stat -c '%n %a' cache cache/f .hidden*; ls -d .0*.refused
ls -d .ua-home* *.refused || true`)
			if want := "cache 555\ncache/f 644\n.hidden.refused 500\n.000"; !strings.HasPrefix(got, want) ||
				strings.Contains(got, "\n.ua-home") || strings.Contains(got, "\ncache.refused") {
				t.Errorf("uid %d, tier %s: %q, want %q (%v: %s)", uid, tier, got, want, err, out)
			}
		}
	}
}
