package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/privatetmp"
	"ua/internal/common/procfs"
	uarun "ua/internal/common/run"
	"ua/internal/test/scripttest"
)

// sandbox is a command in a sandbox in an empty folder.
func sandbox(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-sandbox"), args...)
	cmd.Dir = t.TempDir()
	return cmd
}

// tiers are those that work here.
func tiers(t testing.TB) (list []string) {
	for _, tier := range []string{"4", "3", "2"} {
		if out, err := sandbox(t, "--tier", tier, "--", "true").CombinedOutput(); err != nil {
			t.Logf("SKIPPED: tier %s: %s", tier, out)
			continue
		}
		list = append(list, tier)
	}
	return list
}

// TestInitName: agents in a command count ua-sandbox among what is above them, so its init
// has the name as well.
func TestInitName(t *testing.T) {
	for _, tier := range tiers(t) {
		out, err := sandbox(t, "--quiet", "--tier", tier, "--", "sh", "-c",
			"cat /proc/$PPID/comm").CombinedOutput()
		if string(out) != "ua-sandbox\n" {
			t.Errorf("tier %s: %v: %s", tier, err, out)
		}
	}
}

// TestKilledFirst: when memory runs out, the kernel ends commands before what the user
// runs, and one that the user has let go first already stays so.
func TestKilledFirst(t *testing.T) {
	const score = "cat /proc/self/oom_score_adj"
	for _, tier := range tiers(t) {
		for adjust, want := range map[string]string{"": "500", "700": "700"} {
			cmd := exec.Command("sh", "-c", "echo "+adjust+" >/proc/self/oom_score_adj && exec "+
				`"$0" --tier `+tier+" -- "+score, filepath.Join(scripttest.Bin(t), "ua-sandbox"))
			if adjust == "" {
				cmd = sandbox(t, "--tier", tier, "--", "sh", "-c", score)
			}
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || !strings.HasSuffix(got, want) {
				t.Errorf("tier %s: %s, want %s: %v", tier, got, want, err)
			}
		}
	}
}

func TestStatus(t *testing.T) {
	for _, tier := range tiers(t) {
		for script, want := range map[string]string{
			"exit 0": "0", "exit 7": "7", "kill -TERM $$": "-15", "kill -KILL $$": "-9",
			"kill -INT $$": "-2", "kill -QUIT $$": "-3", "kill -ABRT $$": "-6",
			"sleep 600 & exit 3": "3", "setsid sleep 600 & exit 4": "4",
		} {
			cmd := sandbox(t, "--tier", tier, "--", "sh", "-c", script)
			_ = cmd.Run()
			status := cmd.ProcessState.Sys().(syscall.WaitStatus)
			got := strconv.Itoa(status.ExitStatus())
			if status.Signaled() {
				got = strconv.Itoa(-int(status.Signal()))
			}
			if got != want {
				t.Errorf("tier %s: %s: %s, want %s", tier, script, got, want)
			}
		}
	}
}

// traced has its parent trace it, which stops it for good at the next signal; its
// child then still runs.
const traced = `
import ctypes, os, time
me = os.getpid()
if os.fork() == 0:
    while open("/proc/%d/stat" % me).read().rsplit(")", 1)[1].split()[0] != "t":
        time.sleep(.01)
    print("alive", flush=True)
    os.kill(me, 9)
    os._exit(0)
ctypes.CDLL(None).ptrace(0, 0, 0, 0)
os.kill(me, 10)
`

// A command that only stops has not ended.
func TestTraced(t *testing.T) {
	scripttest.Need(t, "python3")
	got := output(t, "", "--quiet", "--", "python3", "-c", traced)
	if !strings.HasPrefix(got, "alive") || !strings.Contains(got, "killed") {
		t.Errorf("%q", got)
	}
}

// A folder as standard input would lead around every mount.
func TestFolderAsInput(t *testing.T) {
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	cmd := sandbox(t, "--", "true")
	cmd.Stdin = dir
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 126 ||
		!strings.Contains(string(out), "is a folder") {
		t.Errorf("%v %s", cmd.ProcessState, out)
	}
}

func TestNotStarted(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plain"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		want int
	}{
		{"-- ua-no-such-program", 127}, {"-- ./ua-no-such-program", 127}, {"-- " + dir + "/plain", 126},
		{"", 125}, {"--no-such-option -- true", 125},
		{"--write /no/such/place -- true", 125}, {"--profile nonsense -- true", 125},
		{"--tier 9 -- true", 125}, {"--tier 0 -- true", 126},
		{"--mem x -- true", 125}, {"--fd 77 -- true", 125}, {"--inject x -- true", 125},
		{"--strict --tier 2 -- true", 125}, {"--profile none --tier 4 -- true", 125},
	} {
		cmd := sandbox(t, strings.Fields(c.args)...)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != c.want || len(out) == 0 {
			t.Errorf("%s: status %d, want %d: %s", c.args, got, c.want, out)
		}
	}
}

// A tree is a sandbox whose command and its orphan wait to be ended.
type tree struct {
	cmd   *exec.Cmd
	mark  string
	lines *bufio.Reader
}

// grow starts a tree; all its processes have mark in their arguments.
func grow(t *testing.T, tier, trap string, attr *syscall.SysProcAttr) *tree {
	mark := fmt.Sprintf("6%d%s", time.Now().UnixNano()%1e9, tier)
	cmd := sandbox(t, "--tier", tier, "--", "sh", "-c",
		trap+`(setsid sleep `+mark+` &); echo up; while :; do sleep 0.05; done #`+mark)
	cmd.SysProcAttr = attr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	tr := &tree{cmd, mark, bufio.NewReader(stdout)}
	if line, err := tr.lines.ReadString('\n'); err != nil || line != "up\n" {
		t.Fatalf("tier %s: %q %v", tier, line, err)
	}
	return tr
}

// alive are the processes with the tree's mark.
func (tr *tree) alive() (list []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if pid, _ := strconv.Atoi(strings.Split(file, "/")[2]); err == nil &&
			strings.Contains(string(text), tr.mark) && pid != os.Getpid() {
			list = append(list, pid)
		}
	}
	return list
}

// gone waits until nothing of the tree is left.
func (tr *tree) gone(t *testing.T, what string) {
	t.Helper()
	for range 400 {
		if len(tr.alive()) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s: still there: %v", what, tr.alive())
	for _, pid := range tr.alive() {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

func TestKilledStages(t *testing.T) {
	scripttest.NeedProcesses(t)
	t.Setenv("TMPDIR", t.TempDir())
	for _, tier := range tiers(t) {
		for _, stage := range []string{"parent", "init", "command"} {
			tr := grow(t, tier, "", nil)
			pid := tr.cmd.Process.Pid
			if stage != "parent" {
				pid = procfs.Below(pid)[0]
			}
			if stage == "command" {
				pid = procfs.Below(pid)[0]
			}
			_ = unix.Kill(pid, unix.SIGKILL)
			_ = tr.cmd.Wait()
			if status := tr.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != unix.SIGKILL {
				t.Errorf("tier %s: %s killed: %v", tier, stage, tr.cmd.ProcessState)
			}
			tr.gone(t, "tier "+tier+": "+stage+" killed")
		}
	}
	for range 400 {
		if len(tmpDirs()) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("private tmps are left: %v", tmpDirs())
}

func TestKilledGroup(t *testing.T) {
	for _, tier := range tiers(t) {
		tr := grow(t, tier, "", &syscall.SysProcAttr{Setpgid: true})
		_ = unix.Kill(-tr.cmd.Process.Pid, unix.SIGKILL)
		_ = tr.cmd.Wait()
		tr.gone(t, "tier "+tier+": group killed")
	}
}

func TestSignals(t *testing.T) {
	for _, tier := range tiers(t) {
		for name, sig := range map[string]syscall.Signal{"TERM": unix.SIGTERM, "HUP": unix.SIGHUP,
			"INT": unix.SIGINT, "QUIT": unix.SIGQUIT, "USR1": unix.SIGUSR1, "USR2": unix.SIGUSR2} {
			tr := grow(t, tier, "trap 'echo got; exit 42' "+name+"; ", nil)
			tr.cmd.Process.Signal(sig)
			line, _ := tr.lines.ReadString('\n')
			_ = tr.cmd.Wait()
			if line != "got\n" || tr.cmd.ProcessState.ExitCode() != 42 {
				t.Errorf("tier %s: %s: %q, %v", tier, name, line, tr.cmd.ProcessState)
			}
			tr.gone(t, "tier "+tier+": "+name)
		}
	}
}

// A caller that dies takes the sandbox with it.
func TestCallerDies(t *testing.T) {
	bin := filepath.Join(scripttest.Bin(t), "ua-sandbox")
	for _, tier := range tiers(t) {
		mark := fmt.Sprintf("7%d%s", time.Now().UnixNano()%1e9, tier)
		script := `trap "" TERM; "$0" --tier ` + tier + ` -- sh -c 'trap "" TERM; echo up; sleep ` +
			mark + `; :' & wait`
		cmd := exec.Command("sh", "-c", script, bin)
		cmd.Dir = t.TempDir()
		stdout, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		tr := &tree{cmd, mark, bufio.NewReader(stdout)}
		if line, err := tr.lines.ReadString('\n'); err != nil || line != "up\n" {
			t.Fatalf("%q %v", line, err)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		tr.gone(t, "tier "+tier+": caller killed")
	}
}

// Two hundred sandboxes at once work, and leave nothing.
func TestManyAtOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var wg sync.WaitGroup
	gate := make(chan bool, 50)
	for i := range 200 {
		wg.Go(func() {
			gate <- true
			defer func() { <-gate }()
			cmd := sandbox(t, "--", "sh", "-c",
				fmt.Sprintf("echo %d >f; read x <f; mktemp >/dev/null; exit $((x %% 100))", i))
			out, _ := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != i%100 {
				t.Errorf("sandbox %d: %v: %s", i, cmd.ProcessState, out)
			}
		})
	}
	wg.Wait()
	if left := tmpDirs(); len(left) > 0 {
		t.Errorf("private tmps are left: %v", left)
	}
}

// Two stages that are killed at once leave a tmp, which a later run sweeps up.
func TestSweep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if tiers(t); len(tmpDirs()) != 0 {
		t.Fatalf("%v", tmpDirs())
	}
	stale, held := os.TempDir()+"/ua-sandbox-1", os.TempDir()+"/ua-sandbox-2"
	for _, dir := range []string{stale, held} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if !privatetmp.Lock(held) {
		t.Fatal("no lock")
	}
	if privatetmp.Sweep(time.Hour); len(tmpDirs()) != 2 {
		t.Errorf("a new tmp is swept up: %v", tmpDirs())
	}
	if privatetmp.Sweep(0); len(tmpDirs()) != 1 || tmpDirs()[0] != held {
		t.Errorf("left: %v, want %s", tmpDirs(), held)
	}
}

// TestDeepTmp has a command leave folders that are deeper than there may be open files, in
// names longer than a path may be: the tmp is gone when the sandbox ends.
func TestDeepTmp(t *testing.T) {
	scripttest.Need(t, "python3", "prlimit")
	for _, tier := range tiers(t) {
		t.Setenv("TMPDIR", t.TempDir())
		cmd := exec.Command("prlimit", "--nofile=200:200",
			filepath.Join(scripttest.Bin(t), "ua-sandbox"), "--tier", tier, "--quiet", "--",
			"python3", "-c", `import os
os.chdir(os.environ["TMPDIR"])
for _ in range(250):
    os.mkdir("d" * 100); os.chdir("d" * 100)
os.chmod(".", 0)`)
		cmd.Dir = t.TempDir()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("tier %s: %v: %s", tier, err, out)
		}
		if left := tmpDirs(); len(left) > 0 {
			t.Errorf("tier %s: left: %v", tier, left)
		}
	}
}

// tmpDirs are the private tmps in TMPDIR, which a test sets to its own.
func tmpDirs() []string {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), uarun.SandboxTmp+"*"))
	return dirs
}

// The kernel's bound on layers is an error in words, not a command that runs free.
func TestTooDeep(t *testing.T) {
	bin := filepath.Join(scripttest.Bin(t), "ua-sandbox")
	args := []string{"--"}
	for range 18 {
		args = append(args, bin, "--nested", "--")
	}
	out, err := sandbox(t, append(args, "echo", "free")...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "16 layers") {
		t.Errorf("%v: %s", err, out)
	}
}

// Inside itself it stacks Landlock, and never widens.
func TestNested(t *testing.T) {
	bin := filepath.Join(scripttest.Bin(t), "ua-sandbox")
	for _, tier := range tiers(t) {
		for _, c := range []struct{ outer, inner, script, want string }{
			{"workspace", "--nested --profile workspace", "echo x >f && echo ok", "ok"},
			{"workspace", "--nested --profile read-only",
				"echo x >f; chmod 600 g; touch g; mv g h; rm -f g; ln g i; echo $(cat g)", "kept"},
			{"workspace", "--nested --profile read-only", `t=$(mktemp) && echo x >"$t" && cat "$t"`, "x"},
			{"read-only", "--nested --profile workspace", "echo x >f || echo no", "no"},
			{"read-only", "--profile none", "echo x >f || echo no", "no"},
			{"workspace", "--profile network --net-allow example.com", "echo ${UA_PROXY-none}", "none"},
			{"network", "--nested --profile workspace",
				"echo ${UA_PROXY-none}${HTTPS_PROXY-none}${GIT_SSH_COMMAND-none}; env | grep -i _proxy=",
				"nonenonenone"},
			{"network", "--nested --profile workspace --env GIT_SSH_COMMAND=mine", "echo $GIT_SSH_COMMAND",
				"mine"},
			{"network", "--nested --profile network",
				`[ ${UA_PROXY+y}${GIT_SSH_COMMAND+y} = yy ] || [ $UA_SANDBOX = 2 ] && echo kept`, "kept"},
			{"network", "--nested --profile network --withhold UA_PROXY --withhold TMPDIR",
				`[ ${UA_PROXY+y} ] || [ $UA_SANDBOX = 2 ] && echo ${TMPDIR-none}`, "none"},
			{"workspace", "--withhold TMPDIR --env TMPDIR=/x", "echo $TMPDIR", "/x"},
			{"workspace", "--nested --deny g", "cat g || echo no", "no"},
			{"workspace", "--nested --profile read-only",
				`"$0" --nested --profile workspace -- sh -c 'echo x >f || echo no'`, "no"},
		} {
			args := append([]string{"--tier", tier, "--profile", c.outer, "--", bin},
				strings.Fields(c.inner)...)
			cmd := sandbox(t, append(args, "--", "sh", "-c", c.script, bin)...)
			if err := os.WriteFile(filepath.Join(cmd.Dir, "g"), []byte("kept\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			out, _ := cmd.Output()
			if strings.TrimSpace(string(out)) != c.want {
				t.Errorf("tier %s, %s in %s: %s: %q, want %q", tier, c.inner, c.outer, c.script, out, c.want)
			}
			if text, err := os.ReadFile(filepath.Join(cmd.Dir, "g")); err != nil ||
				string(text) != "kept\n" {
				t.Errorf("tier %s, %s in %s: %s: g has %q %v", tier, c.inner, c.outer, c.script, text, err)
			}
		}
	}
}
