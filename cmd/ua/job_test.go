package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// job starts a job of the user's own and returns its name.
func (p *place) job(argv ...string) string {
	p.t.Helper()
	out, errs, status := p.run(append([]string{"ua", "job", "start", "--"}, argv...)...)
	name := strings.TrimSpace(out)
	if status != 0 || name == "" {
		p.t.Fatalf("%q: status %d, %s", argv, status, errs)
	}
	p.t.Cleanup(func() { p.run("ua", "job", "stop", "--grace", "0", name) })
	return name
}

// jobRecord is what ua job ls says of a job.
func (p *place) jobRecord(name string) gjson.Result {
	p.t.Helper()
	out, errs, _ := p.run("ua", "job", "ls", "--all", "--json")
	for line := range strings.Lines(out) {
		if gjson.Get(line, "job").Str == name {
			return gjson.Parse(line)
		}
	}
	p.t.Fatalf("%s is not listed: %s%s", name, out, errs)
	return gjson.Result{}
}

// sleeper is a command that no other test runs.
func sleeper(n int) []string {
	return []string{"sleep", fmt.Sprintf("%d.%d", 2000+n, os.Getpid())}
}

// working says whether a process with these arguments is there.
func working(argv []string) bool {
	for _, p := range processes() {
		if p.name == strings.Join(argv, " ") {
			return true
		}
	}
	return false
}

// TestLastJob names the newest of several jobs.
func TestLastJob(t *testing.T) {
	p := newPlace(t, os.Getuid())
	if _, errs, status := p.run("ua", "job", "stop", "last"); status != 2 ||
		!strings.Contains(errs, "no such job") {
		t.Errorf("none: status %d, %s", status, errs)
	}
	p.job("sh", "-c", "echo first; cat")
	p.job("sh", "-c", "echo second; read word; echo read $word")
	if _, errs, status := p.run("ua", "job", "in", "last", "it"); status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	if out, errs, _ := p.run("ua", "job", "out", "-f", "last"); out != "second\nread it\n" {
		t.Errorf("%q, %s", out, errs)
	}
}

// TestJob goes through the life of a job of the user's own: it outlives who starts it,
// prints, reads, and ends with a status that stays.
func TestJob(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		name := p.job("sh", "-c", `echo out; echo "it's err" >&2; cat; printf '\0\377bin'; touch made; `+
			`exit 7`)
		if r := p.jobRecord(name); r.Get("state").Str != "running" {
			t.Errorf("uid %d: %s", uid, r)
		}
		if out, _, _ := p.run("ua", "job", "ls"); !strings.Contains(out, name+"     running") {
			t.Errorf("uid %d: ls: %s", uid, out)
		}
		output := func(args ...string) string {
			out, errs, _ := p.run(append([]string{"ua", "job", "out"}, args...)...)
			return out + errs
		}
		scripttest.Await(t, "both lines", func() bool {
			text := output(name)
			return strings.Contains(text, "out\n") && strings.Contains(text, "[stderr] it's err\n")
		})
		if _, errs, status := p.run("ua", "job", "in", name, "some", "words"); status != 0 {
			t.Errorf("uid %d: in: status %d, %s", uid, status, errs)
		}
		scripttest.Await(t, "the words", func() bool {
			return strings.HasSuffix(output("-n", "1", name), "some words\n")
		})
		in := p.command("ua", "job", "in", "--eof", name[len(name)-6:])
		in.Stdin = strings.NewReader("more\n")
		if out, err := in.CombinedOutput(); err != nil {
			t.Errorf("uid %d: in: %v, %s", uid, err, out)
		}
		scripttest.Await(t, "its end", func() bool {
			return p.jobRecord(name).Get("exit_code").Int() == 7
		})
		if text := output(name); !strings.HasSuffix(text, "some words\nmore\n\x00\xffbin") {
			t.Errorf("uid %d: %q", uid, text)
		}
		if out, _, _ := p.run("ua", "job", "ls"); out != "" {
			t.Errorf("uid %d: ls shows one that has ended: %s", uid, out)
		}
		if _, err := os.Stat(filepath.Join(p.cwd, "made")); err != nil {
			t.Errorf("uid %d: %v", uid, err)
		}
		if _, errs, status := p.run("ua", "job", "in", name, "x"); status != 1 ||
			!strings.Contains(errs, "has ended") {
			t.Errorf("uid %d: status %d, %s", uid, status, errs)
		}
	}
}

// TestJobConfined has a job do what its sandbox does not let it do, and what its
// profile and the default bounds take from it.
func TestJobConfined(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.write(filepath.Join(p.home, ".ssh/id_rsa"), "secret\n")
	p.env = append(p.env, "SOME_API_KEY=sk-abcdefghij0123456789")
	name := p.job("sh", "-c", "cat ~/.ssh/id_rsa; touch ~/x ~/.local/state/ua/jobs/x; env; "+
		"ulimit -f; echo done")
	scripttest.Await(t, "its end", func() bool {
		return p.jobRecord(name).Get("state").Str == "ended"
	})
	out, _, _ := p.run("ua", "job", "out", name)
	if strings.Contains(out, "secret\n") || strings.Contains(out, "SOME_API_KEY") ||
		// 8 GiB in blocks of 512 bytes; stderr is another pipe, and may come before or behind
		!strings.Contains(out, "\n16777216\ndone\n") {
		t.Error(out)
	}
	if _, err := os.Lstat(filepath.Join(p.home, "x")); err == nil {
		t.Error("it writes to the home")
	}
	// One that ends later than start looks is started; on a busy machine touch may be that.
	scripttest.Await(t, "one that ends at once", func() bool {
		_, errs, status := p.run("ua", "job", "start", "--profile", "read-only", "--", "touch", "made")
		return status == 1 && strings.Contains(errs, "ended at once with status 1")
	})
}

// TestJobRing bounds what is kept of 1,000,000 lines, and follows one that prints more
// than its log holds.
func TestJobRing(t *testing.T) {
	p := newPlace(t, os.Getuid())
	name := p.job("sh", "-c", "while read -r from to; do seq $from $to; done")
	follow := p.command("ua", "job", "out", "-f", name)
	path := filepath.Join(p.home, "followed")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	follow.Stdout = f
	if err := follow.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { follow.Process.Kill(); follow.Wait() }()
	seen := func() string { text, _ := os.ReadFile(path); return string(text) }
	for n := 0; n < 6000; n += 900 {
		p.run("ua", "job", "in", name, fmt.Sprint(n+1, " ", n+900))
		scripttest.Await(t, "the follower", func() bool {
			return strings.HasSuffix(seen(), fmt.Sprintf("\n%d\n", n+900))
		})
	}
	want, _ := exec.Command("seq", "6300").Output()
	if got := seen(); got != string(want) {
		t.Errorf("followed %d bytes of %d", len(got), len(want))
	}
	p.run("ua", "job", "in", "--eof", name, "1 1000000")
	if err := follow.Wait(); err != nil {
		t.Errorf("the follower: %v", err)
	}
	out, _, _ := p.run("ua", "job", "out", name)
	if lines := strings.Fields(out); len(lines) != 1000 || lines[0] != "999001" ||
		lines[999] != "1000000" {
		t.Errorf("%d lines, %.20q", len(lines), out)
	}
	log := p.jobRecord(name).Get("log").Str
	if info, err := os.Stat(log); err != nil || info.Size() > 20000 {
		t.Errorf("%v %v", info, err)
	}
}

// TestJobStop ends a job with all that it has started, and says what it can't do.
func TestJobStop(t *testing.T) {
	p := newPlace(t, os.Getuid())
	a, b := sleeper(1), sleeper(2)
	name := p.job("sh", "-c", fmt.Sprintf("trap '' TERM; setsid %s & %s; %s", strings.Join(a, " "),
		strings.Join(b, " "), strings.Join(b, " ")))
	scripttest.Await(t, "both", func() bool { return working(a) && working(b) })
	if _, errs, status := p.run("ua", "job", "stop", "--grace", "50ms", name); status != 0 {
		t.Fatal(errs)
	}
	scripttest.Await(t, "their end", func() bool { return !working(a) && !working(b) })
	if r := p.jobRecord(name); r.Get("state").Str != "ended" || r.Get("signal").Str != "SIGKILL" {
		t.Errorf("%s", r)
	}
	for _, c := range []struct{ args, want string }{
		{"stop none", "no such job"}, {"stop", "no job given"}, {"out", "no job given"},
		{"start", "no command given"},
		{"start -- ua x", "ua --bg"}, {"now", "want start, ls, out, in or stop"},
		{"ls x", "takes no operands"},
		{"out -n -1 " + name, "want a whole number"}, {"start --profile none -- true", "want read-only"},
	} {
		out, errs, status := p.run(append([]string{"ua", "job"}, strings.Fields(c.args)...)...)
		if status != 2 || !strings.Contains(errs, c.want) || out != "" {
			t.Errorf("%s: status %d, %s%s", c.args, status, out, errs)
		}
	}
	// It ends at once, or soon after its name is told where the machine is busy.
	out, errs, status := p.run("ua", "job", "start", "no-such-program")
	if status != 127 && status != 0 || out == "" {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	scripttest.Await(t, "its status", func() bool {
		return p.jobRecord(strings.TrimSpace(out)).Get("exit_code").Int() == 127
	})
	if list := p.glob("../jobs/*/stderr"); len(list) != 2 {
		t.Errorf("%q", list)
	}
}

// TestJobKilled kills what keeps a job with SIGKILL: nothing of it is left, and what
// is kept says so.
func TestJobKilled(t *testing.T) {
	scripttest.NeedProcesses(t)
	p := newPlace(t, os.Getuid())
	s := sleeper(3)
	name := p.job("sh", "-c", "setsid "+strings.Join(s, " ")+" & wait")
	scripttest.Await(t, "it runs", func() bool { return working(s) })
	for _, q := range processes() {
		if strings.Contains(q.name, "ua-sandbox") && strings.Contains(q.name, name) {
			syscall.Kill(q.pid, syscall.SIGKILL)
		}
	}
	scripttest.Await(t, "the end", func() bool { return !working(s) })
	// At tier 2 the ua-exec in the sandbox outlives it, and says how it has ended the job.
	if r := p.jobRecord(name); r.Get("state").Str != "lost" && r.Get("signal").Str != "SIGTERM" {
		t.Errorf("%s", r)
	}
	if _, errs, status := p.run("ua", "job", "stop", name); status != 0 ||
		!strings.Contains(errs, "ended") {
		t.Errorf("status %d, %s", status, errs)
	}
}

// TestJobInside has the commands of a run start, read, feed and stop jobs, those of the
// model's background calls too; none but kept ones is left when the run is killed.
func TestJobInside(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.stateOutside()
		s, k := sleeper(4), sleeper(5)
		p.recording("main.jsonl", "never",
			"touch made; ua job start -- sh -c 'while read -r x; do echo \"<$x>\"; done'; ua job start "+
				strings.Join(s, " "),
			"touch made; ua job in job-1 hello; until ua job out job-1 | grep -q hello; do :; done; ua "+
				"job ls; "+
				"ua job stop job-1; ua job ls --all",
			"echo x >$(dirname $UA_JOURNAL)/out/x.job; "+
				"touch $(dirname $UA_JOURNAL)/out/.right-1; echo $?",
			"touch made; ua job start --keep -- sh -c 'echo kept; exec "+strings.Join(k, " ")+"'",
			"touch ready; sleep 300")
		id := p.begun("work")
		scripttest.Await(t, "the last command", func() bool {
			_, err := os.Stat(filepath.Join(p.cwd, "ready"))
			return err == nil
		})
		var out []gjson.Result
		scripttest.Await(t, "the results", func() bool { out = p.outputs(); return len(out) == 4 })
		if text := out[1].Get("output").Str; !strings.Contains(text, "running") ||
			!strings.Contains(text, "exit 143") || !strings.Contains(text, "while read -r x") {
			t.Errorf("uid %d: %s", uid, text)
		}
		if text := out[2].Get("output").Str; strings.Count(text, "Permission denied")+
			strings.Count(text, "Read-only file system") != 2 {
			t.Errorf("uid %d: a command writes where records lie: %s", uid, text)
		}
		kept := strings.Fields(out[3].Get("output").Str)
		if len(kept) != 3 || out[3].Get("exit_code").Int() != 0 {
			t.Fatalf("uid %d: %s", uid, out[3])
		}
		if !working(s) || !working(k) {
			t.Errorf("uid %d: not both run", uid)
		}
		if list, _, _ := p.run("ua", "job", "ls", "-r", id); !strings.Contains(list, s[1]) ||
			!strings.Contains(list, kept[1]) {
			t.Errorf("uid %d: %s", uid, list)
		}
		syscall.Kill(int(p.record(id).Get("pid").Int()), syscall.SIGKILL)
		scripttest.Await(t, "the end of what is not kept", func() bool { return !working(s) })
		if text, errs, _ := p.run("ua", "job", "out", kept[1]); text != "kept\n" || !working(k) {
			t.Errorf("uid %d: %s%s", uid, text, errs)
		}
		if _, errs, status := p.run("ua", "job", "stop", kept[1]); status != 0 {
			t.Errorf("uid %d: %s", uid, errs)
		}
		scripttest.Await(t, "the end of the kept one", func() bool { return !working(k) })
	}
}

// TestJobOutside steers a job of a run from outside of it, and keeps one that may not
// be kept from going on.
func TestJobOutside(t *testing.T) {
	p := newPlace(t, os.Getuid())
	s := sleeper(6)
	p.recording("main.jsonl", "done",
		"touch made; ua job start -- sh -c 'read x; echo \"<$x>\"; exec "+
			strings.Join(s, " ")+"'", "ua job start --keep -- sleep 9; while ! test -e go; do sleep 0.02; "+
			"done")
	args, try := []string{"work"}, scripttest.TriesRefused(t) == ""
	if try {
		args = []string{"--try", "work"}
	}
	id := p.begun(args...)
	scripttest.Await(t, "the job", func() bool {
		out, _, _ := p.run("ua", "job", "ls", "-r", id)
		return strings.Contains(out, "job-1")
	})
	if _, errs, status := p.run("ua", "job", "in", "-r", id, "job-1", "from outside"); status != 0 {
		t.Error(errs)
	}
	scripttest.Await(t, "its answer", func() bool {
		out, _, _ := p.run("ua", "job", "out", "job-1")
		return out == "<from outside>\n" && working(s)
	})
	if _, errs, status := p.run("ua", "job", "stop", "job-1"); status != 0 || working(s) {
		t.Error(errs)
	}
	p.write("go", "")
	p.run("ua", "wait", id)
	text := p.outputs()[1].Get("output").Str
	if try && !strings.Contains(text, "would escape the run's try") {
		t.Error(text)
	}
}

// TestForgedKept: a command that writes a request for a kept job itself, past the gate and
// ua-exec, gets none.
func TestForgedKept(t *testing.T) {
	t.Parallel()
	for _, uid := range users() {
		p := newPlace(t, uid) // whose state commands may write, as it lies in /tmp
		p.recording("main.jsonl", "done", `ua --version >/dev/null; d=$(dirname "$UA_JOURNAL")
for in in sub out; do i=20260101-000000-aaaaaa; ln -s "$HOME/.profile" "$d/$in/.answer-$i.new"
	echo '{"do":"keep","command":"touch forged"}' >"$d/$in/.job-$i"
done; sleep 3`)
		p.run("ua", "task")
		if _, err := os.Stat(filepath.Join(p.home, ".profile")); err == nil {
			t.Errorf("uid %d: the answer went through a link", uid)
		}
		if _, err := os.Stat(filepath.Join(p.cwd, "forged")); err == nil {
			t.Errorf("uid %d: the job was started", uid)
		}
		if dirs := p.glob("*/jobs/*"); len(dirs) > 0 {
			t.Errorf("uid %d: %q", uid, dirs)
		}
	}
}
