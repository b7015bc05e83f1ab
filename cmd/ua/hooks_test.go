package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHooks has the hooks of a session see it, and one behind commands change what
// the model sees. The policy is kept elsewhere, and linked to.
func TestHooks(t *testing.T) {
	p := newPlace(t, os.Getuid())
	told := filepath.Join(p.home, "told")
	hook := func(name, say string) string {
		return "[[hooks." + name + "]]\ncommand = [\"sh\", \"-c\", \"cat >/dev/null; echo " + name +
			" >>" + told + "; echo '" + strings.ReplaceAll(say, `"`, `\"`) + "'\"]\n"
	}
	policy := filepath.Join(p.home, "dots/policy.toml")
	p.write(policy, hook("session_start",
		"{}")+hook("session_end", "{}")+hook("subagent_start", "{}")+hook("subagent_stop", "{}")+
		hook("post_exec", `{"decision":"modify","output":"from the hook"}`))
	if err := os.MkdirAll(filepath.Join(p.home, ".config/ua"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(policy, filepath.Join(p.home, ".config/ua/policy.toml")); err != nil {
		t.Fatal(err)
	}
	p.recording("main.jsonl", "done", "ua --model replay:sub.jsonl part")
	p.recording("sub.jsonl", "part done")
	if out, errs, status := p.run("ua", "task"); status != 0 || out != "done\n" {
		t.Fatalf("status %d, %q, %s", status, out, errs)
	}
	if got, _ := os.ReadFile(told); strings.Join(strings.Fields(string(got)),
		" ") != "session_start post_exec subagent_start subagent_stop session_end" &&
		strings.Join(strings.Fields(string(got)),
			" ") != "session_start subagent_start post_exec subagent_stop session_end" {
		t.Errorf("told: %s", got)
	}
	if r := p.outputs()[0]; r.Get("output").Str != "from the hook" {
		t.Errorf("%s", r)
	}
	p.write(policy,
		hook("session_start", `{"decision":"deny","reason":"not today"}`))
	out, errs, status := p.run("ua", "task")
	if status != 1 || out != "" || !strings.Contains(errs, "a hook refuses the session: not today") {
		t.Errorf("status %d, %q, %s", status, out, errs)
	}
	kept, _, _ := p.run("ua-journal", "cat", "last")
	if !strings.Contains(kept, `"type":"summary"`) ||
		!strings.Contains(kept, `"exit_code":1`) {
		t.Errorf("%s", kept)
	}
}

// TestHookBeforeModel has a hook behind commands take something out of a result before the
// model, the journal or the screen get it.
func TestHookBeforeModel(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.write(filepath.Join(p.home, ".config/ua/policy.toml"),
		"[[hooks.post_exec]]\ncommand = [\"sh\", \"-c\", "+
			`"cat >/dev/null; echo '{\"decision\":\"modify\",\"output\":\"3 patients\"}'"]`+"\n")
	m := p.model("call: echo Jane Doe, $((40 + 2)) years\n---\ntext: done")
	if out, errs, status := p.run("ua", "count them"); status != 0 || out != "done\n" {
		t.Fatalf("status %d, %q, %s", status, out, errs)
	}
	requests := m.Requests()
	last, err := os.ReadFile(requests[len(requests)-1])
	if err != nil || len(requests) != 2 || !strings.Contains(string(last), "3 patients") ||
		strings.Contains(string(last), "42 years") {
		t.Errorf("%d requests, %v: %s", len(requests), err, last)
	}
	kept, _, _ := p.run("ua-journal", "cat", "last")
	if !strings.Contains(kept, "3 patients") || strings.Contains(kept, "42 years") {
		t.Errorf("the journal keeps %s", kept)
	}
}
