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
