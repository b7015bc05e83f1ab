package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTryOverOwnFiles covers a folder in which ua keeps its own files: a try has none
// of them, neither new nor changed, and is applied.
func TestTryOverOwnFiles(t *testing.T) {
	for _, uid := range users() {
		for name, settings := range map[string]func(p *place) []string{
			"the state":     func(p *place) []string { return []string{"XDG_STATE_HOME=" + p.cwd + "/state"} },
			"the home":      func(p *place) []string { return []string{"HOME=" + p.cwd} },
			"the audit log": func(p *place) []string { return []string{"UA_AUDIT=" + p.cwd + "/log"} },
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
			}
		}
	}
}

// TestTryTellsOutside has commands write where the try does not reach: ua names it at
// the end, and not what a sandbox keeps for itself.
func TestTryTellsOutside(t *testing.T) {
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
			if status != 0 || !strings.Contains(errs, c.told) || c.told == "" && strings.Contains(errs, words) {
				t.Errorf("uid %d, %s: status %d, %s", uid, c.command, status, errs)
			}
		}
	}
}
