package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestTryBelowARun: a subagent of a run without a try has none, whatever the settings say,
// and one that asks for one is told where it goes. That of a run with a try shares it.
func TestTryBelowARun(t *testing.T) {
	scripttest.NeedTries(t)
	p := newPlace(t, os.Getuid())
	p.recording("a.jsonl", "done", "echo a >a")
	p.recording("main.jsonl", "done", "UA_MODEL=replay:a.jsonl ua --atomic a; echo $?",
		"UA_MODEL=replay:a.jsonl ua a; cat a; ua-try -- true; echo $?")
	if _, errs, status := p.run("ua", "task"); status != 0 {
		t.Fatalf("%d: %s", status, errs)
	}
	out := p.outputs()
	if got := out[0].Get("output").Str; !strings.Contains(got, "can't make a try") ||
		!strings.HasSuffix(got, "\n2\n</terminal_output>") {
		t.Error(got)
	}
	if got := out[1].Get("output").Str; !strings.Contains(got, "a\n") ||
		!strings.HasSuffix(got, "\n126\n</terminal_output>") {
		t.Error(got)
	}
	os.Remove(filepath.Join(p.cwd, "a"))
	_, errs, status := p.run("ua", "--try", "task")
	if _, err := os.Stat(filepath.Join(p.cwd, "a")); status != 0 || err == nil ||
		!strings.Contains(errs, "1 file changed: ua try") {
		t.Errorf("%d: %s", status, errs)
	}
}

// TestTryLevels: what [levels.try] frees is free in the run that the user starts with a try
// and in no other, whatever try a command gives its agent.
func TestTryLevels(t *testing.T) {
	scripttest.NeedTries(t)
	p := newPlace(t, os.Getuid())
	os.MkdirAll(filepath.Join(p.home, ".config/ua"), 0o700)
	os.WriteFile(filepath.Join(p.home, ".config/ua/policy.toml"),
		[]byte("[levels]\ndestructive = \"deny\"\n[levels.try]\ndestructive = \"allow\"\nnetwork = "+
			"\"allow\"\n"+
			"[[allow]]\nrow = [\"ua\", \"env:UA_*\", \"env:UA_MODEL\", \"env:UA_TRY\", "+
			"\"env:UA_DEPTH\"]\n"), 0o600)
	p.recording("a.jsonl", "done", "rm f")
	for _, c := range []struct {
		commands []string
		args     []string
		removed  bool
	}{
		{[]string{"rm f"}, []string{"ua", "task"}, false},
		{[]string{"rm f"}, []string{"ua", "--atomic", "task"}, true},
		{[]string{"UA_MODEL=replay:a.jsonl ua --atomic a"}, []string{"ua", "task"}, false},
		{[]string{"UA_TRY=/x UA_MODEL=replay:a.jsonl ua a"}, []string{"ua", "task"}, false},
		{[]string{"UA_DEPTH=0 UA_MODEL=replay:a.jsonl ua --atomic a"}, []string{"ua", "task"}, false},
	} {
		p.write("f", "kept\n")
		p.recording("main.jsonl", "done", c.commands...)
		_, errs, _ := p.run(c.args...)
		if _, err := os.Stat(filepath.Join(p.cwd, "f")); (err != nil) != c.removed {
			t.Errorf("%q by %q: removed %v\n%s", c.commands, c.args, err != nil, errs)
		}
	}
}
