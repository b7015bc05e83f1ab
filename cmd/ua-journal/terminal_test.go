package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"ua/internal/test/scripttest"
)

// hostile is what a model may say to drive the terminal that it is read on:
// DEL, C1 controls (CSI and OSC in one character each), a bidirectional override
// and, where JSON lets it through escaped, ESC itself.
const hostile = "a\x7f\u009b31m\u009d52;c;eA==\u009c\u202eb\\u001b]0;x\\u0007"

// TestTerminal holds that no verb that prints a journal lets it drive a terminal,
// and that a pipe gets the bytes as they are.
func TestTerminal(t *testing.T) {
	state := t.TempDir()
	path := filepath.Join(state, "ua/runs/20260101-000000-000000/journal.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	events := strings.ReplaceAll(`{"type":"run","id":"x","task":"T","model":"T"}
{"type":"instruction","text":"T"}
{"type":"tool_call","id":"1","name":"shell","input":{"command":"T"}}
{"type":"tool_result","call_id":"1","output":"T","exit_code":0}
{"type":"response","model":"T","stop_reason":"T","content":[{"type":"text","text":"T"}]}
`, "T", hostile)
	env := append(os.Environ(), "XDG_STATE_HOME="+state, "TERM=xterm-256color")
	run := func(tty bool, args ...string) string {
		cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-journal"), args...)
		cmd.Env, cmd.Stdin = env, strings.NewReader(events)
		if !tty {
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(args, err)
			}
			return string(out)
		}
		return onTerminal(t, cmd)
	}
	run(false, "append", path)
	for _, args := range []string{
		"answer", "cat", "tail", "read", "replay", "show", "grep -e T", "export --csv",
		"ls --json", "append --tee", "index SELECT/**/task,model/**/FROM/**/runs",
	} {
		words := strings.Fields(strings.ReplaceAll(args, "-e T", "-e response"))
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "/**/", " ")
		}
		other := filepath.Join(t.TempDir(), "other.jsonl")
		if err := os.Chmod(filepath.Dir(other), 0o700); err != nil {
			t.Fatal(err)
		}
		switch words[0] {
		case "append":
			words = append(words, other)
		case "ls", "index":
		default:
			words = append(words, path)
		}
		got := run(true, words...)
		if !strings.Contains(got, "b") {
			t.Errorf("%s prints nothing of it: %q", args, got)
		}
		for _, bad := range []string{"\x7f", "\u009b", "\u009d", "\u009c", "\u202e", "\x1b]", "\x07"} {
			if strings.Contains(got, bad) {
				t.Errorf("%s prints %q on a terminal: %q", args, bad, got)
			}
		}
	}
	if got := run(false, "cat", path); !strings.Contains(got, "\u009b31m") {
		t.Errorf("cat into a pipe changes what it passes: %q", got)
	}
	if got := run(false, "answer", path); !strings.Contains(got, "\u202e") {
		t.Errorf("answer into a pipe changes what it passes: %q", got)
	}
}

// onTerminal is what a command prints on a terminal, whatever its status.
func onTerminal(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	cmd.Stdout = tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	var out bytes.Buffer
	if _, err := io.Copy(&out, master); err != nil && !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	cmd.Wait()
	return out.String()
}
