package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/run"
)

// What a subagent leaves behind to hurt its parent is told of and ends there.
func TestAdoptHostile(t *testing.T) {
	home := t.TempDir()
	os.Chmod(home, 0o700)
	t.Setenv("UA_AUDIT", filepath.Join(home, "audit.jsonl"))
	t.Setenv("UA_DEPTH", "")
	end := `{"type":"audit"}` + "\n" + `{"type":"subagent","state":"end","id":"x"}` + "\n" +
		`{"type":"tool_call","id":"` + strings.Repeat("i", 9000) + `"}` + "\n"
	for name, make := range map[string]func(child string) error{
		"a loop of folders": func(child string) error {
			os.MkdirAll(child, 0o700)
			os.Symlink("..", filepath.Join(child, "sub"))
			return os.WriteFile(filepath.Join(child, run.JournalFile), []byte(end), 0o600)
		},
		"a link": func(child string) error {
			os.MkdirAll(child, 0o700)
			return os.Symlink("/etc/passwd", filepath.Join(child, run.JournalFile))
		},
		"a folder": func(child string) error {
			return os.MkdirAll(filepath.Join(child, run.JournalFile), 0o700)
		},
		"a huge file": func(child string) error {
			os.MkdirAll(child, 0o700)
			os.WriteFile(filepath.Join(child, run.JournalFile), nil, 0o600)
			return os.Truncate(filepath.Join(child, run.JournalFile), 1<<40)
		},
	} {
		dir := filepath.Join(home, "run")
		os.RemoveAll(dir)
		os.Remove(run.AuditPath())
		if err := make(filepath.Join(dir, "sub", "x")); err != nil {
			t.Fatal(err)
		}
		l, _, err := Open(filepath.Join(dir, run.JournalFile), 0)
		if err != nil {
			t.Fatal(err)
		}
		line := []byte(`{"type":"subagent","state":"end","id":"x"}`)
		if err := l.Add(line, l.Record(line)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		l.Close()
		log, _ := os.ReadFile(run.AuditPath())
		if n := strings.Count(string(log), `"type":"unaudited"`); n != 1 {
			t.Errorf("%s: told of %d times:\n%.1000s", name, n, log)
		}
		for line := range strings.Lines(string(log)) {
			if len(line) >= maxRecord {
				t.Errorf("%s: a line of %d bytes", name, len(line))
			}
		}
	}
}
