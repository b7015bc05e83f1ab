package main

import (
	"os"
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
