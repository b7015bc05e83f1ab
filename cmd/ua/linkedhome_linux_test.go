package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinkedHome has the home, or the state folder, lie behind a link in /tmp, which
// commands do not see: a first run there works, and HOME leads to the home.
func TestLinkedHome(t *testing.T) {
	for _, uid := range users() {
		for _, name := range []string{"HOME", "XDG_STATE_HOME"} {
			p := newPlace(t, uid)
			link := filepath.Dir(p.home) + "-link"
			if err := os.Symlink(p.home, link); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Remove(link) })
			p.write(p.home+"/note", "seen\n")
			p.env = append(p.env, name+"="+link)
			p.recording("main.jsonl", "done", "cat ~/note && touch made")
			if _, errs, status := p.run("ua", "task"); status != 0 {
				t.Errorf("uid %d, %s: status %d: %s", uid, name, status, errs)
			} else if out := p.outputs(); !strings.Contains(out[0].Get("output").Str, "\nseen\n") ||
				out[0].Get("exit_code").Int() != 0 {
				t.Errorf("uid %d, %s: %v", uid, name, out)
			}
		}
	}
}
