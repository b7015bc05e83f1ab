package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ua/internal/test/scripttest"
)

// output is what a sandboxed command in dir prints, or the error in brackets.
func output(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := sandbox(t, args...)
	if dir != "" {
		cmd.Dir = dir
	}
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		text = strings.TrimSpace(text + fmt.Sprintf(" [%v]", err))
	}
	return text
}

func TestOptions(t *testing.T) {
	scripttest.NeedTier(t, "4")
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	run := filepath.Join(home, ".local/state/ua/runs/r/out")
	for _, dir := range []string{run, home + "/.ssh", home + "/extra", home + "/tmp"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{home + "/.ssh/id", home + "/.ssh/known_hosts",
		filepath.Dir(run) + "/journal.jsonl", home + "/extra/f"} {
		if err := os.WriteFile(file, []byte("TEXT\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ options, script, want string }{
		{"", "cat ~/.ssh/known_hosts 2>&1 || echo no",
			"cat: " + home + "/.ssh/known_hosts: Permission denied\nno"},
		{"--read ~/.ssh/known_hosts", "cat ~/.ssh/known_hosts; cat ~/.ssh/id 2>/dev/null; echo", "TEXT"},
		{"--write " + run, "echo x >" + run + "/o && cat " + run + "/o " + filepath.Dir(run) +
			"/journal.jsonl 2>/dev/null; echo", "x"},
		{"--write ~/extra", "echo y >~/extra/g && cat ~/extra/g", "y"},
		{"--write ~/extra --deny ~/extra/f", "cat ~/extra/f 2>/dev/null || echo no", "no"},
		{"--tmp=" + home + "/tmp", `echo z >"$TMPDIR/kept"`, ""},
		{"--tmp", `stat -f -c %T "$TMPDIR"`, "tmpfs"},
		{"--env FOO=1 --env BAR", "echo $FOO$BAR", "12"},
		{"--fsize 4K", "ulimit -f; head -c 10000 /dev/zero >big 2>/dev/null; stat -c %s big", "8\n4096"},
		{"--cpu 1", "while :; do :; done", "[signal: killed]"},
		{"--mem 64M", `head -c 1 /dev/zero >/dev/null && ulimit -d`, "65536"},
		{"--ulimit data=1G --ulimit fsize=8K --ulimit nproc=50000",
			"ulimit -d; ulimit -f; ulimit -Hf; echo $(($(ulimit -p) <= 50000))", "1048576\n16\n16\n1"},
		{"--ulimit fsize=8K --ulimit fsize=16K", "ulimit -f", "16"},
		{"--tier 2 --ulimit fsize=8K", "ulimit -f", "16"},
		{"--nested --ulimit fsize=8K", "ulimit -f", "16"},
		{"--ulimit as=8K", "true", `ua-sandbox: --ulimit: bad value "as=8K": want data, ` +
			"fsize or nproc [exit status 125]"},
		{"--tier 3", "echo $UA_SANDBOX", "3"},
	} {
		t.Setenv("BAR", "2")
		args := append(strings.Fields(strings.ReplaceAll(c.options, "~", home)), "--", "sh", "-c",
			c.script)
		if got := output(t, "", args...); got != c.want {
			t.Errorf("%s: %s\n%q, want %q", c.options, c.script, got, c.want)
		}
	}
	if text, err := os.ReadFile(home + "/tmp/kept"); err != nil || string(text) != "z\n" {
		t.Errorf("--tmp=DIR: %q %v", text, err)
	}
}

// TestWithheld: what is kept from the command is what looks like a secret and what the
// caller names. A caller that has judged the environment names it all.
func TestWithheld(t *testing.T) {
	const key = "k3J9xQ2mVt7LpR8w"
	t.Setenv("BAR", "2")
	t.Setenv("A_TOKEN", key)
	for options, want := range map[string]string{
		"":                                       "-2-A_TOKEN",
		"--withhold BAR":                         "--A_TOKEN BAR",
		"--env-judged":                           key + "-2-",
		"--env-judged --withhold A_TOKEN":        "-2-A_TOKEN",
		"--env-judged --withhold NONE":           key + "-2-",
		"--env A_TOKEN":                          key + "-2-",
		"--withhold A_TOKEN --env A_TOKEN=given": "given-2-",
	} {
		args := append(strings.Fields("--quiet "+options), "--", "sh", "-c",
			"echo $A_TOKEN-$BAR-$UA_WITHHELD")
		if got := output(t, "", args...); got != want {
			t.Errorf("%s: %q, want %q", options, got, want)
		}
	}
}

// A bound on processes holds for a user by RLIMIT_NPROC, for root by the
// numbers of the pid namespace.
func TestPids(t *testing.T) {
	scripttest.NeedTier(t, "4")
	script := "i=0; while [ $i -lt 400 ]; do sleep 5 & i=$((i+1)); done 2>/dev/null; echo all"
	if got := output(t, "", "--pids", "40", "--", "sh", "-c", script); got == "all" {
		t.Errorf("400 processes under --pids 40")
	}
	scripttest.Need(t, "python3")
	const count = `import os, time
n = 0
try:
    while n < 600:
        if os.fork() == 0: time.sleep(2); os._exit(0)
        n += 1
except OSError: pass
print(n <= 40)`
	for _, uid := range users(t) {
		home := homeOf(t, uid, "true")
		if out, err := inHome(t, uid, home, filepath.Dir(home), "--quiet", "--tier", "4", "--pids",
			"40", "--", "python3", "-c", count).CombinedOutput(); string(out) != "True\n" {
			t.Errorf("uid %d: more than 40 processes: %v: %s", uid, err, out)
		}
	}
	later := "i=0; while [ $i -lt 400 ]; do /bin/true | /bin/true | /bin/true || exit; i=$((i+1)); " +
		"done 2>/dev/null; echo all"
	if got := output(t, "", "--pids", "40", "--", "bash", "-c",
		"set -o pipefail; "+later); got != "all" {
		t.Errorf("pipelines of three under --pids 40, when all numbers have been used once: %s", got)
	}
}

// TestMem: no process has more memory than --mem, root's neither, which may not raise it.
func TestMem(t *testing.T) {
	scripttest.Need(t, "python3")
	const use = `import resource, subprocess
for most in (1 << 40, -1):
    try: resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    except (OSError, ValueError): pass
subprocess.run("prlimit --data=unlimited --pid $PPID", shell=True, stderr=-3)
try: b"x" * (300 << 20); print("more")
except MemoryError: print("no more")`
	for _, uid := range users(t) {
		home := homeOf(t, uid, "true")
		for _, tier := range tiers(t) {
			for _, profile := range []string{"workspace", "none"} {
				if profile == "none" && tier == "4" {
					continue
				}
				if out, err := inHome(t, uid, home, filepath.Dir(home), "--quiet", "--tier", tier,
					"--profile", profile, "--mem", "200M", "--", "python3", "-c",
					use).CombinedOutput(); string(out) != "no more\n" {
					t.Errorf("uid %d, tier %s, %s: %v: %s", uid, tier, profile, err, out)
				}
			}
		}
	}
}

func TestSocket(t *testing.T) {
	scripttest.NeedTier(t, "4")
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		l, err := net.Listen("unix", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	scripttest.Need(t, "python3")
	script := `import socket,sys
for n in sys.argv[1:]:
    s=socket.socket(socket.AF_UNIX)
    try: s.connect(n); print("in")
    except OSError as e: print("out")`
	bin := filepath.Join(scripttest.Bin(t), "ua-sandbox")
	for _, nested := range [][]string{nil, {bin, "--nested", "--profile", "workspace", "--"},
		{bin, "--nested", "--profile", "network", "--"}} {
		args := append([]string{"--tier", "4", "--socket", dir + "/a", "--"}, nested...)
		if got := output(t, dir, append(args, "python3", "-c", script, dir+"/a",
			dir+"/b")...); got != "in\nout" {
			t.Errorf("%q: %q", nested, got)
		}
	}
}

func TestLinkedWorktreeCommits(t *testing.T) {
	scripttest.Need(t, "git")
	dir := t.TempDir()
	script := `export HOME=$PWD GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=b
git init -q main && cd main && git commit -q --allow-empty -m x &&
	git worktree add -q ../linked 2>/dev/null && cd ../linked &&
"$0" --quiet -- sh -c '
	echo y >f && git add -A && git commit -q -m y && git status --short && git log --format=%s
	echo hook >../main/.git/hooks/x' 2>/dev/null; test -e ../main/.git/hooks/x || echo kept`
	cmd := exec.Command("sh", "-c", script, filepath.Join(scripttest.Bin(t), "ua-sandbox"))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "y\nx\nkept" {
		t.Errorf("%q %v", got, err)
	}
}

func TestStrict(t *testing.T) {
	scripttest.NeedTier(t, "3")
	scripttest.Need(t, "git")
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	shell(t, dir, "git init -q sub; echo mine >.npmrc; mkdir sub/.vscode")
	script := `for f in .npmrc sub/.vscode/x; do
	echo x 2>/dev/null >>$f && echo "wrote $f"
done
mv .git g 2>/dev/null && echo moved; mkdir .mvn; for f in .envrc .mvn/jvm.config sub/.mcp.json; do
	echo x >$f
done`
	got := output(t, dir, "--strict", "--root-ok", "--", "sh", "-c", script)
	left := shell(t, dir, "ls -A . sub .mvn.refused .npmrc; cat .npmrc")
	if !strings.HasPrefix(got, "ua-sandbox: protected, so moved aside") ||
		!strings.Contains(got, ".envrc") || strings.Contains(got, "wrote") ||
		strings.Contains(left, ".envrc\n") || strings.Contains(left, ".mcp.json\n") {
		t.Errorf("%q\n%s", got, left)
	}
	if os.Getuid() == 0 {
		if got := output(t, dir, "--strict", "--", "true"); !strings.Contains(got,
			"does not run as root") {
			t.Errorf("%q", got)
		}
	}
}

// In a container's /proc, where a fresh one is refused, tier 3 is taken; where
// namespaces are refused, tier 2 with one warning.
func TestContainer(t *testing.T) {
	scripttest.NeedTier(t, "4")
	scripttest.Need(t, "unshare", "mount")
	bin := filepath.Join(scripttest.Bin(t), "ua-sandbox")
	cmd := exec.Command("unshare", "-Urmpf", "--mount-proc", "sh", "-c",
		`mount -t tmpfs none /proc/acpi || mount -t tmpfs none /proc/sys
		exec unshare -Urm "$0" -- sh -c 'echo tier $UA_SANDBOX'`, bin)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil && !bytes.Contains(out, []byte("tier")):
		t.Logf("SKIPPED: no container here: %s", out)
	case strings.TrimSpace(string(out)) != "tier 3":
		t.Errorf("masked /proc: %s", out)
	}
	got := output(t, "", "--", "env", "-u", "UA_SANDBOX", bin, "--", "sh", "-c",
		"echo tier $UA_SANDBOX")
	if !strings.Contains(got, "ua-sandbox: tier 2: ") ||
		!slices.Contains(strings.Split(got, "\n"), "tier 2") || strings.Count(got, "\n") != 1 {
		t.Errorf("no namespaces: %q", got)
	}
	if got := output(t, "", "--", "env", "-u", "UA_SANDBOX", bin, "--strict", "--root-ok", "--",
		"true"); !strings.Contains(got, "[exit status 126]") || !strings.Contains(got, "hint: ") {
		t.Errorf("--strict without namespaces: %q", got)
	}
}

// A screen is what a terminal has shown so far.
type screen struct {
	mu   sync.Mutex
	text string
}

// follow reads all that the terminal shows.
func follow(tty *os.File) *screen {
	s := &screen{}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			s.mu.Lock()
			s.text += string(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

// wait waits until the terminal has shown want.
func (s *screen) wait(t *testing.T, want string) {
	t.Helper()
	for range 2000 {
		s.mu.Lock()
		found := strings.Contains(s.text, want)
		s.mu.Unlock()
		if found {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("no %q in %q", want, s.text)
}

// The terminal is the caller's: its keys reach the command once, its size is
// seen.
func TestTerminal(t *testing.T) {
	for _, tier := range tiers(t) {
		script := `n=0; trap 'n=$((n+1)); echo int $n' INT
trap 'echo size $(stty size)' WINCH; trap 'echo end $n; exit' TERM
echo up; while :; do sleep 0.02; done`
		cmd := sandbox(t, "--tier", tier, "--", "bash", "-c", script)
		tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
		if err != nil {
			t.Fatal(err)
		}
		s := follow(tty)
		s.wait(t, "up")
		tty.Write([]byte{3})
		s.wait(t, "int 1")
		_ = pty.Setsize(tty, &pty.Winsize{Rows: 33, Cols: 99})
		s.wait(t, "size 33 99")
		_ = cmd.Process.Signal(unix.SIGTERM)
		s.wait(t, "end 1")
		_ = cmd.Wait()
		tty.Close()
	}
}

// A shell's job control works on a sandbox as on any command.
func TestJobControl(t *testing.T) {
	scripttest.Need(t, "bash")
	for _, tier := range tiers(t) {
		cmd := exec.Command("bash", "--norc", "--noprofile", "-i")
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "PS1=$ ", "TERM=dumb", "TIER="+tier,
			"PROGRAM="+filepath.Join(scripttest.Bin(t), "ua-sandbox"))
		tty, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		s := follow(tty)
		tty.WriteString("\"$PROGRAM\" --tier $TIER -- bash -c 'trap \"echo go\"on CONT; echo a''b; " +
			"while :; do sleep 0.02; done'\n")
		s.wait(t, "ab")
		tty.Write([]byte{26})
		s.wait(t, "Stopped")
		tty.WriteString("fg\n")
		s.wait(t, "goon")
		tty.Write([]byte{3})
		tty.WriteString("echo c''d $?\n")
		s.wait(t, "cd 130")
		tty.WriteString("exit\n")
		_ = cmd.Wait()
		tty.Close()
	}
}

// In a home as workspace the secrets stay where they are, and hidden.
func TestHomeAsWorkspace(t *testing.T) {
	scripttest.NeedTier(t, "4")
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{".ssh/id", ".config/gh/hosts.yml", ".netrc"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), []byte("MARKER\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := `mv .ssh s; mv .config c; mv .netrc n; ln .netrc l; cp -r .ssh t
rm -rf .ssh .netrc .config; chmod 777 .ssh .netrc; ln -s .ssh u
grep -r MARKER . ; cat .netrc c/gh/hosts.yml u/id; echo own >made && cat made`
	if got := output(t, home, "--tier", "4", "--", "sh", "-c",
		"exec 2>/dev/null; "+script); got != "own" {
		t.Errorf("%q", got)
	}
	if text, err := os.ReadFile(filepath.Join(home, ".ssh/id")); err != nil ||
		string(text) != "MARKER\n" {
		t.Errorf("%q %v", text, err)
	}
	if got := output(t, home, "--tier", "4", "--", "sh", "-c",
		"exec 2>/dev/null; grep -r MARKER .; echo done"); got != "done" {
		t.Errorf("a secret was moved to where the next run does not hide it: %q", got)
	}
}

// A workspace in the machine's shared memory is shown in the sandbox's own.
func TestSharedMemoryAsWorkspace(t *testing.T) {
	scripttest.NeedTier(t, "4")
	dir, err := os.MkdirTemp("/dev/shm", "ua-sandbox-test-")
	if err != nil {
		scripttest.Skip(t, scripttest.Refused, "%v", err)
	}
	defer os.RemoveAll(dir)
	if got := output(t, dir, "--tier", "4", "--", "sh", "-c",
		"echo x >f && cat f && ls /dev/shm | wc -l"); got != "x\n1" {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "f")); err != nil {
		t.Error(err)
	}
}

// The root as workspace keeps the kernel's files read-only.
func TestRootAsWorkspace(t *testing.T) {
	scripttest.NeedTier(t, "4")
	script := `f=$(mktemp) && echo x >"$f" && cat "$f"
for k in /sys/kernel/uevent_helper /proc/sys/kernel/panic; do
	cat $k >$k && echo "wrote $k"
done; exit 0`
	if got := output(t, "/", "--tier", "4", "--", "sh", "-c",
		"exec 2>/dev/null; "+script); got != "x" {
		t.Errorf("%q", got)
	}
}

// An explanation or a list of layers that is lost is trouble, as other output is; 126 means
// a command that was not run.
func TestLostOutput(t *testing.T) {
	for _, args := range [][]string{{"--explain"}, {"--explain", "--json"}, {"--probe"}} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		cmd := sandbox(t, args...)
		cmd.Stdout = full
		_ = cmd.Run()
		full.Close()
		if code := cmd.ProcessState.ExitCode(); code != 2 {
			t.Errorf("%q: status %d", args, code)
		}
	}
}

func TestExplainAndProbe(t *testing.T) {
	t.Setenv("SOME_TOKEN", "x")
	var e struct {
		Profile  string
		Write    []string
		Withheld []string
		Limits   map[string]string
		Hosts    []string
	}
	if err := json.Unmarshal([]byte(output(t, "", "--explain", "--json", "--mem", "1G")),
		&e); err != nil || e.Profile != "workspace" || len(e.Write) != 1 ||
		!strings.Contains(strings.Join(e.Withheld, " "), "SOME_TOKEN") ||
		e.Limits["mem"] != "1073741824" {
		t.Errorf("%+v %v", e, err)
	}
	t.Setenv("GOPROXY", "https://modules.example")
	args := []string{"--explain", "--json", "--profile", "network", "--net-allow", "packages",
		"--net-allow", "a.example:8080"}
	if err := json.Unmarshal([]byte(output(t, "", args...)), &e); err != nil ||
		!slices.Contains(e.Hosts, "modules.example:443") || !slices.Contains(e.Hosts, "a.example:8080") {
		t.Errorf("%+v %v", e, err)
	}
	var f findings
	if err := json.Unmarshal([]byte(output(t, "", "--probe", "--json")), &f); err != nil ||
		len(f.Layers) != 4 || f.Tier < 1 {
		t.Errorf("%+v %v", f, err)
	}
}

// What a project's policy says, and the user's, holds for the commands that it
// is about: they can't change it, nor put another in its place.
func TestRulesStay(t *testing.T) {
	scripttest.NeedTier(t, "4")
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	project := filepath.Join(home, "p")
	for _, file := range []string{home + "/.config/ua/policy.toml", project + "/.ua/policy.toml",
		project + "/deep/f"} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("TEXT\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	script := `for d; do
echo x 2>/dev/null >>"$d/policy.toml" && echo "wrote $d"
echo x 2>/dev/null >"$d/new" && echo "made in $d"
rm -r "$d" 2>/dev/null && echo "removed $d"; mv "$d" "$d.old" 2>/dev/null && echo "moved $d"
mv "${d%/*}" "$0/other" 2>/dev/null && echo "moved above $d"; cat "$d/policy.toml"
done; echo y >"$0/p/deep/f"`
	for _, c := range []struct{ options, dir string }{
		{"", "/p"}, {"--tier 3", "/p"}, {"--profile network", "/p"}, {"", ""},
		{"--write " + home, "/p/deep"}, {"--profile none --tier 3", "/p"}, {"--profile none", "/p/deep"},
	} {
		args := append(strings.Fields(c.options), "--quiet", "--", "sh", "-c", script, home)
		var protected []string
		if c.dir != "/p" || strings.Contains(c.options, "none") {
			protected = append(protected, home+"/.config/ua")
		}
		if c.dir != "" {
			protected = append(protected, project+"/.ua")
		}
		want := strings.TrimSpace(strings.Repeat("TEXT\n", len(protected)))
		if got := output(t, home+c.dir, append(args, protected...)...); got != want {
			t.Errorf("%s in %s: %q, want %q", c.options, c.dir, got, want)
		}
	}
	if got := output(t, project, "--quiet", "--write", ".ua", "--", "sh", "-c",
		"echo x >.ua/policy.toml && cat .ua/policy.toml"); got != "x" {
		t.Errorf("--write .ua: %q", got)
	}
}
