package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/run"
)

// TestResumedFolder has a command of one run put a link in the place of the folder of another.
// That run does not go on where the link leads, unless the person names the folder; a link on
// the person's own way there, when the run began, does no harm.
func TestResumedFolder(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		answers := func(folder string, commands ...string) {
			p.recording(filepath.Join(folder, "main.jsonl"), "done", commands...)
		}
		sub, own := filepath.Join(p.cwd, "sub"), filepath.Join(p.home, "own")
		answers(sub)
		if err := os.Symlink(p.cwd, own); err != nil {
			t.Fatal(err)
		}
		first := p.command("ua", "first")
		first.Dir, first.Env = filepath.Join(own, "sub"), append(p.env, "PWD="+own+"/sub")
		if out, err := first.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		runs, _ := run.List(filepath.Join(p.home, ".local/state/ua/runs"))
		answers(sub, "true", "touch here")
		if _, errs, status := p.run("ua", "resume", runs[0].ID, "again"); status != 0 {
			t.Fatalf("uid %d: %s", uid, errs)
		}
		answers(sub, "true")
		p.write("other/x", "")
		with := p.command("ua", "--write", "../other", "with another")
		with.Dir = sub
		if out, err := with.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		list, _ := run.List(filepath.Join(p.home, ".local/state/ua/runs"))
		answers(p.cwd, "rm -r other; ln -s ../home other")
		p.run("ua", "between")
		answers(sub, "true", "touch ../other/evil")
		_, errs, _ := p.run("ua", "resume", list[0].ID, "again")
		if _, err := os.Stat(filepath.Join(p.home, "evil")); err == nil ||
			!strings.Contains(errs, "does not hold any more") {
			t.Errorf("uid %d: --write went on in the home: %s", uid, errs)
		}
		answers(p.cwd, "mv sub old; ln -s ../home sub")
		p.run("ua", "second")
		answers(p.home, "true", "touch here", "true", "touch evil")
		_, errs, status := p.run("ua", "resume", runs[0].ID, "again")
		if status != 2 || !strings.Contains(errs, `a link leads to "`+p.home+`"`) ||
			!strings.Contains(errs, "-C") {
			t.Errorf("uid %d: status %d, %s", uid, status, errs)
		}
		if _, err := os.Stat(filepath.Join(p.home, "evil")); err == nil {
			t.Errorf("uid %d: it went on in the home", uid)
		}
		answers(filepath.Join(p.cwd, "old"), "true", "true", "true")
		_, errs, status = p.run("ua", "resume", "-C", p.cwd+"/old", runs[0].ID, "again")
		if status != 0 {
			t.Errorf("uid %d: status %d, %s", uid, status, errs)
		}
	}
}
