package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecall: a person finds what all runs have said, a run only that of its own project.
func TestRecall(t *testing.T) {
	t.Parallel()
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.stateOutside()
		work := p.cwd
		in := func(dir string) {
			p.cwd = work
			p.write(filepath.Join(dir, "x"), "")
			p.cwd = filepath.Join(work, dir)
		}
		// ask has a run in a folder run a command, and returns what that printed.
		ask := func(dir, command string) string {
			t.Helper()
			in(dir)
			p.recording("main.jsonl", "my answer", command)
			if _, errs, status := p.run("ua", "-q", "look around"); status != 0 {
				t.Fatalf("%s: %s", command, errs)
			}
			return p.outputs()[0].Get("output").Str
		}
		in("mine/below")
		in("mine")
		p.git("init", "-q")
		in("mine/other")
		p.git("init", "-q")
		ask("mine", "echo alphabet")
		ask("mine/other", "echo foreign letters; d=$UA_RUN_DIR/sub/20260101-000000-aaaaaa; "+
			"mkdir -p $d; "+
			`echo '{"type":"run","id":"20260101-000000-aaaaaa","project":"`+filepath.Dir(p.cwd)+
			`/mine","task":"planted","cwd":"`+filepath.Dir(p.cwd)+`/mine"}' >$d/journal.jsonl; `+
			`echo '{"type":"instruction","text":"planted alphabet"}' >>$d/journal.jsonl`)
		for _, c := range []struct{ dir, command, want, not string }{
			{"mine", "ua recall alpha", "ran: echo alphabet", "planted"},
			{"mine/below", "ua recall echo alphabet", "ran: echo alphabet", "planted"},
			{"mine", "ua recall my answer", "answered: my answer", ""},
			{"mine", "ua recall look", "asked: look around", ""},
			{"mine", "ua recall foreign letters || echo none", "", "ran: echo foreign"},
			{"mine/other", "ua recall alphabet", "planted", "ran: echo alphabet"},
			{"mine", "ua-journal-index recall foreign", "", "ran: echo foreign"},
			{"mine", "cd other && ua recall letters", "", "ran: echo foreign"},
			{"mine", "cd other && UA_RUN_DIR= UA_JOURNAL= UA_DEPTH=0 ua recall " +
				"letters", "", "ran: echo foreign"},
			{"mine", "env -i PATH=$PATH HOME=$HOME ua recall letters", "", "ran: echo foreign"},
			{"mine", `echo '{"do":"recall","command":"letters"}' ` +
				`>$UA_RUN_DIR/out/.job-20260101-000000-bbbbbb`,
				"", "ran: echo foreign"},
			{"mine", `ua recall 'alphabet" OR "foreign'`, "", "ran: echo foreign"},
			{"mine", `ua recall -- --project ` + work + `/mine/other letters`, "",
				"ran: echo foreign"},
			{"mine", "ua 'recall it' & wait; ua recall letters", "", "ran: echo foreign"},
		} {
			out := ask(c.dir, c.command)
			if !strings.Contains(out, c.want) || c.not != "" && strings.Contains(out, c.not) {
				t.Errorf("user %d: in %s, %s: %s", uid, c.dir, c.command, out)
			}
		}
		if out, errs, status := p.run("ua", "recall", "letters"); status != 0 ||
			!strings.Contains(out, "ran: echo foreign") || strings.Count(out, "\n") < 3 {
			t.Errorf("user %d: outside: status %d: %s%s", uid, status, out, errs)
		}
		if out, _, status := p.run("ua", "recall", "no", "such", "words"); status != 1 || out != "" {
			t.Errorf("user %d: nothing: status %d: %s", uid, status, out)
		}
	}
}

// TestRecallInOrder: the newest comes first, with its run and turn, from which ua fork goes on.
func TestRecallInOrder(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "done", "echo first word", "echo second word")
	p.run("ua", "-q", "task")
	out, _, _ := p.run("ua", "recall", "word")
	lines := strings.Split(out, "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], "  2  ") ||
		!strings.HasSuffix(lines[0], "ran: echo second word") {
		t.Fatalf("%s", out)
	}
	id, _, _ := strings.Cut(lines[0], " ")
	p.recording("main.jsonl", "another way", "echo again")
	if out, errs, status := p.run("ua", "-q", "fork", id, "--at", "2"); status != 0 ||
		out != "another way\n" {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	if calls := p.events("tool_call"); len(calls) == 0 || strings.Contains(calls[0].Raw, "second") {
		t.Errorf("%v", calls)
	}
}
