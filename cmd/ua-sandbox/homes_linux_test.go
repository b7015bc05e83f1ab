package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ua/internal/test/scripttest"
)

// TestStartFilesElsewhere: start-up files can't be written where the working folder lies in
// the home and where they are links into it; nor what the programs of a home as working folder
// have there.
func TestStartFilesElsewhere(t *testing.T) {
	const made = `mkdir -p .config/git .config/autostart .local/share .cache/pre-commit \
dots/nvim
for f in .config/git/config dots/bashrc dots/gitconfig dots/nvim/init.lua .zcompdump-h-5.9; do
	echo mine >$f; done
ln -s dots/bashrc .bashrc; ln -s ../dots/nvim .config/nvim; ln -s dots/gitconfig .gitconfig`
	for _, c := range []struct{ dir, command string }{
		{".config", `echo evil >>git/config; echo evil >autostart/x; mv autostart a; mkdir autostart
echo evil >autostart/x; mkdir -p systemd/user; echo evil >systemd/user/x.service`},
		{".local", `mkdir -p lib/python3/site-packages share/applications
echo evil >lib/python3/site-packages/usercustomize.py; echo evil >share/applications/x`},
		{"dots", `echo evil >>bashrc; echo evil >new; mv new bashrc; rm -f new; rm -r nvim; mkdir nvim
echo evil >nvim/init.lua; rm gitconfig; echo evil >gitconfig`},
		{".", `echo evil >>.zcompdump-h-5.9; echo evil >.cache/pre-commit/x
mkdir -p .config/go .config/x; echo evil >.config/go/env; echo evil >.config/x/y
echo evil >.npmrc; echo evil >.jjconfig.toml`},
	} {
		for _, uid := range users(t) {
			for _, tier := range tiers(t) {
				t.Run(fmt.Sprintf("%s/uid%d/tier%s", c.dir, uid, tier), func(t *testing.T) {
					home, err := os.MkdirTemp("", "ua-home")
					if err != nil {
						t.Fatal(err)
					}
					defer os.RemoveAll(home)
					shell(t, home, made+fmt.Sprintf("; chown -R %d .", uid))
					cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-sandbox"), "--quiet",
						"--tier", tier, "--", "sh", "-c", "exec 2>/dev/null; "+c.command+"; true")
					cmd.Dir = filepath.Join(home, c.dir)
					cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
					if os.Getuid() == 0 {
						cmd.SysProcAttr = asUser(uid)
					}
					if out, err := cmd.Output(); err != nil {
						t.Errorf("%q, %v", out, err)
					}
					if got := shell(t, home, `grep -rl evil . | grep -v refused || true
cat .bashrc .gitconfig .config/nvim/init.lua`); got != "mine\nmine\nmine\n" {
						t.Error(got)
					}
				})
			}
		}
	}
}
