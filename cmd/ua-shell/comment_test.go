package main

import (
	"testing"

	"ua/internal/test/scripttest"
)

// A line that begins with # is an instruction at the prompt alone: not in what a
// command, a block or a program of several lines reads.
func TestNoInstruction(t *testing.T) {
	scripttest.Need(t, "python3", "awk")
	reader := `awk 'BEGIN { print "st" "art"; fflush() } { print "got", $0; fflush() }'`
	for shell, cases := range map[string][]struct{ name, begin, ready, end, want string }{
		"bash": {
			{"read", "printf 'st''art\\n'; read x; echo \"<$x>\"", "start\r\n", "", "<# no>"},
			{"read -e", "read -e -p 'now''> ' x; echo \"<$x>\"", "now> ", "", "<# no>"},
			{"select", "PS3='now''> '; select x in a b; do echo \"<$REPLY>\"; break; done",
				"now> ", "", "<# no>"},
			{"a block", "if true; then", "> ", "echo in''side; fi", "inside"},
			{"a here-document", "cat <<X", "> ", "X", "# no\r\n"},
			{"a string", "echo '", "> ", "'over", "over"},
			{"a program", reader, "start\r\n", "\x04", "got # no"},
			{"a shell inside", "PS1='in''ner$ ' sh -i", "inner$ ", "exit", ""},
			{"python", "python3 -q", ">>> ", "exit()", ""},
		},
		"zsh": {
			{"read", "printf 'st''art\\n'; read x; echo \"<$x>\"", "start\r\n", "", "<# no>"},
			{"vared", "x=; vared -p 'now''> ' x; echo \"<$x>\"", "now> ", "", "<# no>"},
			{"select", "PROMPT3='now''> '; select x in a b; do echo \"<$REPLY>\"; break; done",
				"now> ", "", "<# no>"},
			{"a block", "if true; then", "then> ", "echo in''side; fi", "inside"},
			{"a here-document", "cat <<X", "heredoc> ", "X", "# no\r\n"},
			{"a program", reader, "start\r\n", "\x04", "got # no"},
			{"python", "python3 -q", ">>> ", "exit()", ""},
		},
		"fish": {
			{"read", "read -P 'now''> ' x; echo \"<$x>\"", "now> ", "", "<# no>"},
			{"a program", reader, "start\r\n", "\x04", "got # no"},
			{"python", "python3 -q", ">>> ", "exit()", ""},
		},
	} {
		for _, c := range cases {
			t.Run(shell+" "+c.name, func(t *testing.T) {
				t.Parallel()
				a := askIn(t, shell, "text: asked")
				a.send(c.begin + "\r")
				a.expect(c.ready)
				a.send("# no\r")
				if c.end != "" {
					a.send(c.end)
					if c.end != "\x04" {
						a.send("\r")
					}
				}
				if c.want != "" {
					a.expect(c.want)
				}
				a.send("echo at''prompt\r")
				a.expect("atprompt\r\n")
				if len(instructions(t, a.log)) > 0 || len(a.journal("instruction")) > 0 {
					t.Errorf("it was taken:\n%s", marks(t, a.log))
				}
			})
		}
	}
}
