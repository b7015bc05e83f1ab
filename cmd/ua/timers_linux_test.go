package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTimers: stages have coarse timers and wait without blocking; what they start for the
// model and the user, in and out of the sandbox, has the timers of every other program.
func TestTimers(t *testing.T) {
	const ask = "cat /proc/self/timerslack_ns"
	p := newPlace(t, os.Getuid())
	hook, stage := filepath.Join(p.home, "hook"), filepath.Join(p.home, "stage")
	p.write(filepath.Join(p.home, ".config/ua/policy.toml"),
		"[[hooks.pre_exec]]\ncommand = ['sh', '-c', '"+ask+" >"+hook+"; echo {}']\n")
	p.recording("main.jsonl", "done", ask, "sleep 0.3; "+ask, "sh -c '"+ask+"' & wait")
	own := ask + " >" + stage + "; exec ua-think"
	if _, errs, status := p.run("ua", "--think", own, "task"); status != 0 {
		t.Fatal(errs)
	}
	results := p.outputs()
	if len(results) != 3 {
		t.Fatalf("%d results", len(results))
	}
	for _, r := range results {
		if !strings.Contains(r.Get("output").Str, "\n50000\n") {
			t.Errorf("a command: %s", r.Raw)
		}
	}
	for _, name := range []string{hook, stage} {
		if text, err := os.ReadFile(name); string(text) != "50000\n" {
			t.Errorf("%s: %q, %v", filepath.Base(name), text, err)
		}
	}
}
