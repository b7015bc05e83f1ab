package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a subagent leaves behind to hurt its parent is told of and ends there.
func TestAdoptHostile(t *testing.T) {
	home := t.TempDir()
	os.Chmod(home, 0o700)
	t.Setenv("UA_AUDIT", filepath.Join(home, "audit.jsonl"))
	t.Setenv("UA_DEPTH", "")
	end := `{"type":"audit"}` + "\n" + `{"type":"subagent","state":"end","id":"x"}` + "\n" + `{"type":"tool_call","id":"` + strings.Repeat("i", 9000) + `"}` + "\n"
	for name, make := range map[string]func(child string) error{
		"a loop of folders": func(child string) error {
			os.MkdirAll(child, 0o700)
			os.Symlink("..", filepath.Join(child, "sub"))
			return os.WriteFile(filepath.Join(child, "journal.jsonl"), []byte(end), 0o600)
		},
		"a link": func(child string) error {
			os.MkdirAll(child, 0o700)
			return os.Symlink("/etc/passwd", filepath.Join(child, "journal.jsonl"))
		},
		"a folder": func(child string) error { return os.MkdirAll(filepath.Join(child, "journal.jsonl"), 0o700) },
		"a huge file": func(child string) error {
			os.MkdirAll(child, 0o700)
			os.WriteFile(filepath.Join(child, "journal.jsonl"), nil, 0o600)
			return os.Truncate(filepath.Join(child, "journal.jsonl"), 1<<40)
		},
	} {
		dir := filepath.Join(home, "run")
		os.RemoveAll(dir)
		os.Remove(auditPath())
		if err := make(filepath.Join(dir, "sub", "x")); err != nil {
			t.Fatal(err)
		}
		a, _, err := newAuditor(filepath.Join(dir, "journal.jsonl"), 0)
		if err != nil {
			t.Fatal(err)
		}
		line := []byte(`{"type":"subagent","state":"end","id":"x"}`)
		if _, err := a.add([]piece{{line: line, entry: a.entry(line)}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		a.close()
		log, _ := os.ReadFile(auditPath())
		if n := strings.Count(string(log), `"type":"unheard"`); n != 1 {
			t.Errorf("%s: told of %d times:\n%.1000s", name, n, log)
		}
		for line := range strings.Lines(string(log)) {
			if len(line) >= auditMax {
				t.Errorf("%s: a line of %d bytes", name, len(line))
			}
		}
	}
}
