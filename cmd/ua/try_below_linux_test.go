package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ua/internal/common/scripttest"
)

// TestTriesBelowARun has agents of a run without a try have tries of their own: what one
// changes neither the run nor another sees before it is applied, and of two that changed
// the same file the second apply names both.
func TestTriesBelowARun(t *testing.T) {
	scripttest.NeedTries(t)
	for _, uid := range users() {
		p := newPlace(t, uid)
		dir := filepath.Join(filepath.Dir(p.cwd), "out")
		os.Mkdir(dir, 0o700)
		os.Chown(dir, uid, uid)
		p.write("f", "first\n")
		p.recording("a.jsonl", "done", "cat f; echo a >f; echo one >a")
		p.recording("b.jsonl", "done", "touch "+dir+"/began; until test -e "+dir+
			"/go; do sleep 0.02; done; "+
			"echo b >f; touch b")
		p.recording("middle.jsonl", "middle", "rm a; UA_MODEL=replay:a.jsonl ua --atomic lowest; cat a")
		calls := []struct{ command, want string }{
			{"UA_MODEL=replay:b.jsonl ua --atomic --write " + dir + " b & until test -e " + dir +
				"/began; do sleep 0.02; " +
				"done; UA_MODEL=replay:a.jsonl ua --atomic a; echo a: $?; cat f a; touch " + dir +
				"/go; wait $!; " +
				"echo b: $?; ls b; cat f",
				`ua: 2 files changed, applied: ua-try undo (ID)\na: 0\na\none\n.*/f: changed since, by try ` +
					`ID\n` +
					`.*ua-try: ID: nothing was applied: 1 conflict\n.*ua: 2 files changed, not applied: ua-try ` +
					`apply ID\n` +
					`b: 1\nls: .*'b'.*\na\n`},
			{"ua-try ls", "ID .* applied .*\nID .* kept .*\n"},
			{"ua try apply --force $(ua-try ls | awk '/ kept / { print $1 }'); cat f",
				"ua-try: 2 files applied: ua-try undo takes it back\nb\n"},
			{"ua-try undo; cat f", "ua-try: 2 files taken back\na\n"},
			{"ua-try -- sh -c 'pwd; echo x >made'; ls made", p.cwd +
				"\nua-try: 1 file changed: .*ls: .*'made'.*"},
			{"UA_MODEL=replay:middle.jsonl ua middle", ".*\nmiddle\n"},
		}
		var commands []string
		for _, c := range calls {
			commands = append(commands, c.command)
		}
		p.recording("main.jsonl", "done", commands...)
		_, errs, status := p.run("ua", "--write", dir, "task")
		out := p.outputs()
		if status != 0 || len(out) != len(calls) {
			t.Fatalf("uid %d: status %d\n%s", uid, status, errs)
		}
		for i, c := range calls {
			want := regexp.MustCompile("(?s)" + strings.ReplaceAll(c.want, "ID",
				"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}"))
			if got := out[i].Get("output").Str; !want.MatchString(got) {
				t.Errorf("uid %d: %s\n%s", uid, c.command, got)
			}
		}
		if text, _ := os.ReadFile(filepath.Join(p.cwd, "a")); string(text) != "one\n" {
			t.Errorf("uid %d: of the lowest agent: %q\n%s", uid, text, errs)
		}
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
