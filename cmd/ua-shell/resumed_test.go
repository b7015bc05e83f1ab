package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ua/internal/test/scripttest"
)

// TestResumedSession goes on with a session's conversation by ua resume: it has the model,
// the profile and the budget of the session, and only an option that says so widens them.
func TestResumedSession(t *testing.T) {
	a := askWith(t, "bash", "text: hello\n---\ncall: touch made\n---\ntext: done\n---\n"+
		"call: touch made\n---\ntext: done",
		[]string{"--sandbox", "read-only", "--budget-tokens", "100000", "-m", "anthropic/fake"})
	a.turn("# hello")
	options := a.journal("run")[0].Get("options")
	if options.Get("profile").Str != "read-only" || !options.Get("ask").Bool() ||
		options.Get("budget_tokens").Int() != 100000 || options.Get("model").Str != "anthropic/fake" {
		t.Errorf("the run event has %s", options)
	}
	a.send("exit\r")
	journals, _ := filepath.Glob(filepath.Join(a.home, ".local/state/ua/runs/*/journal.jsonl"))
	a.until("end of the session", func() bool { return closed(a.done) })
	for _, c := range []struct {
		options []string
		made    bool
	}{
		{nil, false},
		{[]string{"--profile", "workspace", "--no-ask"}, true},
	} {
		cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua"), append(append([]string{"resume",
			filepath.Dir(journals[0])}, c.options...), "again")...)
		cmd.Dir, cmd.Env = a.home, append(a.cmd.Env, "UA_MODEL=openai/dearer")
		said, _ := cmd.CombinedOutput()
		_, err := os.Stat(filepath.Join(a.work, "made"))
		if (err == nil) != c.made {
			t.Errorf("%v: made %v, %s", c.options, err == nil, said)
		}
	}
}

// closed reports whether the channel is closed.
func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
