package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestOwners: root in a folder of another user, as in a container with the user's folder in
// it, reads and writes there as it may outside, at each tier, where a third user's files lie
// beside, and in a nested sandbox; and no more of the machine than before.
func TestOwners(t *testing.T) {
	if os.Getuid() != 0 {
		scripttest.Skip(t, scripttest.Refused, "files of others need root")
	}
	const made = `mkdir -p work/sub stranger && echo mine >work/f && echo mine >work/sub/g &&
echo mine >work/third && echo root >work/own
echo MARKER >stranger/key
chmod 700 stranger work work/sub; chmod 600 work/[fto]* work/sub/* stranger/key
chown -R 1234:1235 work; chown 1236:1236 work/third; chown 0:0 work/own
chown -R 1300:1300 stranger`
	const script = `cat f sub/g third own && echo x >>f && echo x >>sub/g && echo x >>third &&
echo new >new && mkdir sub/dir && rm third && mv sub/g g && sed -i s/mine/MINE/ f && cat f
(echo x >../outside) 2>/dev/null; [ -n "$NO_VIEW" ] || cat ../stranger/key 2>/dev/null
(mknod dev c 1 3; chown 1300 own; mount -t tmpfs none .; chroot . true) 2>/dev/null; true`
	const want = "mine\nmine\nmine\nroot\nMINE\nx\n"
	for _, tier := range append(tiers(t), "1") {
		for _, nested := range []bool{false, true} {
			t.Run(fmt.Sprintf("tier%s/nested=%v", tier, nested), func(t *testing.T) {
				dir, err := os.MkdirTemp("", "ua-owners")
				if err != nil {
					t.Fatal(err)
				}
				defer os.RemoveAll(dir)
				os.Chmod(dir, 0o755)
				shell(t, dir, made)
				args := []string{"--quiet", "--tier", tier, "--"}
				if nested {
					args = append(args, filepath.Join(scripttest.Bin(t), "ua-sandbox"), "--quiet", "--")
				}
				no := ""
				if tier < "3" {
					no = "NO_VIEW=1; "
				}
				if tier == "1" {
					no += "mv() { cp \"$1\" \"$2\" && rm \"$1\"; }; "
				}
				cmd := sandbox(t, append(args, "sh", "-c", no+script)...)
				cmd.Dir = filepath.Join(dir, "work")
				out, err := cmd.CombinedOutput()
				if err != nil || string(out) != want {
					t.Errorf("%v: %q", err, out)
				}
				got := shell(t, dir, "stat -c '%n %u:%g' work/f work/own; stat -c '%n %u' work/new; "+
					"ls -d outside work/dev 2>/dev/null || true")
				if tier == "1" { // only system calls are held there
					got = strings.Replace(got, "outside\n", "", 1)
				}
				f := "work/f 1234:1235\n"
				if tier < "3" { // sed(1) makes the file anew
					f = "work/f 0:0\n"
				}
				if !strings.HasPrefix(got, f) || !strings.HasSuffix(got, "work/own 0:0\nwork/new 0\n") {
					t.Error(got)
				}
			})
		}
	}
}
