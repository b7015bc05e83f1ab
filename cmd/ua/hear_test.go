package main

import (
	"os"
	"strings"
	"testing"

	"ua/internal/common/scripttest"
)

// TestHostRefused: who waits reads once which host a command may not reach, and the option;
// what the sandbox's proxy was asked for stands in the journal.
func TestHostRefused(t *testing.T) {
	scripttest.Need(t, "curl")
	p := newPlace(t, os.Getuid())
	scripttest.NeedTier(t, "3")
	p.recording("main.jsonl", "done", "curl -s http://other.example/; curl -s http://other.example/x")
	_, errs, _ := p.run("ua", "task")
	if strings.Count(errs, "other.example is") != 1 || !strings.Contains(errs,
		"⚠ other.example is not among the allowed hosts (--net-allow)\n") {
		t.Errorf("%s", errs)
	}
	if asked := p.events("net"); len(asked) != 2 || asked[0].Get("host").Str != "other.example" ||
		asked[0].Get("decision").Str != "deny" {
		t.Errorf("%s", asked)
	}
}
