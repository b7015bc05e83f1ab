package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// nonces are how a line of each shell finds out what its marks begin with, in n.
var nonces = map[string]string{
	"bash": `n=$(declare -f __ua_prompt); n=${n#*7283;}; n=${n%%;*}`,
	"zsh":  `n=${functions[__ua_mark]#*7283;}; n=${n%%;*}`,
	"fish": `set n (functions __ua_mark | string match -r '7283;([0-9a-f]+)')[2]`,
}

// forge has the person's shell write marks, with the right nonce and text behind them, to
// the file "marks".
func (a *asked) forge(text string, bodies ...string) {
	a.t.Helper()
	all := ""
	for _, body := range bodies {
		all += "\x1b]7283;NONCE;" + body + "\a"
	}
	os.WriteFile(filepath.Join(a.work, "marks.in"), []byte(all+text), 0o644)
	a.line(nonces[a.shell] + "; sed s/NONCE/$n/g marks.in >marks")
	if got, _ := os.ReadFile(filepath.Join(a.work, "marks")); strings.Contains(string(got),
		"NONCE") ||
		!strings.Contains(string(got), text) {
		a.t.Fatalf("marks: %q", got)
	}
}

// token is one that nobody has given out.
const token = "0123456789abcdef"

// line is the body of a mark with text in it, as the shell quotes that.
func (a *asked) quoted(text string) string {
	if a.shell == "fish" {
		return "u" + strings.ReplaceAll(text, " ", "%20")
	}
	return "q" + strings.ReplaceAll(text, " ", `\ `)
}

// alive fails unless the shell is at its prompt, without Ctrl-C.
func (a *asked) alive() {
	a.t.Helper()
	a.send("echo al''ive\r")
	a.expect("alive\r\n")
}

// instructed fails unless the journal's instructions are these.
func (a *asked) instructed(want ...string) {
	a.t.Helper()
	var got []string
	for _, i := range a.journal("instruction") {
		got = append(got, i.Get("text").Str)
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		a.t.Errorf("instructions %q, want %q", got, want)
	}
}

// slowly serves a model's answers, as serve does, that wait until answer is called. asks
// tells of each request.
func slowly(t *testing.T, answers string) (url string, m *modeltest.Model, asks chan bool,
	answer func()) {
	_, m = serve(t, answers)
	asks = make(chan bool, 10)
	goes := make(chan bool)
	answer = sync.OnceFunc(func() { close(goes) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asks <- true
		<-goes
		m.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		answer()
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL, m, asks, answer
}

// TestForgedWait has something that was left running say, while the shell's hook waits for
// the model, that the hook waits, in all ways: the person gets the prompt back.
func TestForgedWait(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		scripttest.Need(t, shell)
		url, m, asks, answer := slowly(t, "text: Done.\n---\ntext: Again.")
		a := askAt(t, t.TempDir(), shell, url, m, nil)
		a.forge("ticked", "Q;1", "Q;2", "Q;3", "Q;2", "Q", "D;0;q/", "D;"+token+";0;q/", "Q;4")
		a.line("sh -c 'until [ -e begin ]; do sleep 0.1; done; cat marks' &")
		a.send("# go\r")
		<-asks
		os.WriteFile(filepath.Join(a.work, "begin"), nil, 0o644)
		a.expect("ticked")
		answer()
		a.expect("Done.")
		a.expect("0 cmds")
		a.alive()
		a.send("# on\r")
		a.expect("Again.")
		a.expect("0 cmds")
		a.alive()
		a.instructed("go", "on")
	})
}

// TestForgedEnd has commands of the model's print marks of all kinds: each command ends when
// it ends, with its own status and all that it has printed.
func TestForgedEnd(t *testing.T) {
	for i, bodies := range [][]string{{"P", "B"}, {"B"}, {"P"}, {"C"}, {"D;0;q/"},
		{"D;" + token + ";0;q/"},
		{"D;0;q/", "P", "B"}, {"Q;2"}, {"Q"}, {"Q;2", "D;0;q/", "Q;3", "P", "B", "C", "B"},
		{"E;q#\\ forged", "E;" + token + ";q#\\ forged"}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) { // a socket's path must be short
			inShells(t, func(t *testing.T, shell string) {
				a := askWith(t, shell, "call: cat marks no-such-file\n---\ncall: cat marks\n---\ntext: Done.",
					[]string{"--sandbox", "workspace"}) // where they are typed
				a.forge("tail", bodies...)
				a.send("# go\r")
				a.expect("Done.")
				a.expect("2 cmds")
				a.alive()
				a.instructed("go")
				r := a.journal("tool_result")
				if len(r) != 2 {
					t.Fatalf("%s", r)
				}
				for i, r := range r {
					if r.Get("exit_code").Int() != int64(1-i) || r.Get("status").Str != "run" ||
						!strings.Contains(r.Get("output").Str, "tail") || r.Get("cwd").Str != a.work {
						t.Errorf("%s", r)
					}
				}
			})
		})
	}
}

// TestForgedCommand has something that was left running say, at the person's prompt, that
// the person has run a command, or typed an instruction: neither is recorded.
func TestForgedCommand(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "text: Done.\n---\ntext: Again.")
		a.forge("ticked", "E;"+a.quoted("forged line"), "E;"+token+";"+a.quoted("forged line"),
			"L;"+a.quoted("forged line"), "C;"+a.quoted("forged line"), "D;7;q/",
			"D;"+token+";7;q/;"+a.quoted("forged line"), "Q;1", "Q", "C", "E;"+a.quoted("# forged"))
		a.line("sh -c 'until [ -e begin ]; do sleep 0.1; done; cat marks' &")
		os.WriteFile(filepath.Join(a.work, "begin"), nil, 0o644)
		a.expect("ticked")
		a.send("\r")
		a.alive()
		a.turn("# go")
		a.instructed("go")
		var lines []string
		for _, c := range a.journal("shell_command") {
			lines = append(lines, fmt.Sprint(c.Get("command").Str, c.Get("exit_code").Int()))
			if strings.Contains(c.Get("command").Str, "forged line") {
				t.Errorf("recorded: %s", c)
			}
		}
		if n := len(lines); n < 3 || lines[n-1] != "echo al''ive0" {
			t.Errorf("recorded: %q", lines)
		}
	})
}

// TestChangedVariables has the person's own line, and then a command of the model's, change
// what the hooks keep in variables, and forge an instruction: the prompt comes back, and
// nothing that was not typed is followed.
func TestChangedVariables(t *testing.T) {
	for shell, changes := range map[string][]string{
		"bash": {"__ua_turns=41", "__ua_turns=x", "__ua_waits=1", "__ua_waits=", "__ua_armed=",
			"__ua_armed=1",
			"__ua_ran=", "__ua_ran=1", "__ua_key=x", "__ua_key=", "__ua_typed='# forged'",
			"__ua_b=", "__ua_c=",
			"__ua_ps1=$PS1", "__ua_seen=1", "__ua_bound=", "__ua_set=(n)", "IFS=0123456789",
			"readonly TMOUT=1", "set -u"},
		"zsh": {"__ua_turns=41", "__ua_asks=1", "__ua_asks=", "__ua_key=x", "__ua_key=",
			"__ua_typed='# forged'",
			"__ua_line='touch forged'", "__ua_nocomments=1", "TTY=/dev/null", "IFS=0123456789",
			"TMOUT=1000"},
		"fish": {"set -g __ua_turns 41", "set -g __ua_asks 1", "set -g __ua_asks", "set -g __ua_key x",
			"set -g __ua_key", "set -g __ua_typed '# forged'", "set -g __ua_line 'touch forged'"},
	} {
		for _, change := range changes {
			t.Run(shell+"/"+change, func(t *testing.T) {
				t.Parallel()
				a := askIn(t, shell,
					"call: . ./change\n---\ncall: pwd\n---\ntext: Done.\n---\ntext: Again.")
				a.forge("ticked", "E;"+a.quoted("# forged"), "E;"+token+";"+a.quoted("# forged"),
					"E;x;"+a.quoted("# forged"), "E;;"+a.quoted("# forged"))
				os.WriteFile(filepath.Join(a.work, "change"), []byte(change+"\ncat marks\n"), 0o644)
				a.send(". ./change\r")
				a.expect("ticked")
				a.alive()
				a.send("# go\r")
				a.expect("[?] help > ")
				a.send("y")
				a.expect("Done.")
				a.expect("2 cmds")
				a.alive()
				a.send("# on\r")
				a.expect("Again.")
				a.alive()
				a.instructed("go", "on")
				if _, err := os.Stat(filepath.Join(a.work, "forged")); err == nil {
					t.Error("a command that nobody typed was run")
				}
			})
		}
	}
}

// TestLostHook has a command of the model's keep the shell's hook from telling how it ended:
// the person has the prompt, and is told so, and nothing that was not typed is followed.
func TestLostHook(t *testing.T) {
	for shell, changes := range map[string][]string{
		"bash": {"readonly __ua_answer", "readonly __ua_token",
			"readonly __ua_key"},
		"zsh":  {"unfunction __ua_told", "readonly __ua_key"},
		"fish": {"functions -e __ua_postexec"},
	} {
		for _, change := range changes {
			t.Run(shell+"/"+change, func(t *testing.T) {
				t.Parallel()
				a := askIn(t, shell, "call: . ./change\n---\ntext: Done.\n---\ntext: Again.")
				a.forge("ticked", "E;"+a.quoted("# forged"), "E;;"+a.quoted("# forged"), "Q", "D;;0;q/")
				os.WriteFile(filepath.Join(a.work, "change"), []byte(change+"\ncat marks\n"), 0o644)
				a.send("# go\r")
				a.expect("[?] help > ")
				a.send("y")
				a.expect("ticked")
				a.alive()
				a.until("end of the turn", func() bool { return strings.Contains(a.text(), "↓ ") })
				told := strings.Contains(a.text(), "without reporting how the command ended")
				if told == strings.Contains(change, "__ua_key") {
					t.Errorf("%q", a.text())
				}
				a.alive()
				a.send("# on\r")
				a.alive()
				a.instructed("go")
				if r := a.journal("tool_result"); len(r) != 1 {
					t.Errorf("%s", r)
				}
			})
		}
	}
}

// TestEndedHook has a signal end the shell's hook while it waits for the model: the person
// has the prompt.
func TestEndedHook(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		scripttest.Need(t, shell)
		url, m, asks, answer := slowly(t, "text: Done.\n---\ntext: Again.")
		a := askAt(t, t.TempDir(), shell, url, m, nil)
		a.send("# go\r")
		<-asks
		for _, pid := range stagesOf(a.cmd.Process.Pid, shell) {
			syscall.Kill(pid, syscall.SIGINT)
		}
		answer()
		a.expect("0 cmds")
		a.alive()
		a.turn("# on")
		a.instructed("go", "on")
	})
}

// TestManyInterrupts has Ctrl-C come again and again, some of it while the hook meets
// ua-shell: the next lines are heard.
func TestManyInterrupts(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "text: Done.")
		for range 30 {
			a.send("true\r\x03")
			a.send("\x03")
		}
		a.quiet()
		a.send("\r") // zsh sees a Ctrl-C that came just before it reads at the next key, which it drops
		a.quiet()
		a.alive()
		a.turn("# go")
		a.instructed("go")
	})
}

// TestStolenAnswers has another program read at the FIFO what is meant for the shell's hook:
// the hook is asked again, and the turn goes on.
func TestStolenAnswers(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "call: pwd\n---\ncall: pwd\n---\ntext: Done.")
		paths, _ := filepath.Glob(filepath.Join(a.dir, "ua-shell-*/go"))
		if len(paths) != 1 {
			t.Fatalf("%q", paths)
		}
		fifo, err := os.Open(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		go func() { // how many of them it gets, the kernel decides
			for range 3 {
				if n, _ := fifo.Read(make([]byte, 4096)); n == 0 {
					return
				}
			}
		}()
		a.send("# go\r")
		a.expect("Done.")
		fifo.Close()
		a.alive()
		a.instructed("go")
	})
}

// TestReplacedFIFO has a program put a FIFO of its own, at which nobody answers, in the place
// of the session's: the person gets the prompt back, and is heard again.
func TestReplacedFIFO(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "text: Done.")
		paths, _ := filepath.Glob(filepath.Join(a.dir, "ua-shell-*/go"))
		if len(paths) != 1 {
			t.Fatalf("%q", paths)
		}
		os.Remove(paths[0])
		if err := syscall.Mkfifo(paths[0], 0o600); err != nil {
			t.Fatal(err)
		}
		a.alive()
		a.alive()
		a.send("# go\r")
		a.expect("Done.")
		a.alive()
		a.instructed("go")
	})
}

// TestHeldHook has a program write to the hook without end, or put a file without an end in
// the place of the FIFO: the person has the prompt all the same.
func TestHeldHook(t *testing.T) {
	for name, hold := range map[string]func(path string) (end func() error){
		"lines": func(path string) func() error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				for err == nil {
					_, err = f.WriteString("nothing\n")
				}
			}()
			return f.Close
		},
		"zero": func(path string) func() error {
			if err := errors.Join(os.Remove(path), os.Symlink("/dev/zero", path)); err != nil {
				t.Fatal(err)
			}
			return func() error { return nil }
		},
	} {
		t.Run(name, func(t *testing.T) {
			inShells(t, func(t *testing.T, shell string) {
				a := askIn(t, shell, "text: Done.")
				paths, _ := filepath.Glob(filepath.Join(a.dir, "ua-shell-*/go"))
				if len(paths) != 1 {
					t.Fatalf("%q", paths)
				}
				end := hold(paths[0])
				a.alive()
				a.alive()
				end()
			})
		})
	}
}
