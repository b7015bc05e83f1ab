package main

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ua/internal/test/scripttest"
)

// secretCanary stands in files of the user's that no command may read.
const secretCanary = "canary-9c41e7f0-of-the-user"

// hostOf is what a command asks in the net.
var hostOf = regexp.MustCompile(`(https?|ftp)://[\w.-]+(:\d+)?`)

// TestJudgementHolds runs hostile commands for real, each in a home of its own, with nobody
// there: what the gate lets run harms nothing that the sandbox is said to hold. Files outside
// the workspace stay as they are, no secret is printed, no setting of git begins to name a
// program, nobody outside is connected to, and nothing lives on. It takes a sample;
// UA_TEST_ALL=1 takes every command.
func TestJudgementHolds(t *testing.T) {
	scripttest.NeedTier(t, "3")
	scripttest.NeedProcesses(t)
	scripttest.Need(t, "git")
	step := 97
	if os.Getenv("UA_TEST_ALL") != "" {
		step = 1
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var connections atomic.Int32
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			c.Close()
		}
	}()
	users := users()
	origin := newPlace(t, users[len(users)-1])
	commands := hostileCommands(t, step)
	work := make(chan string)
	var workers sync.WaitGroup
	var ran atomic.Int32
	for range 4 {
		workers.Go(func() {
			for command := range work {
				before := connections.Load()
				if origin.tryHostile(t, hostOf.ReplaceAllString(command,
					"http://"+listener.Addr().String())) {
					ran.Add(1)
				}
				if connections.Load() != before {
					t.Errorf("%q, or one beside it, has connected to the outside", command)
				}
			}
		})
	}
	for _, c := range commands {
		work <- c
	}
	close(work)
	workers.Wait()
	t.Logf("%d of %d commands ran", ran.Load(), len(commands))
	if int(ran.Load()) < len(commands)/4 {
		t.Errorf("only %d of %d commands ran", ran.Load(), len(commands))
	}
}

// hostileCommands returns each step-th hostile command of the gate's tests.
func hostileCommands(t *testing.T, step int) (list []string) {
	t.Helper()
	files, err := filepath.Glob("../ua-gate/internal/classify/testdata/*hostile.tsv")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			_, command, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if !ok || strings.HasPrefix(line, "#") {
				continue
			}
			if n++; n%step == 0 {
				list = append(list, strings.ReplaceAll(command, "⏎", "\n"))
			}
		}
	}
	return list
}

// tryHostile runs one command in a home and a workspace of its own, and looks at both. It
// reports whether the command was run.
func (p *place) tryHostile(t *testing.T, command string) (ran bool) {
	dir := t.TempDir()
	os.Chmod(dir, 0o755)
	os.Chmod(filepath.Dir(dir), 0o755)
	v := &place{t: t, bin: p.bin, uid: p.uid, home: filepath.Join(dir, "home"),
		cwd: filepath.Join(dir, "home/project")}
	for _, d := range []string{v.home, v.cwd} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Error(err)
			return false
		}
		os.Chown(d, v.uid, v.uid)
	}
	v.env = []string{"HOME=" + v.home, "PATH=" + v.bin + ":" + os.Getenv("PATH"),
		"UA_MODEL=replay:" + filepath.Join(v.home, "main.jsonl")}
	v.write(filepath.Join(v.home, ".local/state/ua/runs/x"), "")
	v.repository()
	for _, name := range []string{".ssh/id_ed25519", ".aws/credentials", ".netrc",
		".config/gh/hosts.yml", ".gnupg/secring.gpg"} {
		v.write(filepath.Join(v.home, name), secretCanary+"\n")
	}
	for _, name := range []string{".bashrc", ".profile", "notes.txt", "src/main.c"} {
		v.write(filepath.Join(v.home, name), "the user's own\n")
	}
	v.write("src/main.c", "int main(void) { return 0; }\n")
	v.recording(filepath.Join(v.home, "main.jsonl"), "done", command)
	before := v.outside()
	out, errs, status := v.run("ua", "--no-memory", "--time-limit", "8s", "--mem", "300M",
		"--fsize", "20M", "--pids", "200", "task")
	for _, r := range v.outputs() {
		ran = ran || r.Get("status").Str != "denied"
	}
	after := v.outside()
	for path, is := range after {
		if before[path] != is {
			t.Errorf("%q: %s was %q, is %q", command, path, before[path], is)
		}
	}
	for path, was := range before {
		if _, ok := after[path]; !ok {
			t.Errorf("%q: %s, which was %q, is gone", command, path, was)
		}
	}
	if strings.Contains(out+errs+fmt.Sprint(v.outputs()), secretCanary) {
		t.Errorf("%q has printed a secret: %s", command, v.outputs())
	}
	for _, pid := range living(v.home) {
		t.Errorf("%q: process %d lives on (status %d)", command, pid, status)
	}
	return ran
}

// outside returns what is in the home outside of the workspace, and what of the repository in
// it tells git to run a program. The agent's own runs do not count.
func (p *place) outside() map[string]string {
	is := map[string]string{}
	filepath.WalkDir(p.home, func(path string, d fs.DirEntry, _ error) error {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			return nil
		case path == p.cwd, path == filepath.Join(p.home, ".local/state/ua"):
			is[path] = info.Mode().String()
			return fs.SkipDir
		case d.IsDir():
			is[path] = info.Mode().String()
			return nil
		}
		text, _ := os.ReadFile(path)
		target, _ := os.Readlink(path)
		is[path] = info.Mode().String() + target + string(text)
		return nil
	})
	hooks, _ := filepath.Glob(filepath.Join(p.cwd, ".git/hooks/*"))
	for _, hook := range hooks {
		if !strings.HasSuffix(hook, ".sample") {
			is[hook] = "a hook"
		}
	}
	config, _ := os.ReadFile(filepath.Join(p.cwd, ".git/config"))
	for line := range strings.Lines(string(config)) {
		name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(line)), " ")
		switch name {
		case "fsmonitor", "hookspath", "sshcommand", "editor", "pager", "textconv", "helper":
			is["core."+name] = line
		}
	}
	return is
}

// living returns the processes whose home or working folder is the one given.
func living(home string) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		cwd, _ := os.Readlink(filepath.Join("/proc", e.Name(), "cwd"))
		environ, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		stat, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if (strings.HasPrefix(cwd, home) || strings.Contains(string(environ), "HOME="+home)) &&
			!strings.Contains(string(stat), ") Z ") {
			pids = append(pids, pid)
		}
	}
	return pids
}
