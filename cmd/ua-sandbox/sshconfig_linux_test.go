package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestSSHIncluded: ssh takes the files that the machine's settings include, by a link and from
// each other, and still refuses one that others may write.
func TestSSHIncluded(t *testing.T) {
	scripttest.Need(t, "ssh", "unshare", "setpriv", "mount")
	if os.Getuid() != 0 {
		scripttest.Skip(t, scripttest.Refused, "files of root need root")
	}
	const script = `mount -t tmpfs -o mode=0755 none /etc/ssh && umask 022 && cd /etc/ssh &&
mkdir c u &&
echo "Include /etc/ssh/c/*.conf" >ssh_config && echo "Include u/more" >u/linked &&
ln -s ../u/linked c/20-x.conf && printf 'Host there\nHostName here.example\n' >u/more
cd "$1" && for mode in 644 666; do chmod $mode /etc/ssh/u/more; for tier in 4 3 2; do
setpriv --reuid 1000 --regid 1000 --clear-groups "$0" --quiet --tier $tier -- \
ssh -G there 2>&1 | grep -E '^hostname|^Bad' | sed 's/permissions.*//'; done; done`
	home := homeOf(t, 1000, "true")
	cmd := exec.Command("unshare", "-m", "sh", "-c", script,
		filepath.Join(scripttest.Bin(t), "ua-sandbox"), home+"/..")
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	want := strings.Repeat("hostname here.example\n", 3) + strings.Repeat("Bad owner or \n", 3)
	if err != nil || string(out) != want {
		t.Errorf("%v: %s", err, out)
	}
}
