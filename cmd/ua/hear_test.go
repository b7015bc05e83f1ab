package main

import (
	"os"
	"strings"
	"testing"

	"ua/internal/common/scripttest"
)

// TestHostRefused: who waits reads once which host a command may not reach, and the option.
func TestHostRefused(t *testing.T) {
	scripttest.Need(t, "curl")
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "done", "curl -s http://other.example/; curl -s http://other.example/x")
	_, errs, _ := p.run("ua", "task")
	if r := p.outputs()[0]; r.Get("tier").Int() < 3 {
		scripttest.Skip(t, scripttest.Refused, "tier 2 has no network of its own")
	}
	if strings.Count(errs, "other.example is") != 1 || !strings.Contains(errs,
		"⚠ other.example is not among the allowed hosts (--net-allow)\n") {
		t.Errorf("%s", errs)
	}
}
