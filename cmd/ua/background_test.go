package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// record is what ua info --json says of a run.
func (p *place) record(id string) gjson.Result {
	p.t.Helper()
	out, errs, status := p.run("ua", "info", "--json", id)
	if status != 0 {
		p.t.Fatal(errs)
	}
	return gjson.Parse(out)
}

// begun starts a run in the background and waits until its model has been asked.
func (p *place) begun(args ...string) (id string) {
	p.t.Helper()
	out, errs, status := p.run(append([]string{"ua", "--bg"}, args...)...)
	if id = strings.TrimSpace(out); status != 0 || id == "" {
		p.t.Fatalf("status %d: %s", status, errs)
	}
	scripttest.Await(p.t, "the first command", func() bool {
		return p.record(id).Get("state").Str != "accepted"
	})
	return id
}

func TestBackground(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.recording("main.jsonl", "all done", "while ! test -e go; do sleep 0.02; done; echo gone")
		id := p.begun("wait for it")
		if r := p.record(id); r.Get("state").Str != "running" || !r.Get("background").Bool() ||
			r.Get("task").Str != "wait for it" {
			t.Errorf("%s", r)
		}
		if out, _, _ := p.run("ua", "ps"); !strings.Contains(out, id) ||
			!strings.Contains(out, "running") {
			t.Errorf("ua ps: %s", out)
		}
		if _, errs, status := p.run("ua", "resume", id, "more"); status != 75 {
			t.Errorf("a second driver: status %d, %s", status, errs)
		}
		p.write("go", "")
		if out, errs, status := p.run("ua", "wait", id[len(id)-6:]); status != 0 || out != "" {
			t.Errorf("wait: status %d, %s%s", status, out, errs)
		}
		if r := p.record(id); r.Get("state").Str != "completed" || r.Get("exit_code").Int() != 0 ||
			r.Get("commands").Int() != 1 {
			t.Errorf("%s", r)
		}
		if out, _, _ := p.run("ua", "ps"); strings.Contains(out, id) {
			t.Errorf("ua ps shows one that has ended: %s", out)
		}
		if out, _, _ := p.run("ua", "ps", "--all", "--json"); !strings.Contains(out,
			`"state":"completed"`) {
			t.Errorf("ua ps --all --json: %s", out)
		}
		if out, _, _ := p.run("ua", "log", id); !strings.Contains(out, "# wait for it\n❯ while") ||
			!strings.Contains(out, "all done") {
			t.Errorf("ua log: %s", out)
		}
		if out, _ := os.ReadFile(filepath.Join(p.glob(id)[0], "stdout")); string(out) != "all done\n" {
			t.Errorf("its stdout: %q", out)
		}
	}
}

// TestBackgroundRefused says what is wrong before there is a run.
func TestBackgroundRefused(t *testing.T) {
	p := newPlace(t, os.Getuid())
	for _, args := range [][]string{{"--bg", ""}, {"--bg", "--no-such", "x"},
		{"--bg", "-a", "none", "x"}} {
		if out, errs, status := p.run(append([]string{"ua"}, args...)...); status == 0 || out != "" ||
			!strings.HasPrefix(errs, "ua: ") {
			t.Errorf("%v: status %d, %q, %q", args, status, out, errs)
		}
	}
	if list := p.glob("*/journal.jsonl"); len(list) > 0 {
		t.Errorf("runs were begun: %v", list)
	}
}

func TestStop(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "never", "sleep 301")
	id := p.begun("a long one")
	pid := int(p.record(id).Get("pid").Int())
	all := descendants(pid)
	if _, errs, status := p.run("ua", "stop", id); status != 0 {
		t.Fatal(errs)
	}
	if r := p.record(id); r.Get("state").Str != "cancelled" || r.Get("exit_code").Int() != 143 {
		t.Errorf("%s", r)
	}
	scripttest.Await(t, "the end of all", func() bool { return len(alive(all)) == 0 })
}

// TestStopStubborn kills one that does not end by itself, with all below it.
func TestStopStubborn(t *testing.T) {
	scripttest.NeedProcesses(t)
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "never", "setsid sleep 301 & sleep 302")
	id := p.begun("a stubborn one")
	pid := int(p.record(id).Get("pid").Int())
	var all []process
	scripttest.Await(t, "its commands", func() bool {
		all = descendants(pid)
		return strings.Contains(fmt.Sprint(all), "sleep 301")
	})
	syscall.Kill(pid, syscall.SIGSTOP)
	if _, errs, status := p.run("ua", "stop", "--grace", "200ms", id); status != 0 {
		t.Fatal(errs)
	}
	if r := p.record(id); r.Get("state").Str != "failed" && r.Get("state").Str != "cancelled" {
		t.Errorf("%s", r)
	}
	scripttest.Await(t, "the end of all", func() bool { return len(alive(all)) == 0 })
}

// TestStalePid finds no life in a run whose process was killed, whoever has its pid
// by now.
func TestStalePid(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "never", "sleep 301")
	id := p.begun("to be killed")
	pid := int(p.record(id).Get("pid").Int())
	all := descendants(pid)
	syscall.Kill(pid, syscall.SIGKILL)
	scripttest.Await(t, "the end of all", func() bool { return len(alive(all)) == 0 })
	// The pid is another's now: this test's own, as far as the folder says.
	journal := p.glob(id + "/journal.jsonl")[0]
	kept, _ := os.ReadFile(journal)
	os.WriteFile(journal, []byte(strings.ReplaceAll(string(kept), fmt.Sprintf(`"pid":%d`, pid),
		fmt.Sprintf(`"pid":%d`, os.Getpid()))), 0o600)
	if r := p.record(id); r.Get("state").Str != "failed" || r.Get("pid").Exists() {
		t.Errorf("%s", r)
	}
	if _, errs, status := p.run("ua", "stop", id); status != 0 ||
		!strings.Contains(errs, "has already ended") {
		t.Errorf("status %d, %s", status, errs)
	}
	if _, _, status := p.run("ua", "wait", id); status == 0 {
		t.Error("wait for one that was killed has status 0")
	}
}

// TestLiveShell: a session of ua-shell has no driver, only somebody who writes its journal.
func TestLiveShell(t *testing.T) {
	p := newPlace(t, os.Getuid())
	out, errs, _ := p.run("ua-journal", "new")
	id := strings.TrimSpace(out)
	writer := p.command("ua-journal", "append", id)
	line, err := writer.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err, errs)
	}
	io.WriteString(line, `{"type":"run","id":"`+id+`"}`+"\n")
	scripttest.Await(t, "the journal", func() bool {
		return p.record(id).Get("state").Str == "running"
	})
	for _, args := range [][]string{{"stop", "-y", id}, {"send", id, "hello"}} {
		_, errs, status := p.run(append([]string{"ua"}, args...)...)
		if status != 1 || !strings.Contains(errs, "is a session of ua-shell") {
			t.Errorf("%q: status %d, %s", args, status, errs)
		}
	}
	if _, _, status := p.run("ua", "wait", "--time-limit", "50ms", id); status != 124 {
		t.Errorf("wait: status %d", status)
	}
	line.Close()
	writer.Wait()
	if _, errs, status := p.run("ua", "stop", "-y", id); status != 0 ||
		!strings.Contains(errs, "already ended") {
		t.Errorf("after its end: status %d, %s", status, errs)
	}
}

func TestSend(t *testing.T) {
	p := newPlace(t, os.Getuid())
	m := p.model("call: while ! test -e go; do sleep 0.02; done\n---\ntext: heard")
	id := p.begun("listen")
	if _, errs, status := p.run("ua", "send", id, "look", "left"); status != 0 {
		t.Fatal(errs)
	}
	p.write("go", "")
	p.run("ua", "wait", id)
	second, _ := os.ReadFile(filepath.Join(m.Dir, "requests/2"))
	if !strings.Contains(string(second), "look left") {
		t.Errorf("the model was not told: %s", second)
	}
	if _, errs, status := p.run("ua", "send", id, "too late"); status != 1 ||
		!strings.Contains(errs, "ua resume") {
		t.Errorf("to one that has ended: status %d, %s", status, errs)
	}
	if _, _, status := p.run("ua", "send", "the", "mail"); status != 2 {
		t.Errorf("to none: status %d", status)
	}
}

// TestSendAtTheEnd has a message that comes while the model gives its last answer
// heard all the same.
func TestSendAtTheEnd(t *testing.T) {
	p := newPlace(t, os.Getuid())
	m := p.model("call: true\n---\npieces: 200\ndelay: 50ms\ntext: " +
		strings.Repeat("first answer ", 100) + "\n---\ntext: second answer")
	id := p.begun("listen")
	scripttest.Await(t, "the last answer", func() bool { return len(m.Requests()) == 2 })
	p.run("ua", "send", id, "one more thing")
	p.run("ua", "wait", id)
	if out, _, _ := p.run("ua-journal", "answer", id); out != "second answer\n" {
		t.Errorf("%q", out)
	}
}

func TestFork(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "first end", "echo one", "echo two")
	p.run("ua", "count")
	p.recording("main.jsonl", "second end", "echo never", "echo three")
	id := strings.TrimSpace(filepath.Base(p.glob("*")[0]))
	if out, errs, status := p.run("ua", "fork", "--at", "2", id); status != 0 ||
		out != "second end\n" {
		t.Fatalf("status %d, %q, %s", status, out, errs)
	}
	var commands []string
	for _, r := range p.outputs() {
		commands = append(commands, strings.Fields(r.Get("output").Str)[1])
	}
	if fmt.Sprint(commands) != "[one three]" {
		t.Errorf("the fork ran %v", commands)
	}
	if out, errs, status := p.run("ua-journal", "verify", "--all"); status != 0 {
		t.Errorf("%s%s", out, errs)
	}
	if out, _, _ := p.run("ua-journal", "answer", id); out != "first end\n" {
		t.Errorf("the first run now ends with %q", out)
	}
}

// TestLastPlace has two want the last place at once, many times: one gets it.
func TestLastPlace(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.write(filepath.Join(p.home, ".config/ua/config.toml"), "[agents]\nat_once = 1\n")
	p.recording("main.jsonl", "never", "sleep 301")
	for range 5 {
		var wg sync.WaitGroup
		got := make([]string, 2)
		for i := range got {
			wg.Go(func() {
				out, errs, status := p.run("ua", "--bg", "x")
				if got[i] = strings.TrimSpace(out); status != 0 &&
					(status != 75 || !strings.Contains(errs, "[ua:agents-limit now=1 max=1]")) {
					t.Errorf("status %d, %s", status, errs)
				}
			})
		}
		wg.Wait()
		if (got[0] == "") == (got[1] == "") {
			t.Fatalf("the place went to %q", got)
		}
		p.run("ua", "stop", got[0]+got[1])
	}
}

// TestVerbOrTask has words that no verb can mean say so.
func TestVerbOrTask(t *testing.T) {
	p := newPlace(t, os.Getuid())
	if _, errs, status := p.run("ua", "stop", "the", "server"); status != 2 ||
		!strings.Contains(errs, `ua "stop the server"`) {
		t.Errorf("status %d, %s", status, errs)
	}
	p.recording("main.jsonl", "stopped")
	if out, _, _ := p.run("ua", "stop the server"); out != "stopped\n" {
		t.Errorf("%q", out)
	}
}
