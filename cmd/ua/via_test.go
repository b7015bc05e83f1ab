package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// TestVia has an engine, here a shell, run the whole agent: what it did, how it ended
// and what it could not do are in the journal here.
func TestVia(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "it's \"done\"", "echo hi >made; cat made")
	p.recording("fails.jsonl", "no", "touch made; sudo true")
	moreutils := filepath.Join(p.home, "bin")
	os.Mkdir(moreutils, 0o755)
	os.WriteFile(filepath.Join(moreutils, "parallel"), []byte("#!/bin/sh\necho \"$0: invalid option"+
		" -- '-'\" >&2\nexit 1\n"), 0o755)
	for _, c := range []struct {
		engine, stdin string
		args          []string
		out, errs     string // "": nothing of it, on stderr
		state         string
		status        int
	}{
		{"env", "", []string{"it's", `a "task"`}, "it's \"done\"\n", "", "completed", 0},
		{"X='a b' nice", "", []string{"-o", "answer", "x"}, "", "", "completed", 0},
		{"env", "the task", nil, "it's \"done\"\n", "", "completed", 0},
		{"env", "data\nmore", []string{"why?", "-"}, "it's \"done\"\n", "", "completed", 0},
		{"env", "", []string{"--model", "replay:fails.jsonl", "x"}, "no\n", "last command was denied",
			"failed", 1},
		{"env", "", []string{"--no-such", "x"}, "", "unknown option", "", 2},
		{"env", "", []string{"--model", "replay:none", "x"}, "", "none", "failed", 2},
		{filepath.Join(p.home, "bin/parallel"), "", []string{"x"}, "", "is not GNU parallel", "", 2},
		{"nice " + filepath.Join(p.home, "bin/parallel"), "", []string{"x"}, "", "install GNU parallel",
			"", 2},
		{"no-such-engine", "", []string{"x"}, "", "not found", "failed", 127},
		{"echo oops >&2; exit 255;", "", []string{"x"}, "", "before its run had begun: oops", "failed",
			75},
		{"kill -9 $$;", "", []string{"x"}, "", "killed by signal 9", "failed", 75},
		{"echo junk; echo '{\"type\":\"run\"}'; exit 3;", "", []string{"x"}, "",
			"before its run had ended", "failed", 75},
		{"env", "", []string{"--time-limit", "100ms", "--think", "sleep 60", "x"}, "", "time limit",
			"timeout", 124},
	} {
		before := len(p.glob("*/journal.jsonl"))
		cmd := p.command(append([]string{"ua", "-q", "--via", c.engine}, c.args...)...)
		cmd.Stdin = strings.NewReader(c.stdin)
		var errs strings.Builder
		cmd.Stderr = &errs
		out, _ := cmd.Output()
		if status := cmd.ProcessState.ExitCode(); status != c.status || string(out) != c.out ||
			!strings.Contains(errs.String(), c.errs) {
			t.Errorf("%s %q: status %d, %q, %s", c.engine, c.args, status, out, &errs)
		}
		if c.state == "" {
			if len(p.glob("*/journal.jsonl")) != before {
				t.Errorf("%s %q: a run was begun", c.engine, c.args)
			}
			continue
		}
		var found gjson.Result
		list, _, _ := p.run("ua", "ps", "--all", "--json")
		for line := range strings.Lines(list) {
			text, _ := os.ReadFile(gjson.Get(line, "journal").Str)
			if strings.Contains(string(text), `"via":`) {
				found = gjson.Parse(line)
			}
		}
		if found.Get("state").Str != c.state {
			t.Errorf("%s %q: %s", c.engine, c.args, found)
		}
	}
	if text, err := os.ReadFile(filepath.Join(p.cwd, "answer")); err != nil ||
		string(text) != "it's \"done\"\n" {
		t.Errorf("-o: %q %v", text, err)
	}
}

// TestViaKilled kills the one side and the other: nothing goes on, and what is kept
// says how it ended.
func TestViaKilled(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		p := newPlace(t, os.Getuid())
		s := sleeper(20)
		p.recording("main.jsonl", "never", "touch ready; "+strings.Join(s, " "))
		id := p.begun("--via", "env", "x")
		scripttest.Await(t, "the command", func() bool { return working(s) })
		p.run("ua", "send", id, "hello")
		syscall.Kill(int(p.record(id).Get("pid").Int()), sig)
		scripttest.Await(t, "its end", func() bool {
			return !working(s) && p.record(id).Get("pid").Int() == 0
		})
		want := map[syscall.Signal]string{syscall.SIGTERM: "cancelled", syscall.SIGKILL: "failed"}[sig]
		if r := p.record(id); r.Get("state").Str != want {
			t.Errorf("%v: %s", sig, r)
		}
	}
}

// TestViaSend: nobody takes messages for a run that an engine does elsewhere, and who sends one
// is told where they are taken.
func TestViaSend(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "never", "touch ready; sleep 300")
	id := p.begun("--via", "env", "x")
	scripttest.Await(t, "the command", func() bool {
		_, err := os.Stat(filepath.Join(p.cwd, "ready"))
		return err == nil
	})
	_, errs, status := p.run("ua", "send", id, "look", "left")
	if status != 1 || !strings.Contains(errs, "messages can't reach its agent, which env runs") ||
		!strings.Contains(errs, "ua send 20") {
		t.Errorf("status %d, %s", status, errs)
	}
	p.run("ua", "stop", "-y", id)
}
