package main

import (
	"os"
	"os/exec"
	"path/filepath"
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
