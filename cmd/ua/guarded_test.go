package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// TestGuardedEvents has commands make what git would obey, while the run goes on and with
// its last command: the journal has it, the model hears of it, ua log shows it.
func TestGuardedEvents(t *testing.T) {
	scripttest.Need(t, "git")
	for _, uid := range users() {
		p := newPlace(t, uid)
		if out, err := exec.Command("git", "init", "-q", p.cwd).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		exec.Command("chown", "-R", "--reference", p.home, p.cwd).Run()
		p.recording("main.jsonl", "done", "echo x >.git/commondir", "true",
			"git init -q new; git -C new config core.fsmonitor x")
		if _, errs, status := p.run("ua", "task"); status != 0 {
			t.Fatalf("uid %d: status %d, %s", uid, status, errs)
		}
		text, _, _ := p.run("ua-journal", "cat", "last")
		states, heard := map[string]string{}, 0
		for line := range strings.Lines(text) {
			switch r := gjson.Parse(line); r.Get("type").Str {
			case "guarded":
				states[strings.TrimPrefix(r.Get("path").Str, p.cwd)] = r.Get("state").Str + " " +
					r.Get("reason").Str + " " + r.Get("option").Str
			case "message": // of what the look at the end finds there may be one
				if strings.Contains(line, "commondir") {
					t.Errorf("uid %d: %s", uid, line)
				}
			case "tool_result":
				if strings.Contains(r.Get("output").Str, "/.git/commondir (") {
					heard++
				}
			}
		}
		if s := states["/.git/commondir"]; !strings.HasPrefix(s, "refused ") ||
			!strings.HasSuffix(s, " --write "+p.cwd+"/.git/commondir") || heard != 1 {
			t.Errorf("uid %d: %q, heard %d times", uid, s, heard)
		}
		if s := states["/new/.git/config"]; !strings.Contains(s, "core.fsmonitor") {
			t.Errorf("uid %d: %q in %s", uid, s, text)
		}
		for _, verb := range [][]string{{"ua", "log"}, {"ua-journal", "show", "last"}} {
			if out, _, _ := p.run(verb...); strings.Count(out, "⚠ \"") != 2 {
				t.Errorf("uid %d: %s: %s", uid, verb, out)
			}
		}
		if _, err := os.Stat(filepath.Join(p.cwd, "new/.git/config.refused")); err != nil {
			t.Errorf("uid %d: %v", uid, err)
		}
	}
}
