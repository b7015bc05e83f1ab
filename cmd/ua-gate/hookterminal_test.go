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

// TestHookDrivesNoTerminal: neither what a hook says, which may repeat the model's words,
// nor an event is sent to a terminal raw. A process that a hook leaves behind goes on.
func TestHookDrivesNoTerminal(t *testing.T) {
	const command = "echo a"
	dir := t.TempDir()
	policy := filepath.Join(dir, "policy.toml")
	const hook = "[[hooks.NAME]]\ncommand = \"./hook\"\n"
	err := os.WriteFile(filepath.Join(dir, "hook"), []byte("#!/bin/sh\n"+
		"printf 'hook \\033]52;c;eA==\\007\\302\\2332J\\n' >&2\nsleep 3 >/dev/null &\necho {}\n"), 0o755)
	if err != nil {
		t.Fatal(err)
	}
	in := callOf("c1", command) + callOf("c2", command) + "{\"type\":\"mine\",\"x\":\"\u009b2J\"}\n" +
		`{"type":"tool_result","call_id":"c2","output":"a"}` + "\n"
	for _, way := range [][]string{{"pre_exec"}, {"post_exec", "watch"}} {
		text := strings.ReplaceAll(hook, "NAME", way[0])
		if err := os.WriteFile(policy, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-gate"),
			append(way[1:], "--policy", policy)...)
		tty, slave, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(in), slave, slave
		cmd.Env = append(os.Environ(), "HOME="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		slave.Close()
		seen, _ := io.ReadAll(tty)
		tty.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v", way, err)
		}
		if strings.ContainsAny(string(seen), "\x1b\x07\u009b\u202e") ||
			strings.Count(string(seen), "<U+009B>2J") < 2 ||
			!strings.Contains(string(seen), "hook ^[]52;") {
			t.Errorf("%v: the terminal got %q", way, seen)
		}
	}
}
