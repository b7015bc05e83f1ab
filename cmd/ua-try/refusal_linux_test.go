package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// A refusal is a system in which no view can be made, as a shell script that ends
// with "$@", and the mend that a person is told.
type refusal struct{ name, needs, script, mend string }

func refusals() []refusal {
	const strace = "exec strace -f -qqq -o /dev/null -e inject="
	return []refusal{
		{"in a sandbox", "sh", `exec ua-sandbox --quiet -- "$@"`, "put ua-try outside"},
		{"in a sandbox that can't write", "sh", `exec ua-sandbox --quiet --profile read-only -- "$@"`,
			"put ua-try outside"},
		{"in a sandbox of tier 3", "sh", `exec ua-sandbox --quiet --tier 3 -- "$@"`,
			"put ua-try outside"},
		{"in a sandbox of tier 2", "sh", `exec ua-sandbox --quiet --tier 2 -- "$@"`,
			"put ua-try outside"},
		{"in a nested sandbox", "sh", `exec ua-sandbox --quiet --nested -- "$@"`, "put ua-try outside"},
		{"a folder in use", "sh", `echo mine >mine; try=$1; shift; exec "$try" -o . "$@"`,
			"-o DIR names"},
		{"a full folder", "sh", `mkdir ../home/o && echo mine >../home/o/mine
			try=$1; shift; exec "$try" -o ../home/o "$@"`, "empty or not there yet"},
		{"namespaces off", "unshare",
			`exec unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"' sh "$@"`,
			"set user.max_user_namespaces"},
		{"no /proc", "unshare", `exec unshare -rm sh -c 'mount -t tmpfs none /proc; exec "$@"' sh "$@"`,
			"mount -t proc proc /proc"},
		{"no overlayfs", "strace", strace + `mount:error=ENODEV:when=2+ "$@"`, "modprobe overlay"},
		{"a container without mounts", "strace", strace + `mount:error=EPERM "$@"`,
			"docker run --security-opt"},
		{"a file system that can't", "strace", strace + `mount:error=EINVAL:when=2+ "$@"`,
			"-o DIR names a folder on a disk"},
	}
}

// Where no view can be made the command is not run, the status is 126, and a
// person is told the cause and what to do.
func TestRefusals(t *testing.T) {
	for _, c := range refusals() {
		for _, uid := range users() {
			t.Run(c.name, func(t *testing.T) {
				if _, err := exec.LookPath(c.needs); err != nil {
					scripttest.Skip(t, scripttest.Elsewhere, "%s is not installed", c.needs)
				}
				b := newBench(t, uid)
				out, err := b.command(b.dir+"/work", nil, "/bin/sh", "-c", c.script, "sh", b.bin+"/ua-try",
					"--", "/bin/echo", "plain").CombinedOutput()
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.ExitCode() != 126 ||
					!strings.Contains(string(out), "ua-try: not run: ") ||
					!strings.Contains(string(out), "ua-try: hint: ") ||
					!strings.Contains(string(out), c.mend) || strings.Contains(string(out), "plain") {
					t.Errorf("uid %d: %v\n%s", uid, err, out)
				}
				if left, _ := os.ReadDir(b.dir + "/home/.local/state/ua/tries"); len(left) > 0 {
					t.Errorf("uid %d: %v is left", uid, left)
				}
			})
		}
	}
}

// onOverlay has the home, and so the state folder, on an overlay, as a container's
// root is.
const onOverlay = `mkdir lower upper home w layers && mount -t tmpfs none layers &&
mkdir layers/u layers/w &&
mount -t overlay none -o lowerdir=lower,upperdir=layers/u,workdir=layers/w home &&
export HOME=$PWD/home
mkdir home/work && cd home/work && echo old >a &&
ua-try -- sh -c 'echo new >a' && cat a && ua-try apply && cat a &&
ua-try undo && cat a && ua-try ls && ua-try drop`

// A state folder on an overlay can't hold a try: another place does, which one
// line says.
func TestStateFolderOnAnOverlay(t *testing.T) {
	if os.Geteuid() != 0 {
		scripttest.Skip(t, scripttest.Elsewhere, "only root can make such a home")
	}
	b := newBench(t, 0)
	out, err := b.command(b.dir+"/work", nil, "/usr/bin/unshare", "-m", "/bin/sh", "-c",
		onOverlay).CombinedOutput()
	if err != nil || strings.Count(string(out), "is on an overlay, which can't be") != 1 ||
		!strings.Contains(string(out), "old\n") || strings.Count(string(out), "new\n") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
}
