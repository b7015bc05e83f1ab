package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestForkFiles: a fork of a run with a try has the files of the turn that it begins at, and
// neither the folder nor the other try changes.
func TestForkFiles(t *testing.T) {
	scripttest.NeedTries(t)
	for _, uid := range users() {
		p := newPlace(t, uid)
		for _, name := range []string{"old", "dir/a", "dir/b"} {
			p.write(name, name)
		}
		p.recording("main.jsonl", "done", "echo 1 >new; rm old; rm -r dir; mkdir dir; echo c >dir/c",
			"cat new", "echo 2 >new; rm -r dir; ln -s new link; echo back >old", "echo 3 >new")
		if _, said, status := p.run("ua", "--try", "task"); status != 0 {
			t.Fatalf("user %d: %s", uid, said)
		}
		fork := func(turns int, want string, args ...string) {
			t.Helper()
			p.recording("main.jsonl", "done", append(slices.Repeat([]string{"true"}, turns),
				"echo $(cat new) . $(cat old) . $(ls dir) . $(readlink link); echo more >>new")...)
			if _, said, status := p.run(append([]string{"ua", "fork"}, args...)...); status != 0 {
				t.Errorf("user %d: %s: %s", uid, args, said)
			}
			out := p.outputs()
			if got := out[len(out)-1].Get("output").Str; !strings.Contains(got, "\n"+want+"\n") {
				t.Errorf("user %d: %s: %q, want %q", uid, args, got, want)
			}
		}
		id := filepath.Base(p.glob("*-*")[0])
		fork(0, ". old . a b .", id, "--at", "1")
		fork(1, "1 . . c .", id, "--at", "2")
		fork(2, "1 . . c .", id, "--at", "3")
		fork(3, "2 . back . . new", id, "--at", "4")
		fork(2, "1 . . c .", "last", "--at", "3") // the fork of a fork, before it began
		fork(3, "1 more . . c .", "last", "--at", "4")
		fork(5, "3 . back . . new", id, "x")
		other := filepath.Join(p.cwd, "planted") // where commands can write
		exec.Command("cp", "-a", p.glob(id)[0], other).Run()
		fork(1, ". old . a b .", other, "--try", "--at", "2")
		fork(1, "1 . . c .", id, "--at", "2")
		os.RemoveAll(other)
		if _, said, status := p.run("ua", "try", "apply", "last"); status != 0 {
			t.Errorf("user %d: %s", uid, said)
		}
		if text, err := os.ReadFile(filepath.Join(p.cwd, "new")); string(text) != "1\nmore\n" {
			t.Errorf("user %d: applied: %q %v", uid, text, err)
		}
	}
}

// TestForkOfMuch: copies of a try take no more than a bound of the disk, and that is said.
func TestForkOfMuch(t *testing.T) {
	scripttest.NeedTries(t)
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "done", "truncate -s 600M big", "rm big; echo 1 >new", "cat new")
	_, said, status := p.run("ua", "--try", "task")
	if status != 0 || !strings.Contains(said, "the files before turn 2 are not kept: all copies") ||
		strings.Contains(said, "turn 3 are") {
		t.Errorf("%d %s", status, said)
	}
	p.recording("main.jsonl", "done", "true", "true", "cat new")
	if _, said, status := p.run("ua", "fork", "last", "--at", "2"); status == 0 {
		t.Errorf("a fork without files: %s", said)
	}
	if _, said, status := p.run("ua", "fork", p.glob("*-*")[0], "--at", "3"); status != 0 {
		t.Errorf("%s", said)
	}
}
