package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ua/internal/test/scripttest"
)

// closed is what a command plants or changes and then closes to its user.
const closed = `
echo evil >.envrc; chmod 0 .
mkdir .vscode; echo evil >.vscode/settings.json; chmod 0 .vscode .
git init -q new; git -C new config core.fsmonitor evil; chmod 0 new/.git
git init -q new; git -C new config core.fsmonitor evil; chmod 300 new/.git; chmod 0 new .
git init -q new; echo evil >new/.git/hooks/pre-commit; chmod 0 new/.git/hooks new/.git new .
git init -q new; git -C new config core.fsmonitor evil; chmod 0 new/.git/config new
git -C old config core.fsmonitor evil; chmod 0 old/.git
git -C old config core.fsmonitor evil; chmod 0 old/.git/config old/.git old .
echo evil >old/.git/hooks/pre-commit; chmod 0 old/.git/hooks; chmod 300 old/.git`

// A folder that the command closes is looked at all the same: its user opens it again.
func TestClosedFolders(t *testing.T) {
	scripttest.Need(t, "git")
	for _, tier := range tiers(t) {
		for _, door := range rows(closed) {
			dir, err := os.MkdirTemp("", "ua-closed")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			shell(t, dir, "git init -q old; cd old; git config user.name a; echo x >.git/hooks/mine")
			args := []string{"--tier", tier}
			if tier != "2" {
				args = append(args, "--strict")
			}
			cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-sandbox"),
				append(args, "--", "sh", "-c", door)...)
			cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir + "/none", "PATH=" + os.Getenv("PATH")}
			if os.Getuid() == 0 {
				shell(t, dir, "chown -R 1000:1000 .")
				cmd.SysProcAttr = asUser(1000)
			}
			out, _ := cmd.CombinedOutput()
			got := shell(t, dir, `chmod -R u+rwX .; grep -rl evil . | grep -v refused || true
grep -q 'name = a' old/.git/config; cat old/.git/hooks/mine`)
			if got != "x\n" && !(tier == "2" && got == "./.envrc\nx\n") &&
				!(tier == "2" && got == "./.vscode/settings.json\nx\n") {
				t.Errorf("tier %s: %s: %s%s", tier, door, got, out)
			}
		}
	}
}

// What is too large to be put back is judged as in a new repository.
func TestLargeSettings(t *testing.T) {
	scripttest.Need(t, "git")
	gitEnv(t)
	for _, tier := range tiers(t) {
		dir := t.TempDir()
		shell(t, dir, `git init -q; git config user.name me; cd .git
head -c 2000000 /dev/zero | tr '\0' '#' >large; cp large hooks/mine; cat large >>config`)
		cmd := sandbox(t, "--tier", tier, "--", "sh", "-c",
			"git config core.fsmonitor evil; echo evil >>.git/hooks/mine")
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		if got := shell(t, dir, `grep -rl evil .git | grep -v refused || true
git config user.name`); got != "me\n" {
			t.Errorf("tier %s: %s%s", tier, got, out)
		}
	}
}
