package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// configured writes a file of settings and returns the variable that names it.
func configured(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "UA_CONFIG=" + path
}

// The settings of ua bound a session too, and options go before them.
func TestSettings(t *testing.T) {
	answers := "call: pwd\ncall: pwd -P\n---\ncall: pwd -L\n---\ntext: Done."
	for _, c := range []struct {
		name, settings string
		options        []string
		said           string
		commands       int // that were run
	}{
		{"none", "", nil, "Done.", 3},
		{"turns", "[ua]\nmax_turns = 1\n", nil, "the model was asked 1 time in this turn", 2},
		{"turns by option", "[ua]\nmax_turns = 1\n", []string{"--max-turns=3"}, "Done.", 3},
		{"commands", "[ua]\nmax_commands = 1\n", nil, "Done.", 1},
		{"commands by option", "", []string{"--max-commands=2"}, "Done.", 2},
		{"budget", "[ua]\nbudget_tokens = 700\n", nil, "the budget of 700 tokens", 2},
		{"budget by option", "", []string{"--budget-tokens=700"},
			"the budget of 700 tokens", 2},
		{"a gate of one's own", "[ua]\ngate = \"ua-gate --policy ../policy.toml\"\n", nil,
			"[DENIED]", 2},
		{"a model for it", "[ua]\nthink = \"test \\\"$UA_MODEL\\\" = anthropic/other && ua-think\"\n",
			[]string{"--model=anthropic/other"}, "Done.", 3},
		{"a think of one's own", "[ua]\nthink = \"ua-think --quiet # mine\"\n", nil, "Done.", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			os.WriteFile(filepath.Join(home, "policy.toml"),
				[]byte("[[deny]]\npattern = \"pwd -P\"\n"), 0o600)
			server, m := serve(t, answers)
			a := askAt(t, home, "bash", server, m, c.options, configured(t, c.settings))
			out := a.turn("# go")
			run := 0
			for _, r := range a.journal("tool_result") {
				if r.Get("status").Str == "run" {
					run++
				}
			}
			if !strings.Contains(out, c.said) || run != c.commands {
				t.Errorf("%d commands, want %d; no %q in %q", run, c.commands, c.said, out)
			}
		})
	}
	t.Run("a project's", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		path := filepath.Join(home, ".ua/config.toml")
		os.Mkdir(filepath.Dir(path), 0o700)
		os.WriteFile(path, []byte("[ua]\nmax_turns = 1\nthink = \"evil\"\n"), 0o600)
		server, m := serve(t, answers)
		a := askAt(t, home, "bash", server, m, nil, configured(t, "[ua]\nmax_turns = 2\n"))
		if out := a.turn("# go"); !strings.Contains(out, "the model was asked 1 time in this turn") {
			t.Errorf("%q", out)
		}
	})
	server, m := serve(t, "text: x")
	options := []string{"--effort=high", "--model=anthropic/claude-sonnet-5"}
	a := askAt(t, t.TempDir(), "bash", server, m, options)
	a.turn("# go")
	r := a.request(1)
	if !strings.Contains(r, `"effort":"high"`) || !strings.Contains(r, "claude-sonnet-5") {
		t.Errorf("%.300s", r)
	}
}

// Settings that don't hold are said before anything starts.
func TestWrongSettings(t *testing.T) {
	c := open(t, []string{configured(t, "[ua]\nmax_turns = -1\n")}, "--shell", "bash")
	got := c.status()
	if got != 2 || !strings.Contains(c.text(), "[ua] max_turns: want a whole number") {
		t.Errorf("%d, %q", got, c.text())
	}
}

// A question that nobody answers is a no.
func TestNoAnswer(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askWith(t, shell, "call: touch made\n---\ntext: Then not.", []string{"--ask-timeout=1s"})
		a.send("# make it\r")
		a.expect("[?] help > ")
		a.expect("[DENIED] ")
		a.expect("Then not.")
		a.end()
		if _, err := os.Stat(filepath.Join(a.work, "made")); err == nil {
			t.Error("it was made")
		}
		a.line("echo still")
		a.expect("still\r\n")
	})
}

// What is privileged needs a whole yes: y and a Enter are none.
func TestPrivileged(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "call: sudo touch made\n---\ntext: So be it.")
		bin := filepath.Join(a.home, "bin")
		os.Mkdir(bin, 0o755)
		os.WriteFile(filepath.Join(bin, "sudo"), []byte("#!/bin/sh\nexec \"$@\"\n"), 0o755)
		a.line(map[bool]string{true: "set -gx PATH " + bin + " $PATH",
			false: "export PATH=" + bin + ":$PATH"}[shell == "fish"])
		a.send("# make it\r")
		a.expect(`type "yes" to run`)
		a.send("y\r")
		a.expect(`type "yes" to run`)
		if _, err := os.Stat(filepath.Join(a.work, "made")); err == nil {
			t.Error("y was enough")
		}
		a.send("yes\r")
		a.end()
		if _, err := os.Stat(filepath.Join(a.work, "made")); err != nil {
			t.Error(err)
		}
	})
}

// A command that asks for a password gets it from the person, unseen, and the model
// does not.
func TestPassword(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "call: sh ./login\n---\ntext: You are in.")
		login := "exec 3<>/dev/tty; stty -echo <&3; printf 'Password: ' >&3; read p <&3; " +
			"stty echo <&3; echo >&3; [ \"$p\" = hunter22 ] && echo right\n"
		os.WriteFile(filepath.Join(a.work, "login"), []byte(login), 0o644)
		a.send("# log in\r")
		a.expect("[?] help > ")
		a.send("y")
		a.expect("Password: ")
		a.send("hunter22\r")
		a.expect("right\r\n")
		a.end()
		if strings.Contains(a.text(), "hunter22") {
			t.Error("the password was shown")
		}
		if strings.Contains(a.request(2), "hunter22") {
			t.Error("the model has the password")
		}
	})
}
