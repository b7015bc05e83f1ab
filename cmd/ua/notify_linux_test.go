package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestNotifyBelow: the user's command gets what subagents ask, also those of subagents; ua answer
// answers it.
func TestNotifyBelow(t *testing.T) {
	t.Parallel()
	scripttest.NeedProcesses(t)
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.write("old/f", "x")
		p.write(filepath.Join(p.home, ".config/ua/policy.toml"), "[[ask]]\npattern = \"rm -rf *\"\n")
		p.write(filepath.Join(p.home, ".config/ua/config.toml"), "[ua]\nnotify = \"cat >>$HOME/told\"\n")
		p.recording("lowest.jsonl", "done", "rm -rf old")
		p.recording("sub.jsonl", "done", "ua --ask --model replay:lowest.jsonl task")
		p.recording("main.jsonl", "done", "ua --model replay:sub.jsonl task")
		cmd := p.command("ua", "task")
		cmd.Start()
		told := func() string {
			text, _ := os.ReadFile(filepath.Join(p.home, "told"))
			return string(text)
		}
		scripttest.Await(t, "the question", func() bool { return strings.Contains(told(), "ua answer") })
		list, _, _ := p.run("ua", "asks")
		id, _, _ := strings.Cut(list, " ")
		if !strings.Contains(told(), "rm -rf old\n\nua answer "+id+" yes|no\n") {
			t.Errorf("user %d: %s\n%s", uid, told(), list)
		}
		if _, errs, status := p.run("ua", "answer", id, "yes"); status != 0 {
			t.Error(errs)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(p.cwd, "old")); err == nil || strings.Count(told(),
			"ua answer") != 1 {
			t.Errorf("user %d: not run, or told twice: %s", uid, told())
		}
	}
}
