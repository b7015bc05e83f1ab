package main

import (
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestHooksSetAnew: a start-up file, or a line that is typed later, sets anew what the shell
// calls before a prompt or a command. # is still heard, at the latest at the second prompt
// behind it, and what is run is recorded with its status.
func TestHooksSetAnew(t *testing.T) {
	for shell, changes := range map[string][]string{
		"bash": {"PROMPT_COMMAND=()", "PROMPT_COMMAND=true", "unset PROMPT_COMMAND",
			"PROMPT_COMMAND=(true false)", "PS1='$ '", "PS0=", "trap : DEBUG"},
		"zsh": {"precmd_functions=()", "precmd_functions=(true)", "unset precmd_functions",
			"preexec_functions=(true)", "precmd_functions=() preexec_functions=()", "precmd() { : }"},
		"fish": {"function fish_prompt; echo -n '$ '; end"},
	} {
		for _, change := range changes {
			for _, when := range []string{"typed", "at the start"} {
				t.Run(shell+"/"+change+"/"+when, func(t *testing.T) {
					t.Parallel()
					scripttest.Need(t, shell)
					s := setup{shell: shell, rc: "true"}
					if when != "typed" {
						s.rc = change
					}
					a := askWithRC(t, s, "call: touch made; false\n---\ntext: Done.")
					if when == "typed" {
						a.send(change + "\r")
						a.send("true\r")
					}
					a.line("sh -c 'exit 7'")
					a.send("# go\r")
					a.expect("[?] help > ")
					a.send("y")
					a.expect("Done.")
					a.expect("1 cmd")
					a.alive()
					a.instructed("go")
					if r := a.results(); len(r) != 1 || r[0].Get("exit_code").Int() != 1 {
						t.Errorf("%s", r)
					}
					seen := ""
					for _, c := range a.journal("shell_command") {
						seen += c.Get("command").Str + c.Get("exit_code").Raw + "\n"
					}
					if !strings.HasSuffix(seen, "sh -c 'exit 7'7\n") {
						t.Errorf("recorded: %q", seen)
					}
				})
			}
		}
	}
}

// TestSeveralLines: a command of several lines is recorded whole, and what a program that it
// starts reads is no part of it.
func TestSeveralLines(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "text: Seen.")
		lines := "for i in 1 2\rdo echo $i\rdone"
		if shell == "fish" {
			lines = "for i in 1 2\recho $i\rend"
		}
		n := strings.Count(marks(t, a.log), " ua D ")
		a.send(lines + "\r")
		a.marked(a.log, "D", n+1)
		n++
		if shell == "bash" { // the line editor reads for a command, too
			a.send("cat <<'E' \\\r>copy\ra\r'b\rE\r")
			a.marked(a.log, "D", n+1)
			a.send("read -e -p 'say: ' x\r")
			a.expect("say: ")
			a.send("inner\r")
			a.marked(a.log, "D", n+2)
		}
		a.turn("# look")
		var got []string
		for _, c := range a.journal("shell_command") {
			got = append(got, c.Get("command").Str)
		}
		want := []string{strings.ReplaceAll(lines, "\r", "\n")}
		if shell == "bash" {
			want = append(want, "cat <<'E' \\\n>copy\na\n'b\nE", "read -e -p 'say: ' x")
		}
		if shell == "fish" {
			got[0] = strings.ReplaceAll(got[0], "    ", "") // it indents
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// TestExec: a shell that takes the place of ours is one command: what is typed passes, and the
// turn that did it ends.
func TestExec(t *testing.T) {
	for _, exec := range []string{"exec bash --norc", "exec zsh -f", "exec fish --no-config"} {
		t.Run(exec, func(t *testing.T) {
			t.Parallel()
			scripttest.Need(t, "zsh", "fish")
			a := askIn(t, "bash", "text: never")
			a.send(exec + "\r")
			a.alive()
			a.send("exit\r")
			a.status()
		})
	}
	t.Run("a model's", func(t *testing.T) {
		a := askIn(t, "bash", "call: exec bash --norc\n---\ntext: never")
		a.send("# go\r")
		a.expect("[?] help > ")
		a.send("y")
		a.expect("the shell returned to its prompt without reporting")
		a.alive()
	})
}
