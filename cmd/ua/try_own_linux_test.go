package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestTryOverOwnFiles covers a folder in which ua keeps its own files: a try has none
// of them, neither new nor changed, and is applied.
func TestTryOverOwnFiles(t *testing.T) {
	scripttest.NeedTries(t)
	for _, uid := range users() {
		for name, settings := range map[string]func(p *place) []string{
			"the state": func(p *place) []string {
				return []string{"XDG_STATE_HOME=" + p.cwd + "/state"}
			},
			"the home": func(p *place) []string { return []string{"HOME=" + p.cwd} },
		} {
			p := newPlace(t, uid)
			p.env = append(p.env, settings(p)...)
			for _, file := range []string{"first", "second"} {
				p.recording("main.jsonl", "done", "echo new >"+file)
				_, errs, status := p.run("ua", "--atomic", "task")
				if status != 0 || !strings.Contains(errs, "1 file changed: ua undo") {
					t.Errorf("uid %d, %s: status %d, %s", uid, name, status, errs)
				}
				if _, err := os.Stat(filepath.Join(p.cwd, file)); err != nil {
					t.Errorf("uid %d, %s: %v", uid, name, err)
				}
				if list, errs, _ := p.run("ua-try", "ls", "last"); !strings.HasSuffix(list, "  ua task\n") {
					t.Errorf("uid %d, %s: the list of tries: %s%s", uid, name, list, errs)
				}
			}
		}
	}
}

// TestTryTellsOutside has commands write where the try does not reach: ua names it at
// the end, and not what a sandbox keeps for itself.
func TestTryTellsOutside(t *testing.T) {
	scripttest.NeedTries(t)
	for _, uid := range users() {
		p := newPlace(t, uid)
		dir := filepath.Join(filepath.Dir(p.cwd), "out")
		os.Mkdir(dir, 0o700)
		os.Chown(dir, uid, uid)
		const words = "written outside of the folder can't be taken back: "
		for _, c := range []struct{ command, told string }{
			{"echo x >a; echo x >$TMPDIR/b; mktemp; seq 100000", ""},
			{"echo x >a; echo x >" + dir + "/f", words + dir + "/f\n"},
			{"rm " + dir + "/f", words + dir + "/f\n"},
		} {
			p.recording("main.jsonl", "done", c.command)
			_, errs, status := p.run("ua", "--try", "--write", dir, "task")
			if status != 0 || !strings.Contains(errs, c.told) || c.told == "" &&
				strings.Contains(errs, words) {
				t.Errorf("uid %d, %s: status %d, %s", uid, c.command, status, errs)
			}
		}
	}
}

// TestTriesSideBySide has two runs change the same file at the same time: the one that
// ends first is applied, and the other's apply names both tries.
func TestTriesSideBySide(t *testing.T) {
	scripttest.NeedTries(t)
	for _, uid := range users() {
		p := newPlace(t, uid)
		dir := filepath.Join(filepath.Dir(p.cwd), "out")
		os.Mkdir(dir, 0o700)
		os.Chown(dir, uid, uid)
		p.write("f", "first\n")
		said := map[string]chan string{"a": make(chan string, 1), "b": make(chan string, 1)}
		for me, other := range map[string]string{"a": "b", "b": "a"} {
			p.recording(me+".jsonl", "done", fmt.Sprintf("touch %s/%s; "+
				"until test -e %s/%s; do sleep 0.02; done; echo %s >f", dir, me, dir, other, me))
			go func() {
				cmd := p.command("ua", "--atomic", "--write", dir, "task")
				cmd.Env = append(cmd.Env, "UA_MODEL=replay:"+me+".jsonl")
				out, err := cmd.CombinedOutput()
				said[me] <- fmt.Sprintf("%v\n%s", err, out)
			}()
		}
		one, two := <-said["a"], <-said["b"]
		winner, loser := "a", two
		if !strings.HasPrefix(one, "<nil>") {
			winner, loser, one = "b", one, two
		}
		text, _ := os.ReadFile(filepath.Join(p.cwd, "f"))
		const id = `[0-9]{8}-[0-9]{6}-[0-9a-f]{6}`
		names := regexp.MustCompile(`(?s)/f: changed since, by try (` + id + `).*: (` + id +
			`): nothing was applied: 1 conflict`).FindStringSubmatch(loser)
		if !strings.HasPrefix(one, "<nil>") || !strings.HasPrefix(loser, "exit status 1\n") ||
			string(text) != winner+"\n" || names == nil || names[1] == names[2] {
			t.Errorf("uid %d: %q in the file\n%s\n%s", uid, text, one, loser)
		}
	}
}

// TestStoppedTry: what a run's try has when the run was stopped at once lands by the same
// rules as ever.
func TestStoppedTry(t *testing.T) {
	scripttest.NeedProcesses(t)
	for _, uid := range users() {
		for _, grace := range []string{"0", "1ms"} {
			p := newPlace(t, uid)
			p.repository()
			p.recording("main.jsonl", "never", `echo two >file; printf '#!/bin/sh\ntouch ~/ran\n' >evil
chmod +x evil; git init -q new; for g in .git new/.git; do cp evil $g/hooks/post-index-change
git config -f $g/config core.fsmonitor "$PWD/evil"; done; touch up; sleep 301`)
			id := p.begun("--try", "a long one")
			scripttest.Await(t, "the command", func() bool {
				_, err := os.Stat(filepath.Join(p.newestTry(), "layers/0/upper/up"))
				return err == nil
			})
			p.run("ua", "stop", "-y", "--grace", grace, id)
			// The sandbox takes back what misleads git where it lives long enough; the rest is refused.
			_, errs, status := p.run("ua-try", "apply")
			if status != 0 && !strings.Contains(errs, ": refused: ") {
				t.Errorf("uid %d, %s: status %d, %s", uid, grace, status, errs)
			}
			p.run("ua-try", "apply", "--skip-refused")
			text := p.shell(p.cwd, "cat file; git status --short -uno; git -C new status --short 2>&1; "+
				"git config core.fsmonitor; git -C new config core.fsmonitor; ls ~/ran")
			if !strings.HasPrefix(text, "two\n M file\n") || strings.Contains(text, "evil") ||
				strings.Contains(text, "/ran\n") {
				t.Errorf("uid %d, %s: %s", uid, grace, text)
			}
		}
	}
}
