package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"ua/internal/test/scripttest"
)

// TestVerbsDriveNoTerminal: no verb prints a command or a journal's words as they are on a
// terminal, in JSON either, which escapes less than a terminal needs. A pipe gets them whole.
func TestVerbsDriveNoTerminal(t *testing.T) {
	const hostile = "touch 'a\u202e\u200b\U000e0041'"
	dir := t.TempDir()
	journal := filepath.Join(dir, "j.jsonl")
	events := `{"type":"tool_call","id":"c","name":"shell","input":{"command":"rm ` + hostile + `"}}
{"type":"verdict","call_id":"c","decision":"a` + "\u202e" + `","risk":"write"}
`
	if err := os.WriteFile(journal, []byte(events), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"check @", "check --json @", "explain @", "explain --json @",
		"replay " + journal, "replay --json " + journal} {
		words := strings.Fields(line)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "@", hostile)
		}
		run := func(out *os.File) {
			cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-gate"), words...)
			cmd.Dir, cmd.Stdout = dir, out
			cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME=", "NO_COLOR=1")
			cmd.Run()
		}
		screen, tty, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		run(tty)
		tty.Close()
		seen, _ := io.ReadAll(screen)
		screen.Close()
		if len(seen) == 0 || strings.ContainsAny(string(seen), "\u202e\u200b\U000e0041\u009b\x1b") {
			t.Errorf("%s: %q", line, seen)
		}
		if strings.Contains(line, "explain --json") {
			file, err := os.Create(filepath.Join(dir, "out"))
			if err != nil {
				t.Fatal(err)
			}
			run(file)
			file.Close()
			if text, err := os.ReadFile(file.Name()); !strings.Contains(string(text), "\u202e") {
				t.Errorf("%s to a file: %q, %v", line, text, err)
			}
		}
	}
}
