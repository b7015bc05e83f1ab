package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// TestNothingOverQuestion: what runs while a question is open is shown behind the answer. Its
// lines would move the question off the screen, and the last one would stand where a person
// looks for what the answer is about.
func TestNothingOverQuestion(t *testing.T) {
	x := onTerminal(t, "call: while [ ! -e go ]; do sleep 0.1; done; false\ncall: echo harmless; "+
		"false\ncall: false\ncall: rm -rf old\n---\ntext: done", "--ask", "task")
	x.expect("[?] help > ")
	if err := os.WriteFile(filepath.Join(x.dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for ended := 0; ended < 3; time.Sleep(20 * time.Millisecond) {
		found, _ := filepath.Glob(filepath.Join(x.home, "state/ua/runs/*/journal.jsonl"))
		text := ""
		for _, name := range found {
			data, _ := os.ReadFile(name)
			text += string(data)
		}
		ended = strings.Count(text, `"type":"tool_result"`)
	}
	scripttest.NothingFor(300 * time.Millisecond) // on the screen
	x.tty.WriteString("n\n")
	x.end()
	_, after, _ := strings.Cut(x.seen, "[?] help > ")
	if !strings.HasPrefix(after, "n\r\n") || strings.Count(after, "  exit 1") != 3 ||
		!strings.Contains(after, " echo harmless; false ") {
		t.Errorf("%q", after)
	}
}
