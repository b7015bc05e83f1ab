package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ua/internal/test/scripttest"
)

// TestQuestions: a run without a terminal waits for an answer from elsewhere, which only a person
// can give, once.
func TestQuestions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer []string
		state  string // of old and made afterwards
		status int
	}{
		{[]string{"yes"}, "", 0},
		{[]string{"no"}, "old", 1},
		{[]string{"not", "this", "one"}, "old", 1},
		{[]string{"edit: echo x >made"}, "made old", 0},
		{nil, "old", 75},
	} {
		p := newPlace(t, os.Getuid())
		p.write("old/f", "x")
		p.write(filepath.Join(p.home, ".config/ua/policy.toml"), "[levels]\ndestructive = \"ask\"\n")
		p.write(filepath.Join(p.home, ".config/ua/config.toml"),
			"[ua]\nnotify = \"cat >"+p.home+"/told\"\n")
		p.recording("main.jsonl", "done", "rm -rf old")
		timeout := "60s"
		if c.answer == nil {
			timeout = "1s"
		}
		cmd := p.command("ua", "--ask", "--ask-timeout", timeout, "task")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		var said strings.Builder
		cmd.Stderr = &said
		cmd.Start()
		if c.answer != nil {
			var list string
			scripttest.Await(t, "the question", func() bool {
				list, _, _ = p.run("ua", "asks")
				return list != ""
			})
			if !strings.Contains(list, "rm -rf old") || !strings.Contains(list, "c0") {
				t.Error(list)
			}
			id := strings.Fields(list)[0]
			forged := p.command("ua", "answer", id, "yes")
			forged.Env = append(forged.Env, "UA_RUN_DIR="+filepath.Join(p.home, ".local/state/ua/runs", id))
			if out, err := forged.CombinedOutput(); err == nil {
				t.Errorf("a command of the run can answer: %s", out)
			}
			args := append([]string{"ua", "answer", id, "c0"}, c.answer...)
			if _, errs, status := p.run(args...); status > 0 {
				t.Error(errs)
			}
		}
		cmd.Wait()
		entries, _ := filepath.Glob(filepath.Join(p.cwd, "[mo][al]*"))
		var state []string
		for _, e := range entries {
			if n := filepath.Base(e); n == "made" || n == "old" {
				state = append(state, n)
			}
		}
		if got := strings.Join(state, " "); got != c.state || cmd.ProcessState.ExitCode() != c.status {
			t.Errorf("%q: %q, status %d\n%s", c.answer, got, cmd.ProcessState.ExitCode(), &said)
		}
		if text, _ := os.ReadFile(filepath.Join(p.home, "told")); !strings.Contains(string(text),
			"rm -rf old") {
			t.Errorf("told: %s", text)
		}
		if c.answer == nil {
			continue
		}
		answers := p.events("answer")
		if len(answers) != 1 || answers[0].Get("by").Str == "" || answers[0].Get("ts").Str == "" {
			t.Errorf("%v", answers)
		}
	}
}

// TestQuestionAfarAndHere: a question stands on the terminal and in ua asks, and the first answer
// holds.
func TestQuestionAfarAndHere(t *testing.T) {
	for _, c := range []struct {
		afar, here string
		made       bool
		seen       string
	}{
		{"yes", "", true, "answered from elsewhere: yes"},
		{"no", "", false, "answered from elsewhere: deny"},
		{"not this", "", false, "answered from elsewhere: deny"},
		{"yes", "n\n", false, ""},
		{"no", "y\n", true, ""},
	} {
		x := onTerminal(t, "call: touch made; rm -rf old\n---\ntext: done", "--ask", "task")
		x.expect("[y]")
		ua := func(args ...string) (string, error) {
			cmd := exec.Command(x.cmd.Path, args...)
			cmd.Env = x.cmd.Env
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		list, _ := ua("asks")
		if !strings.Contains(list, "touch made; rm -rf old") {
			t.Fatalf("ua asks: %s", list)
		}
		id := strings.Fields(list)[0]
		if c.here != "" {
			x.tty.WriteString(c.here)
			scripttest.Await(t, "the answer", func() bool { out, _ := ua("asks"); return out == "" })
		}
		out, err := ua("answer", id, c.afar)
		if (err == nil) != (c.here == "") {
			t.Errorf("%v: %v: %s", c, err, out)
		}
		x.end()
		_, err = os.Stat(filepath.Join(x.dir, "made"))
		if (err == nil) != c.made || !strings.Contains(x.seen, c.seen) {
			t.Errorf("%v: %v\n%s", c, err, x.seen)
		}
	}
}

// TestQuestionsOfSubagents: what a subagent asks is answered as the questions of any run are, and
// no command answers it: not by the program, a file, a socket, a terminal or another process, in
// the run above, in the subagent or in a job that outlives both.
func TestQuestionsOfSubagents(t *testing.T) {
	t.Parallel()
	scripttest.NeedProcesses(t)
	scripttest.Need(t, "/usr/bin/python3")
	const beside = "while [ ! -e go ]; do /usr/bin/python3 attack beside; done"
	for _, uid := range users() {
		for _, c := range []struct {
			args, calls []string
			who         []string
		}{
			{[]string{"ua", "--ask", "task"}, []string{beside + " >/dev/null 2>&1 &", "rm -rf old"},
				nil},
			{[]string{"ua", "task"}, []string{"/usr/bin/python3 attack main; ua job start --keep -- " +
				"/usr/bin/python3 attack job; ua --ask --model replay:sub.jsonl task & " + beside + "; wait"},
				[]string{"main", "job", "sub"}},
		} {
			p := newPlace(t, uid)
			p.write("old/f", "x")
			p.write("attack", attackOnAnswers)
			p.write(filepath.Join(p.home, ".config/ua/policy.toml"),
				"[[ask]]\npattern = \"rm -rf *\"\n")
			p.recording("sub.jsonl", "done", "/usr/bin/python3 attack sub", "rm -rf old")
			p.recording("main.jsonl", "done", c.calls...)
			cmd := p.command(c.args...)
			cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Setsid = false, true
			var said strings.Builder
			cmd.Stderr = &said
			cmd.Start()
			tried := func(who string) int {
				text, _ := os.ReadFile(filepath.Join(p.cwd, "tried."+who))
				if strings.Contains(string(text), "did it") {
					t.Errorf("user %d, %s: %s", uid, who, text)
				}
				return strings.Count(string(text), "tried\n")
			}
			var list string
			scripttest.Await(t, "the question", func() bool {
				list, _, _ = p.run("ua", "asks")
				return list != ""
			})
			before := tried("beside")
			scripttest.Await(t, "the attacks", func() bool {
				return tried("beside") > before && !slices.ContainsFunc(c.who, func(who string) bool {
					return tried(who) == 0
				})
			})
			list, _, _ = p.run("ua", "asks")
			left := p.glob("2*/answers/*")
			if !strings.Contains(list, "rm -rf old") || strings.Count(list, "\n") != 2 || len(left) > 0 {
				t.Fatalf("user %d, %v: %q, %q\n%s", uid, c.args, list, left, &said)
			}
			if _, errs, status := p.run("ua", "answer", strings.Fields(list)[0], "yes"); status != 0 {
				t.Error(errs)
			}
			scripttest.Await(t, "the command", func() bool {
				_, err := os.Stat(filepath.Join(p.cwd, "old"))
				return err != nil
			})
			p.write("go", "")
			cmd.Wait()
		}
	}
}

// attackOnAnswers tries to answer all questions of the run that it belongs to.
const attackOnAnswers = `import fcntl, glob, os, socket, subprocess, sys, termios
top = sorted(glob.glob(os.path.expanduser("~/.local/state/ua/runs/2*")))[-1]
runs = [top] + glob.glob(top + "/sub/2*")
ids = [os.path.basename(run) for run in runs]
log = open("tried." + sys.argv[1], "a")
line = b'{"type":"answer","call_id":"c1","decision":"yes"}\n'

def attempt(way, do):
    try:
        do()
        log.write(way + " did it\n")
    except (OSError, subprocess.SubprocessError):
        pass

def run(words, **more):
    subprocess.run(words, check=True, timeout=20, stderr=subprocess.DEVNULL, **more)

def knock(path):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(0.1)
    s.connect(path)
    s.sendall(line)

for id in ids:
    attempt("ua answer", lambda: run(["ua", "answer", id, "yes"]))
    attempt("without variables", lambda: run(["ua", "answer", id, "yes"], start_new_session=True,
        env={"HOME": os.environ["HOME"], "PATH": os.environ["PATH"]}))
for path in [top + "/answers"] + glob.glob("/proc/[0-9]*/root" + top + "/answers"):
    attempt("a file", lambda: open(path + "/x", "w"))
    attempt("a link", lambda: os.symlink("/dev/null", path + "/y"))
    attempt("a folder", lambda: os.mkdir(path + "/z"))
    attempt("a move", lambda: os.rename(path, top + "/sub/a"))
    attempt("chmod", lambda: os.chmod(path, 0o777))
for path in glob.glob(top + "/*.sock") + glob.glob(top + "/*/*.sock"):
    try:
        knock(path)
    except OSError:
        pass
def ends():
    for path in glob.glob("/proc/[0-9]*/fd/*"):
        try:
            if os.readlink(path).startswith(("/dev/pts/", "/dev/tty")):
                yield path
        except OSError:
            pass

for path in ["/dev/tty", "/dev/console", *glob.glob("/dev/pts/[0-9]*"), *ends()]:
    attempt(path, lambda: os.write(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY), line))
    attempt("TIOCSTI " + path, lambda: fcntl.ioctl(os.open(path, os.O_RDONLY | os.O_NONBLOCK),
        termios.TIOCSTI, b"y"))
log.write("tried\n")
`
