package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLasting has the model give words of commands that go unasked another meaning in the live
// shell: that is asked about, and so nothing runs by it. What else would last runs beside
// the shell.
func TestLasting(t *testing.T) {
	for shell, commands := range map[string][]string{
		"bash": {"alias ls='touch pwned'", "export PATH=$PWD/bin:$PATH", "set -k", "set -e",
			"export PYTHONPATH=."},
		"zsh":  {"alias ls='touch pwned'"},
		"fish": {"set -gx PATH $PWD/bin $PATH"},
	} {
		for _, command := range commands {
			t.Run(shell+"/"+command, func(t *testing.T) {
				a := askIn(t, shell, "call: "+command+"\ncall: ls\n---\ntext: Done.")
				if err := os.MkdirAll(filepath.Join(a.work, "bin"), 0o755); err == nil {
					os.WriteFile(filepath.Join(a.work, "bin/ls"), []byte("#!/bin/sh\ntouch pwned\n"), 0o755)
				}
				a.send("# go\r")
				a.expect("[y]")
				a.send("n")
				a.end()
				a.line("echo alive")
				if _, err := os.Stat(filepath.Join(a.work, "pwned")); err == nil {
					t.Errorf("run unasked")
				}
			})
		}
	}
}

// TestLongCommand: a command that is longer than a FIFO holds is typed whole.
func TestLongCommand(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "call: touch begun; printf %s "+strings.Repeat("x", 70_000)+
			" >out; touch ended\n---\ntext: Done.")
		a.send("# go\r")
		a.expect("[?] help > ")
		a.send("y")
		a.end()
		out, _ := os.ReadFile(filepath.Join(a.work, "out"))
		_, err := os.Stat(filepath.Join(a.work, "ended"))
		if r := a.journal("tool_result"); len(r) != 1 || r[0].Get("status").Str != "run" ||
			len(out) != 70_000 || err != nil {
			t.Errorf("%s: %d bytes, %v", r, len(out), err)
		}
		a.alive()
	})
}

// TestNoHistoryInCommand: what is typed is the command that was allowed: no ! in it stands for a
// line of the history. In the person's own lines it does, before and after.
func TestNoHistoryInCommand(t *testing.T) {
	for _, shell := range []string{"bash", "zsh"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			a := askIn(t, shell, `tool: shell {"command":"touch made; : !echo"}`+"\n"+
				`tool: shell {"command":"touch made; echo \"a!b !!\""}`+"\n---\ntext: Done.")
			a.line("echo x >>by-hand")
			a.send("# go\r")
			a.expect("[?] help > ")
			a.send("a")
			a.end()
			r := a.journal("tool_result")
			if len(r) != 2 || r[0].Get("exit_code").Int() != 0 ||
				!strings.Contains(r[1].Get("output").Str, "\na!b !!\n") {
				t.Errorf("%s", r)
			}
			a.line("echo x >>by-hand")
			a.line("!!")
			if text, _ := os.ReadFile(filepath.Join(a.work, "by-hand")); string(text) != "x\nx\nx\n" {
				t.Errorf("%q", text)
			}
		})
	}
}

// TestStringsLeftOpen has commands leave the terminal in the middle of a control string or on
// its other screen: the end of each command is still heard, with its status.
func TestStringsLeftOpen(t *testing.T) {
	for _, open := range []string{
		`\033]0;open`, `\033Popen`, `\033_open`, `\033^open`, `\033Xopen`, `\033[`, `\033[?1049h`,
		`\033[?2004h\033[?1000h`, `\033]133;D;0\007`, `\033]633;D;0\007\033]633;E;x\007`,
		`\302\235open`, `\302`, `\033]7283;x;D;0;q\007`, `\033%%@`, `\033]`, `\033`,
	} {
		t.Run(open, func(t *testing.T) {
			t.Parallel()
			a := askIn(t, "bash", "call: printf '"+open+"'; false\ncall: echo after\n---\ntext: Done.")
			a.turn("# go")
			r := a.journal("tool_result")
			if len(r) != 2 || r[0].Get("exit_code").Int() != 1 || r[1].Get("exit_code").Int() != 0 {
				t.Errorf("%s", r)
			}
		})
	}
}
