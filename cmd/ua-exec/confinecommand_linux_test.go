package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// What the sandbox around ua-exec lets be written by name, commands of a profile
// that writes may write too, but not the folder of outputs.
func TestGrants(t *testing.T) {
	for _, tier := range []string{"4", "3", "2"} {
		t.Run(tier, func(t *testing.T) {
			dir, run := outside(t), outside(t)
			given, out := filepath.Join(run, "sub"), filepath.Join(run, "out")
			if err := errors.Join(os.Mkdir(given, 0o700), os.Mkdir(out, 0o700)); err != nil {
				t.Fatal(err)
			}
			cmd := confined(t, dir, "--tier", tier, "--write", given, "--write", out)
			cmd.Args = append(cmd.Args, "--dir", out)
			write := "echo x >" + given + "/f && echo ok; ! echo x >" + out + "/f || echo spoilt"
			got := feed(t, cmd,
				task{command: write, risk: "read_only", profile: "read-only"},
				task{command: write, risk: "write", profile: "workspace"},
				task{command: "rm -f " + given + "/f; ln -s /etc " + given + "/etc; " + write, risk: "network",
					profile: "network"},
				task{command: "echo x >" + given + "/etc/ua-exec-test", risk: "write", profile: "workspace"})
			for i, want := range []bool{false, true, true} {
				if strings.Contains(text(got[i]), "ok") != want || strings.Contains(text(got[i]), "spoilt") {
					t.Errorf("%s", got[i].Raw)
				}
			}
			if got[3].Get("exit_code").Int() == 0 {
				t.Errorf("%s", got[3].Raw)
			}
		})
	}
}

// A command signals what commands have started, and nothing of ua-exec by any of
// its threads' numbers.
func TestUnsignalled(t *testing.T) {
	scripttest.NeedProcesses(t)
	scripttest.Need(t, "python3")
	const script = `python3 -c '
import ctypes, fcntl, os, signal
libc, bash, hit = ctypes.CDLL(None), os.getppid(), []
exec = int(open("/proc/%d/stat" % bash).read().rsplit(")", 1)[1].split()[1])
group = os.getpgid(exec)
def try_(name, call):
    try:
        if call() == 0: hit.append(name)
    except (OSError, ProcessLookupError): pass
calls = {"kill": 62, "tkill": 200, "tgkill": 234, "queue": 129, "tgqueue": 297}
none = (ctypes.c_uint64 * 2)(2**64 - 1, 2**64 - 1) # what its processor time has anyway
for tid in 1, *map(int, os.listdir("/proc/%d/task" % exec)):
    try_("limits", lambda: libc.syscall(302, tid, 0, none, None))
    if tid == 1: continue
    info = ctypes.create_string_buffer(128)
    info[0:4], info[8:12] = (0).to_bytes(4, "little"), (-1 & 0xffffffff).to_bytes(4, "little")
    try_("kill", lambda: libc.syscall(62, tid, 0))
    try_("tkill", lambda: libc.syscall(200, tid, 0))
    try_("tgkill", lambda: libc.syscall(234, exec, tid, 0))
    try_("queue", lambda: libc.syscall(129, tid, 0, info))
    try_("tgqueue", lambda: libc.syscall(297, exec, tid, 0, info))
    for flags in 0, os.O_EXCL:
        fd = libc.syscall(434, tid, flags)
        if fd >= 0: try_("pidfd", lambda: libc.syscall(424, fd, 0, None, 0))
    try:
        fd = os.open("/proc/%d" % tid, os.O_RDONLY)
        try_("proc", lambda: libc.syscall(424, fd, 0, None, 0))
    except OSError: pass
    a, b = os.pipe()
    try: fcntl.fcntl(a, 15, tid.to_bytes(4, "little").join([bytes(4), b""])); hit.append("owner")
    except OSError: pass
if group: try_("group", lambda: libc.syscall(62, -group, 0))
os.kill(os.getpid(), 0); os.kill(bash, 0); os.killpg(0, 0)
print("hit", sorted(set(hit)))'; kill -STOP $PPID 2>/dev/null && echo stopped; true`
	for _, tier := range []string{"4", "3", "2"} {
		t.Run(tier, func(t *testing.T) {
			cmd := confined(t, outside(t), "--tier", tier)
			got := feed(t, cmd,
				task{command: script, risk: "read_only", profile: "read-only"},
				task{command: script, risk: "write", profile: "workspace"},
				task{command: script, risk: "network", profile: "network"},
				task{command: "sleep 1000 >/dev/null 2>&1 & echo $! >pid", risk: "network",
					profile: "network"},
				task{command: "kill $(cat pid) && echo ended", risk: "write", profile: "workspace"},
			)
			for _, r := range got[:3] {
				if text(r) != "hit []" {
					t.Errorf("%s", r.Raw)
				}
			}
			if !strings.Contains(text(got[4]), "ended") {
				t.Errorf("%s", got[4].Raw)
			}
		})
	}
}

// A refusal of what the sandbox protects of git says what it is and who can lift it, and what
// was not taken into the repository is told, by the sandbox around ua-exec and by its own.
func TestProtectedNote(t *testing.T) {
	scripttest.Need(t, "git")
	dir := outside(t)
	if out, err := exec.Command("sh", "-ec", `cd "$0"; git init -q; mkdir tools; echo >tools/page
git config core.pager tools/page`, dir).CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	got := feed(t, confined(t, dir, "--tier", "4", "--land"),
		task{command: "git config a.b c", risk: "write", profile: "workspace"},
		task{command: "echo x >.git/hooks/pre-commit", risk: "network", profile: "network"},
		task{command: "echo x >/etc/x", risk: "write", profile: "workspace"},
		task{command: "echo x >tools/page", risk: "write", profile: "workspace"},
		task{command: "echo x >y; mv y tools/page", risk: "write", profile: "workspace"},
		task{command: "touch tools/page", risk: "read_only", profile: "read-only"})
	for i, want := range []string{"config (a.b)", "pre-commit (a hook)", "",
		"--write FILE", "--write FILE", ""} {
		said := text(got[i])
		if !strings.Contains(said, want) || want == "" && strings.Contains(said, "--write") ||
			i > 1 && len(got[i].Get("sandbox_refused").Array()) == 0 {
			t.Errorf("%s", got[i].Raw)
		}
	}
	lone := uaExec(t)
	lone.Dir = dir
	got = feed(t, lone, task{command: "git config a.b c", risk: "write", profile: "workspace"})
	if !strings.Contains(text(got[0]), "config (a.b)") {
		t.Errorf("%s", got[0].Raw)
	}
}
