package main

import (
	"os"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
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
		"⚠ other.example is not among the allowed hosts (--net-allow other.example)\n") {
		t.Errorf("%s", errs)
	}
	if asked := p.events("net"); len(asked) != 2 || asked[0].Get("host").Str != "other.example" ||
		asked[0].Get("decision").Str != "deny" {
		t.Errorf("%s", asked)
	}
}

// TestFloodOfNotices has a command ask for many hosts that are refused, and plant much
// that is moved aside: the model and the person read of some, and that there may be more;
// the journal has all.
func TestFloodOfNotices(t *testing.T) {
	scripttest.Need(t, "curl", "git")
	for _, uid := range users() {
		p := newPlace(t, uid)
		scripttest.NeedTier(t, "3")
		p.recording("main.jsonl", "done", "curl -s 'http://h[1-40].example/'; echo asked",
			"for i in $(seq 40); do git init -q r$i; git -C r$i config core.fsmonitor x; done; "+
				"sleep 2; echo planted",
			"echo seen")
		_, errs, _ := p.run("ua", "task")
		more := 0
		for _, m := range p.events("message") {
			more += strings.Count(m.Get("text").Str, "If there are more")
		}
		// What comes behind the end of its command counts in the turn after it.
		shown := strings.Count(errs, "--net-allow")
		if len(p.events("net")) != 40 || shown < 8 || shown > 16 || len(p.events("guarded")) < 40 ||
			len(p.events("message")) > 28 || more < 1 || !strings.Contains(errs, "If there are more") {
			t.Errorf("uid %d: %d, %s\n%s", uid, more, p.events("message"), errs)
		}
	}
}
