package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A linkedCase is a place where what is protected lies behind symbolic links. Everything is
// made in a folder with home, work and out, of which out is nobody's to write.
type linkedCase struct {
	name, made string
	cwd        string
	attack     string // a command
	reads      string // what the user's programs read later
	want       string
}

var linkedCases = []linkedCase{
	{"the folder of settings", `mkdir -p home/dot/config/ua home/dot/config/fish
ln -s dot/config home/.config; cd home/.config
echo mine | tee ua/config.toml fish/config.fish`,
		"home", `rm .config; mkdir -p .config/ua .config/fish
echo OWNED | tee .config/ua/config.toml .config/fish/config.fish; rm -r .config/ua`,
		"cat home/.config/ua/config.toml home/.config/fish/config.fish", "mine\nmine\n"},
	{"a folder that is not there yet", `mkdir home/dot; ln -s dot home/.config`,
		"home", `rm .config; mkdir -p .config/fish; echo OWNED >.config/fish/config.fish`,
		"readlink home/.config; cat home/.config/fish/config.fish", "dot\n"},
	{"a file elsewhere", `echo mine >out/profile; ln -s ../out/profile home/.profile`,
		"home", `rm .profile; echo OWNED >.profile; mv .profile p; ln -sf p .profile`,
		"cat home/.profile", "mine\n"},
	{"a folder elsewhere", `mkdir -p out/config/git; echo mine >out/config/git/config
ln -s ../out/config home/.config`,
		"home", `rm .config; mkdir -p .config/git; echo OWNED >.config/git/config`,
		"cat home/.config/git/config", "mine\n"},
	{"many links", `echo mine >out/rc; ln -s ../../out/rc home/c; mkdir home/d; mv home/c home/d
ln -s d/c home/b; ln -s b home/.bashrc`,
		"home", `for f in b d/c .bashrc; do rm $f; echo OWNED >$f; done
mv d e; mkdir d; echo OWNED >d/c`,
		"cat home/.bashrc", "mine\n"},
	{"a folder on PATH", `mkdir -p home/real/bin; ln -s real home/link
echo mine >home/link/bin/tool`,
		"home", `rm link; mkdir -p link/bin; echo OWNED >link/bin/tool; mv real r2`,
		"cat home/link/bin/tool", "mine\n"},
	{"links that lead nowhere", `ln -s nowhere home/.profile; ln -s /none/x home/.bashrc
ln -s circle home/circle; ln -s circle home/.zshrc`,
		"home", `echo OWNED >.profile; for f in .bashrc .zshrc circle; do rm $f; echo OWNED >$f; done`,
		"cd home; readlink .profile .bashrc .zshrc circle; cat .profile .bashrc .zshrc",
		"nowhere\n/none/x\ncircle\ncircle\n"},
	{"nothing is done", `ln -s nowhere home/.profile
ln -s circle home/circle; ln -s circle home/.zshrc
mkdir home/.config; ln -s none home/.config/fish`,
		"home", `:`,
		"cd home; readlink .profile .zshrc .config/fish; find . -name '*.refused*'",
		"nowhere\ncircle\nnone\n"},

	// Who keeps settings in a folder of their own works there, too.
	{"settings from the workspace", `mkdir -p home/.config/ua work/hooks work/agents
for f in policy.toml hooks agents; do ln -s ../../../work/$f home/.config/ua/$f; done
echo mine | tee work/policy.toml work/hooks/h >work/agents/a.md`,
		"work", `echo OWNED | tee policy.toml hooks/h >agents/a.md; rm -r policy.toml hooks agents
mkdir hooks agents; echo OWNED | tee policy.toml hooks/h agents/a.md; echo x >free`,
		"cd home/.config/ua; cat policy.toml hooks/h agents/a.md; ls ../../../work/free",
		"mine\nmine\nmine\n../../../work/free\n"},
	{"a project's rules", `mkdir work/.ua; echo mine >work/rules
ln -s ../rules work/.ua/policy.toml`,
		"work", `echo OWNED >rules; mv rules r2; echo OWNED >rules`,
		"cat work/.ua/policy.toml", "mine\n"},
	{"a project's folder of rules", `mkdir out/ua; echo mine >out/ua/policy.toml
ln -s ../out/ua work/.ua`,
		"work", `rm .ua; mkdir .ua; echo OWNED >.ua/policy.toml`,
		"cat work/.ua/policy.toml", "mine\n"},
	{"git's hooks", `git init -q work; mkdir out/hooks; rm -rf work/.git/hooks
ln -s ../../out/hooks work/.git/hooks`,
		"work", `rm .git/hooks; mkdir .git/hooks; echo OWNED >.git/hooks/post-checkout`,
		"readlink work/.git/hooks; ls work/.git/hooks", "../../out/hooks\n"},
	{"git's settings", `git init -q work; mv work/.git/config out
ln -s ../../out/config work/.git/config`,
		"work", `rm .git/config; echo OWNED >.git/config; git config core.fsmonitor OWNED`,
		"readlink work/.git/config; grep -c OWNED work/.git/config out/config",
		"../../out/config\nwork/.git/config:0\nout/config:0\n"},
}

// TestLinked: no command makes a link of the user's lead elsewhere where something runs or
// is obeyed later, or writes what such a link leads to, and the links stay.
func TestLinked(t *testing.T) {
	for _, c := range linkedCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, tier := range tiers(t) {
				if tier == "2" {
					continue // where links are not put back
				}
				dir := t.TempDir()
				shell(t, dir, "mkdir home work out; exec >/dev/null\n"+c.made)
				cmd := sandbox(t, "--quiet", "--tier", tier, "--", "sh", "-c",
					"exec >/dev/null 2>&1\n"+c.attack+"\n:")
				cmd.Dir = filepath.Join(dir, c.cwd)
				cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"),
					"PATH=" + filepath.Join(dir, "home/link/bin") + ":" + os.Getenv("PATH")}
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("tier %s: %v: %s", tier, err, out)
				}
				if got := shell(t, dir, "exec 2>/dev/null; { "+c.reads+"; } || :"); got != c.want {
					t.Errorf("tier %s: left %q, not %q: %s", tier, got, c.want, out)
				}
			}
		})
	}
}

// TestLinkToSecret: a command that could turn a link on the way to a secret, wherever on the
// way, is not run: the next run would hide another place.
func TestLinkToSecret(t *testing.T) {
	for _, tier := range tiers(t) {
		dir := t.TempDir()
		shell(t, dir, `mkdir -p home work out/ssh
ln -s ../out/ssh work/hop; ln -s ../work/hop home/.ssh`)
		cmd := sandbox(t, "--quiet", "--tier", tier, "--", "true")
		cmd.Dir = filepath.Join(dir, "work")
		cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH")}
		if out, err := cmd.CombinedOutput(); err == nil ||
			!strings.Contains(string(out), `/work/hop" is a symbolic link to a secret`) {
			t.Errorf("tier %s: %v, %s", tier, err, out)
		}
	}
}
