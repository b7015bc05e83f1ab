package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// The answers at a question.
func TestQuestion(t *testing.T) {
	for _, c := range []struct {
		keys, result string
		there        bool
	}{
		{"y", "run", true},
		{"n", "denied: the person said no", false},
		{"q", "denied: ", false},
		{"\x03", "denied: ", false},
		{"# use /tmp instead\r", "denied: the person said no: use /tmp instead", false},
		{"xx\x7f\x7fy", "run", true},
	} {
		t.Run(fmt.Sprintf("%q", c.keys), func(t *testing.T) {
			t.Parallel()
			inShells(t, func(t *testing.T, shell string) {
				a := askIn(t, shell, "call: touch made\n---\ntext: As you say.\n---\ntext: Later.")
				a.send("# make it\r")
				a.expect("❯ touch made ▐ write")
				a.expect("[?] help > ")
				a.send(c.keys)
				a.end()
				_, err := os.Stat(filepath.Join(a.work, "made"))
				var results []gjson.Result
				a.until("result", func() bool { // a turn that was quit does not wait for it
					results = a.journal("tool_result")
					return len(results) > 0
				})
				got := results[0].Get("status").Str
				if got == "denied" {
					got += ": " + results[0].Get("output").Str
				}
				if len(results) != 1 || !strings.HasPrefix(got, c.result) || (err == nil) != c.there {
					t.Errorf("%s, made: %v", results, err == nil)
				}
				a.line("echo still")
				a.expect("still\r\n")
			})
		})
	}
}

// TestQuestionAfar: ua asks shows the question, and ua answer answers it unless the person at the
// shell has.
func TestQuestionAfar(t *testing.T) {
	for _, c := range []struct {
		afar, here, seen string
		made             bool
	}{
		{"yes", "", "answered from elsewhere: yes", true},
		{"not that", "", "answered from elsewhere: deny", false},
		{"edit: touch other", "", "answered from elsewhere: edit", false},
		{"yes", "n", "", false},
	} {
		t.Run(c.afar+c.here, func(t *testing.T) {
			t.Parallel()
			server, m := serve(t, "call: touch made\n---\ntext: As you say.")
			home := t.TempDir()
			os.MkdirAll(filepath.Join(home, ".config/ua"), 0o700)
			os.WriteFile(filepath.Join(home, ".config/ua/config.toml"),
				[]byte("[ua]\nnotify = \"cat >$HOME/told\"\n"), 0o600)
			a := askAt(t, home, "bash", server, m, nil)
			ua := func(args ...string) (string, error) {
				cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua"), args...)
				cmd.Env = []string{"HOME=" + a.home, "PATH=/usr/bin:/bin"}
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			a.send("# make it\r")
			a.expect("[?] help > ")
			list, _ := ua("asks")
			if !strings.Contains(list, "touch made") {
				t.Fatal(list)
			}
			a.until("the user's command", func() bool {
				told, _ := os.ReadFile(filepath.Join(home, "told"))
				return strings.Contains(string(told), "touch made\n\nua answer ")
			})
			if c.here != "" {
				a.send(c.here)
				a.end()
			}
			if out, err := ua("answer", strings.Fields(list)[0], c.afar); (err == nil) != (c.here == "") {
				t.Error(out)
			}
			if c.here == "" {
				a.expect(c.seen)
				if strings.HasPrefix(c.afar, "edit") {
					a.expect("❯ touch other")
					a.expect("[?] help > ")
					a.send("n")
				}
				a.end()
			}
			if _, err := os.Stat(filepath.Join(a.work, "made")); (err == nil) != c.made {
				t.Errorf("made: %v", err == nil)
			}
		})
	}
}

// TestQuestionBelow: what a subagent asks is told and answered from elsewhere, in a live shell and
// in a confined one.
func TestQuestionBelow(t *testing.T) {
	scripttest.NeedProcesses(t)
	for _, options := range [][]string{nil, {"--sandbox", "workspace"}} {
		server, m := serve(t, "call: setsid -w ua --ask 'a part'\n---\ncall: rm -rf old\n---\n"+
			"text: Gone.\n---\ntext: It is gone.")
		m.AnyTurn = true
		home := t.TempDir()
		for name, text := range map[string]string{"config.toml": "[ua]\nnotify = \"cat >>$HOME/told\"\n",
			"policy.toml": "[[ask]]\npattern = \"rm -rf *\"\n"} {
			os.MkdirAll(filepath.Join(home, ".config/ua"), 0o700)
			os.WriteFile(filepath.Join(home, ".config/ua", name), []byte(text), 0o600)
		}
		a := askAt(t, home, "bash", server, m, options)
		os.Mkdir(filepath.Join(a.work, "old"), 0o700)
		a.send("# clean up\r")
		told := func() string {
			text, _ := os.ReadFile(filepath.Join(home, "told"))
			return string(text)
		}
		a.expect("[?] help > ")
		a.send("y")
		a.until("the user's command", func() bool {
			return strings.Contains(told(), "rm -rf old\n\nua answer ")
		})
		_, id, _ := strings.Cut(told()[strings.Index(told(), "rm -rf old"):], "ua answer ")
		id = strings.Fields(id)[0]
		cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua"), "answer", id, "yes")
		cmd.Env = []string{"HOME=" + a.home, "PATH=/usr/bin:/bin"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Error(string(out))
		}
		said := a.expect("It is gone.")
		if _, err := os.Stat(filepath.Join(a.work, "old")); err == nil {
			t.Errorf("%s: the command has not run: %s", options, said)
		}
		if strings.Count(told(), "rm -rf old\n\n") != 1 {
			t.Errorf("%s: %s", options, told())
		}
	}
}

// TestQuestionAnswers: a command that has only read leaves the terminal answers to give, which
// come in pieces while a question is open. No piece of one is the person's yes.
func TestQuestionAnswers(t *testing.T) {
	a := askIn(t, "bash", "call: touch made\n---\ntext: As you say.")
	a.send("# make it\r")
	a.expect("[?] help > ")
	for _, pieces := range [][]string{
		{"\x1b[?2026;2$", "y"}, {"\x1b]52;c;", "yyyy", "yyyy\x1b", "\\"},
		{"\x1b", "[?62;22", "c"}, {"\x1bP>|", "aterm\x1b\\"},
	} {
		for _, piece := range pieces {
			a.send(piece)
			scripttest.NothingFor(50 * time.Millisecond) // no answer
		}
	}
	a.send("n")
	a.end()
	if r := a.journal("tool_result"); len(r) != 1 || r[0].Get("status").Str != "denied" {
		t.Errorf("%s", r)
	}
}

// TestTooSoon: what is typed ahead for the prompt while a question appears is no answer to it.
func TestTooSoon(t *testing.T) {
	a := askIn(t, "bash", "call: touch made\n---\ntext: As you say.")
	a.send("# make it\r")
	a.expect("❯ touch made ▐ write")
	a.send("ya")
	a.send("y")
	a.expect("[?] help > ")
	a.send("n")
	a.end()
	if r := a.journal("tool_result"); len(r) != 1 || r[0].Get("status").Str != "denied" {
		t.Errorf("%s", r)
	}
	a.expect("yay") // it is on the prompt's line
}

// A session's grant holds for the kind, a plan is shown whole before its first
// question, and after a failure nothing more of it runs.
func TestPlan(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "call: touch one\ncall: touch two\ncall: ls /no-such\ncall: touch "+
			"three\n---\ntext: Three is left.")
		a.send("# make three\r")
		a.expect("The plan has 4 commands:")
		a.expect("❯ touch three ▐ write")
		a.expect("[a] allow touch for the session")
		a.send("a")
		a.end()
		for name, want := range map[string]bool{"one": true, "two": true, "three": false} {
			if _, err := os.Stat(filepath.Join(a.work, name)); (err == nil) != want {
				t.Errorf("%s: %v", name, err)
			}
		}
		if r := a.journal("tool_result"); len(r) != 4 || r[3].Get("status").Str != "denied" ||
			r[2].Get("exit_code").Int() != 2 {
			t.Errorf("results %v", r)
		}
	})
}

// An editor takes an instruction, and changes a command, which is judged anew.
func TestEditor(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		editor := filepath.Join(t.TempDir(), "editor")
		os.WriteFile(editor, []byte("#!/bin/sh\n${X_API_KEY:+exit}\nif [ -s \"$1\" ]; then "+
			"echo touch other >\"$1\"; else echo 'from the editor' >\"$1\"; fi\n"), 0o755)
		a := askIn(t, shell, "call: touch made\n---\ntext: Well.", "EDITOR="+editor,
			"X_API_KEY=key")
		a.send("#\r")
		a.expect("❯ touch made ▐ write")
		a.expect("[?] help > ")
		a.send("e")
		a.expect("❯ touch other ▐ write")
		a.expect("[?] help > ")
		a.send("y")
		a.end()
		if !strings.Contains(a.request(1), "from the editor") {
			t.Errorf("%s", a.request(1))
		}
		for name, want := range map[string]bool{"other": true, "made": false} {
			if _, err := os.Stat(filepath.Join(a.work, name)); (err == nil) != want {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// #! has the shell run ua, #? asks about the last command.
func TestShortForms(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "call: pwd > there\n---\ntext: Written.\n---\ntext: It is no command.")
		a.model.AnyTurn = true
		a.line("cd sub")
		n := strings.Count(marks(t, a.log), " ua P ")
		a.send("#! write where you are\r")
		a.expect("Written.")
		a.expect("cmd")
		a.marked(a.log, "P", n+2) // one is of the prompt that takes the command
		if got, _ := os.ReadFile(filepath.Join(a.work, "sub/there")); !strings.HasSuffix(string(got),
			"/work/sub\n") {
			t.Errorf("%q", got)
		}
		a.line("no-such-command")
		if out := a.turn("#?"); !strings.Contains(out, "It is no command.") ||
			!strings.Contains(a.request(3), "no-such-command") {
			t.Errorf("%q", out)
		}
	})
}

// What fills the screen is not kept, and its user drives it.
func TestFullScreen(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "call: sh ./full\n---\ntext: Closed.")
		os.WriteFile(filepath.Join(a.work, "full"),
			[]byte("stty -icanon -echo; printf '\\033[?1049hSECRET'; x=$(head -c 3); printf "+
				"'\\033[?1049l'; stty icanon echo; echo \"got $x\"\n"), 0o644)
		a.send("# open it\r")
		a.expect("[?] help > ")
		a.send("y")
		a.expect("SECRET")
		a.reads("head", "-c", "3")
		a.send("abc")
		a.end()
		if out := a.journal("tool_result")[0].Get("output").Str; strings.Contains(out, "SECRET") ||
			!strings.Contains(out, "got abc") {
			t.Errorf("%q", out)
		}
	})
}

// Of what the model thinks one line is shown, and of what it says nothing drives the
// terminal.
func TestThinking(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "think: **Look at it**\\nand more of it\ntext: Done\u001b[31m, \u202etxt.")
		out := a.turn("# think")
		for _, want := range []string{"# Look at it", "Done^[[31m, <U+202E>txt."} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in %q", want, out)
			}
		}
		if strings.Contains(out, "and more") {
			t.Errorf("%q", out)
		}
	})
}

// A command that asks gets the person's answer; what is typed while nothing reads
// waits for the prompt.
func TestCommandThatAsks(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "call: sh ./ask\ncall: sh ./wait\n---\ntext: Good.")
		os.WriteFile(filepath.Join(a.work, "ask"), []byte("printf 'sure? '; read x; echo \"got $x\"\n"),
			0o644)
		os.WriteFile(filepath.Join(a.work, "wait"),
			[]byte("echo waiting; until [ -e go ]; do sleep 0.05; done\n"), 0o644)
		a.send("# do it\r")
		a.expect("[?] help > ")
		a.send("a")
		a.expect("sure? ")
		a.reads("sh", "./ask")
		a.send("yes\r")
		a.expect("got yes")
		if !strings.Contains(a.text(), "waiting\r\n") {
			a.until("second", func() bool {
				return strings.Contains(a.text(), "waiting\r\n") || strings.Count(a.text(), "[?] help > ") == 2
			})
			if strings.Count(a.text(), "[?] help > ") == 2 {
				a.send("y")
			}
		}
		a.expect("waiting\r\n")
		a.foreground("sh", "./wait")
		a.send("echo ty")
		scripttest.NothingFor(150 * time.Millisecond) // what is typed waits for the prompt
		os.WriteFile(filepath.Join(a.work, "go"), nil, 0o644)
		a.end()
		a.send("ped\r")
		a.expect("typed\r\n")
		if out := a.journal("tool_result")[0].Get("output").Str; !strings.Contains(out, "got yes") {
			t.Errorf("%q", out)
		}
	})
}

// What the judge objects and proposes stands at the question, and e starts from it.
func TestJudge(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		config := t.TempDir()
		os.Mkdir(filepath.Join(config, "ua"), 0o700)
		os.WriteFile(filepath.Join(config, "ua/policy.toml"), []byte(`[judge]
command = ["sh", "-c", '''cat >/dev/null; echo `+
			`'{"decision":"deny","category":"scope","reason":"too much","safer":"touch other"}' ''']
from = "write"
mode = "warn"
`), 0o600)
		a := askIn(t, shell, "call: touch made\n---\ntext: Well.", "EDITOR=true",
			"XDG_CONFIG_HOME="+config)
		a.send("# make it\r")
		a.expect("⚠ the judge: too much")
		a.expect("⚠ safer: touch other")
		a.expect("[?] help > ")
		a.send("e")
		a.expect("❯ touch other ▐ write")
		a.expect("[?] help > ")
		a.send("y")
		a.end()
		if _, err := os.Stat(filepath.Join(a.work, "other")); err != nil {
			t.Error(err)
		}
	})
}
