package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHomeAsFolder has the home be the working folder, of a run and of its subagent: what
// runs by itself later is as it was, and all else can be written.
func TestHomeAsFolder(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.cwd = p.home
		p.write(".bashrc", "mine\n")
		p.write(".config/systemd/user/a.service", "mine\n")
		plant := "for f in .bashrc .profile .zshrc .gitconfig .config/systemd/user/b.service " +
			".config/autostart/c .local/bin/ls; do " +
			"mkdir -p ${f%/*} 2>/dev/null; echo evil >>$f; done 2>/dev/null; " +
			"mv .bashrc b 2>/dev/null; echo evil 2>/dev/null >.bashrc; "
		p.recording("sub.jsonl", "done", plant+"echo sub >by-sub")
		p.recording("main.jsonl", "done", plant+"echo main >by-main; ua --model replay:sub.jsonl sub")
		_, errs, status := p.run("ua", "task")
		kept := map[string]string{".bashrc": "mine\n", "by-main": "main\n",
			"by-sub": "sub\n", ".config/systemd/user/a.service": "mine\n"}
		warning := "commands may write all of " + p.home + " but"
		if strings.Contains(errs, "tier 2") { // where ua's runs lie nothing new is made
			warning, kept["by-main"], kept["by-sub"] = "commands can make no new files in "+p.home, "", ""
		}
		if status != 0 || strings.Count(errs, warning) != 1 {
			t.Fatalf("uid %d: status %d, %s", uid, status, errs)
		}
		for name, want := range kept {
			if text, err := os.ReadFile(filepath.Join(p.home, name)); string(text) != want {
				t.Errorf("uid %d: %s is %q: %v", uid, name, text, err)
			}
		}
		_ = filepath.WalkDir(p.home, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "runs" {
				return filepath.SkipDir // the record quotes the commands
			}
			text, _ := os.ReadFile(path)
			if strings.HasPrefix(string(text), "evil") && !strings.Contains(path, ".refused") {
				t.Errorf("uid %d: %s is made", uid, path)
			}
			return nil
		})
	}
}

// TestHomeIsNamed says once what commands may write where that is the home or holds it, and
// nothing where it is less.
func TestHomeIsNamed(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "done", "true")
	p.recording("words.jsonl", "done")
	recording := "--model=replay:" + filepath.Join(p.cwd, "main.jsonl")
	for _, c := range []struct {
		dir  string
		args []string
		want int
	}{
		{p.home, nil, 1}, {filepath.Dir(p.home), nil, 1}, {p.cwd, nil, 0}, {p.home, []string{"-q"}, 0},
		{p.home, []string{"--profile", "read-only"}, 0},
		{p.home, []string{"--model", "nope/x"}, 0}, // it fails before the first request
		{p.home, []string{"--model", "replay:" + filepath.Join(p.cwd, "words.jsonl")}, 0},
	} {
		p.cwd = c.dir
		_, errs, _ := p.run(append([]string{"ua", recording}, append(c.args, "task")...)...)
		if strings.Count(errs, "run ua in a project's folder") != c.want {
			t.Errorf("%s %q: %s", c.dir, c.args, errs)
		}
	}
}
