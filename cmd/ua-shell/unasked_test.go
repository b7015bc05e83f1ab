package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// answerAll answers each question with the key until the model has said the word.
func (a *asked) answerAll(key, word string) (questions int) {
	a.t.Helper()
	questions = a.answered
	defer func() { a.answered = questions }()
	for ended := false; !ended; {
		a.until("question or end", func() bool {
			text := a.text()
			ended = strings.Contains(text, word)
			return ended || strings.Count(text, "help > ") > questions
		})
		if !ended {
			questions++
			a.send(key)
		}
	}
	return questions
}

// results are the results of the calls: status, exit status and output.
func (a *asked) results() (list []gjson.Result) {
	a.until("results", func() bool {
		list = a.journal("tool_result")
		return len(list) == len(a.journal("tool_call"))
	})
	return list
}

// TestReadsBeside: what only reads runs beside the shell, unasked, and sees of it the folder,
// what it exports and what the model has set. What lasts is typed, or asked about.
func TestReadsBeside(t *testing.T) {
	setup := map[string]string{
		"bash": "export SEEN=seen; hidden=x; ls() { echo live; }; alias pwd='echo live'; export -f ls",
		"zsh":  "export SEEN=seen; hidden=x; ls() { echo live; }; alias pwd='echo live'",
		"fish": "set -gx SEEN seen; set -g hidden x; function ls; echo live; end",
	}
	inShells(t, func(t *testing.T, shell string) {
		unset := map[string]string{"fish": `"$hidden"`}[shell]
		if unset == "" {
			unset = `"${hidden-}"`
		}
		calls := []struct{ call, status, output string }{
			{"cd sub", "run", ""},
			{"pwd; ls", "run", "/work/sub\nfile"},
			{"echo $SEEN" + unset + ".", "run", "seen."},
			{"cd '../two words'", "run", ""},
			{"pwd", "run", "/work/two words"},
			{"word=new", "run", ""},
			{"echo $word", "run", "new"},
			{"cd $HOME", "denied", "the person said no"},
			{"touch /tmp/canary.$$ ../canary", "denied", "the person said no"},
			{"true", "run", ""},
		}
		if shell == "fish" {
			calls[5], calls[6] = calls[4], calls[4]
		}
		var answers strings.Builder
		for _, c := range calls {
			fmt.Fprintf(&answers, "call: %s\n---\n", c.call)
		}
		answers.WriteString("text: All told.")
		a := askIn(t, shell, answers.String())
		os.WriteFile(filepath.Join(a.work, "sub/file"), nil, 0o644)
		os.Mkdir(filepath.Join(a.work, "two words"), 0o755)
		a.line(setup[shell])
		a.send("# look around\r")
		if n := a.answerAll("n", "All told."); n != 2 {
			t.Errorf("%d questions in %q", n, a.text())
		}
		got := a.results()
		for i, c := range calls {
			output := got[i].Get("output").Str
			output = strings.TrimPrefix(output, "<terminal_output>\n")
			output = strings.TrimSuffix(strings.TrimSuffix(output, "</terminal_output>"), "\n")
			if got[i].Get("status").Str != c.status || !strings.HasSuffix(output, c.output) ||
				c.output == "" && output != "" {
				t.Errorf("%s: %s", c.call, got[i])
			}
		}
		a.alive()
	})
}

// TestLive: the model can ask for the shell itself, and where no sandbox stands all asks.
func TestLive(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, `tool: shell {"command":"echo live $tty_only","live":true}`+
			"\n---\ntool: shell {\"command\":\"pwd\",\"live\":true}\n---\ntext: All told.")
		a.line(map[string]string{"fish": "set -g tty_only x"}[shell] +
			map[string]string{"bash": "tty_only=x", "zsh": "tty_only=x"}[shell])
		a.send("# look\r")
		a.expect("the model wants to run it in this shell, which is not in a sandbox")
		a.expect("[y] run [n] skip [v] view [q] quit [?] help > ")
		a.send("e")
		a.send("\x7fy")
		a.expect("live x\r\n")
		a.expect("[?] help > ")
		a.send("# not now\r")
		a.end()
		if r := a.results(); r[0].Get("exit_code").Int() != 0 || r[0].Get("profile").Str != "none" ||
			r[1].Get("output").Str != "the person said no: not now" {
			t.Errorf("%s", r)
		}
	})
}

// TestLiveUA: ua keeps runs and jobs where the sandbox beside the shell doesn't reach.
func TestLiveUA(t *testing.T) {
	a := askIn(t, "bash", "call: ua job start -- sleep 3\n---\ntext: Not started.")
	a.send("# start it\r")
	a.expect("⚠ ua keeps its runs and jobs where no sandbox beside this shell reaches")
	a.expect("[?] help > ")
	a.send("y")
	a.expect("hint: ua-shell has no jobs: end the command with & there")
	a.end()
}

// TestNoSandbox: where no sandbox stands, what only reads is asked about, and typed.
func TestNoSandbox(t *testing.T) {
	bin := t.TempDir()
	entries, err := os.ReadDir(scripttest.Bin(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		os.Symlink(filepath.Join(scripttest.Bin(t), e.Name()), filepath.Join(bin, e.Name()))
	}
	os.Remove(filepath.Join(bin, "ua-shell"))
	os.Link(filepath.Join(scripttest.Bin(t), "ua-shell"), filepath.Join(bin, "ua-shell"))
	os.Remove(filepath.Join(bin, "ua-sandbox"))
	os.WriteFile(filepath.Join(bin, "ua-sandbox"),
		[]byte("#!/bin/sh\necho 'ua-sandbox: no namespaces here' >&2\nexit 126\n"), 0o755)
	inShells(t, func(t *testing.T, shell string) {
		scripttest.Need(t, shell)
		url, m := serve(t, "call: pwd\n---\ncall: cd sub\n---\ncall: pwd\n---\ntext: All told."+
			"\n---\ncall: sleep 1000\n---\ntext: Slept.")
		a := askAtBin(t, bin, t.TempDir(), shell, url, m, nil)
		a.send("# look\r")
		a.expect("there is no sandbox here (ua-sandbox: no namespaces here")
		if n := a.answerAll("y", "All told."); n != 2 {
			t.Errorf("%d questions in %q", n, a.text())
		}
		a.send("# sleep\r")
		a.expect("❯ sleep 1000 ▐ read_only")
		a.expect("help > ")
		a.send("y")
		a.foreground("sleep", "1000")
		a.send("\x03")
		a.expect("Slept.")
		if r := a.results(); len(r) != 4 || !strings.Contains(r[2].Get("output").Str, "/work/sub") {
			t.Errorf("%s", r)
		}
	})
}

// hostile fills a folder with files and settings whose text, taken for a number, a name, a
// module or a setting, runs a command that writes to the canary.
func hostile(dir, canary string) {
	code := "echo hit >>" + canary
	for name, text := range map[string]string{
		"f": "a[$(" + code + ")]\n", "g": "x=a[`" + code + "`]\n", "h": "$(" + code + ")\n",
		"Makefile": "X := $(shell " + code + ")\nall:\n\t" + code + "\n",
		"evil":     "#!/bin/sh\n" + code + "\n",
		"json.py":  "import os\nos.system('" + code + "')\n", "conf": "core.fsmonitor=" + code + "\n",
		"package.json": `{"scripts":{"preinstall":"` + code + `"}}`, ".envrc": code + "\n",
	} {
		os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755)
	}
	os.MkdirAll(filepath.Join(dir, ".git/objects"), 0o755)
	os.MkdirAll(filepath.Join(dir, ".git/refs"), 0o755)
	os.WriteFile(filepath.Join(dir, ".git/HEAD"), []byte("ref: refs/heads/main\n"), 0o644)
	os.WriteFile(filepath.Join(dir, ".git/config"), []byte("[core]\n\tfsmonitor = "+code+
		"\n\tpager = "+code+"\n[alias]\n\tst = !"+code+"\n"), 0o644)
}

// proofs are commands that a gate may take for reading, and that run what a file says where
// nothing holds. FILE is one of hostile's.
var proofs = []string{
	"x=$(cat FILE)", "echo $((x))", "x=$(cat FILE); echo $((x))", "read x <FILE",
	"read x <FILE; echo $((x))", "[[ $(cat FILE) -eq 1 ]]", "echo ${arr[$(cat FILE)]}",
	`test -v "$(cat FILE)"`, `[ -v "$(cat FILE)" ]`, `[[ -v $(cat FILE) ]]`, "export CC=./evil",
	"export PAGER=./evil", "export GIT_PAGER=./evil LESSOPEN='|./evil %s'", "make -n", "make -pn",
	"python3 -m json.tool FILE", "python3 -c 'import json'", "git status", "git diff --stat",
	"git ls-files -m", "git log -1", "git st", "declare -i n; n=$(cat FILE)", "let n=$(cat FILE)",
	`printf -v "$(cat FILE)" x`, "for i in $(cat FILE); do echo $((i)); done",
	"while read l; do echo $((l)); done <FILE", "(( $(cat FILE) ))", "echo $(($(cat FILE)))",
	"echo ${x:$(cat FILE)}", `eval "$(cat FILE)"`, ". ./FILE", "env -S \"$(cat FILE)\"", "cat FILE",
	"grep -c hit FILE", "head -n 1 FILE | tr a b", "npm ls", "cargo metadata", "x=FILE", "y=f",
	"x='a[$(./evil)]'", "cd .", "cd sub", "cd ..", "echo ${x@P}", "test $(cat FILE) -eq 1",
	"export RUSTC_WRAPPER=./evil", "export SYSTEMD_LESS='-p !./evil'", "export NIX_CONFIG=x",
	"export DBUS_SESSION_BUS_ADDRESS=unixexec:path=./evil", "NODE_OPTIONS='-r ./evil' node -p 1",
	"declare -gx PYTHONSTARTUP=./evil", "typeset -x BASH_ENV=FILE", "bundle list", "mvn --version",
	"wc -l FILE", "sort FILE | uniq -c", // which fish has, too
	"mapfile -t m <FILE; echo $((m[0]))", "unset \"$(cat FILE)\"", "echo \"$[$(cat FILE)]\"",
}

// around are ways to write a command into another one.
var around = []string{"%s", "%s", "%s", "( %s )", "{ %s; }", "%s | cat", "! %s", "true && %s",
	"false || %s", "if true; then %s; fi", "cd . && %s", "%s; %s", "time %s", "echo \"$(%s)\"",
	"%s 2>/dev/null", "command %s"}

// TestHostileReads has the model run hundreds of commands that read hostile files, in the
// person's own shell: whatever the gate takes them for, nothing of it runs outside of a
// sandbox. The person says no to all that is asked. UA_TEST_ALL=1 takes 510 commands.
func TestHostileReads(t *testing.T) {
	each := len(proofs) + 20
	if os.Getenv("UA_TEST_ALL") != "" {
		each = 170
	}
	inShells(t, func(t *testing.T, shell string) {
		scripttest.Need(t, shell)
		canary := filepath.Join(t.TempDir(), "canary")
		random := rand.New(rand.NewPCG(32, uint64(len(shell)+int(shell[0]))))
		pick := func(list []string) string { return list[random.IntN(len(list))] }
		file := func(s string) string {
			return strings.ReplaceAll(s, "FILE", pick([]string{"f", "g",
				"h"}))
		}
		var answers strings.Builder
		for i := range each {
			command := file(proofs[i%len(proofs)])
			if i >= len(proofs) {
				form := pick(around)
				command = strings.Replace(form, "%s", file(pick(proofs)), 1)
				command = strings.Replace(command, "%s", file(pick(proofs)), 1)
			}
			fmt.Fprintf(&answers, "call: %s\n---\n", command)
		}
		answers.WriteString("text: All told.")
		url, m := serve(t, answers.String())
		m.AnyTurn = true
		a := askAt(t, t.TempDir(), shell, url, m,
			[]string{"--max-turns", "1000", "--max-commands", "1000"}, "PAGER=cat")
		hostile(a.work, canary)
		hostile(filepath.Join(a.work, "sub"), canary)
		a.send("# look at all of it\r")
		questions := a.answerAll("n", "All told.")
		a.alive()
		if hit, err := os.ReadFile(canary); err == nil {
			t.Errorf("ran outside: %q", hit)
		}
		ran := 0
		for _, r := range a.results() {
			if r.Get("status").Str == "run" {
				ran++
			}
			if p := r.Get("profile").Str; p == "none" && r.Get("output").Str != "" {
				t.Errorf("typed: %s", r)
			}
		}
		if least := map[string]int{"fish": 5}[shell]; ran < each/max(least, 3) { // of fish less is read
			t.Errorf("%d of %d have run, %d questions", ran, each, questions)
		}
		t.Logf("%s: %d run, %d questions", shell, ran, questions)
	})
}

// TestNotPlain: a change of folder or an assignment that means something of its own in this
// shell is asked about.
func TestNotPlain(t *testing.T) {
	for shell, changes := range map[string][][2]string{
		"bash": {{"CDPATH=/usr", "cd lib"}, {"unset CDPATH; alias cd='echo'", "cd sub"},
			{"unalias cd; function cd { echo; }", "cd sub"}, {"unset -f cd; shopt -s cdable_vars",
				"cd sub"},
			{"shopt -u cdable_vars; declare -i n", "n=5"}, {"declare -n r=PATH", "r=5"}, {"v=1", "v=2"},
			{"declare -r ro", "ro=5"}, {"export e", "e=5"}, {"declare -a l", "l=5"}, {"set -a", "q=5"}},
		"zsh": {{"CDPATH=/usr", "cd lib"}, {"unset CDPATH; alias cd='echo'", "cd sub"},
			{"unalias cd; function cd { echo; }", "cd sub"}, {"unfunction cd; setopt cdable_vars",
				"cd sub"},
			{"unsetopt cdable_vars; alias -g sub=/usr", "cd sub"}, {"typeset -i n", "n=5"}, {"v=1", "v=2"},
			{"typeset -r ro=1", "ro=5"}, {"export e", "e=5"}, {"true", "path=x"}, {"true", "commands=x"},
			{"true", "prompt=x"}, {"true", "status=1"}, {"setopt all_export", "q=5"}},
		"fish": {{"set -g CDPATH /usr", "cd lib"}, {"set -e CDPATH; alias cd echo", "cd sub"}},
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			var answers strings.Builder
			for i, c := range changes {
				fmt.Fprintf(&answers, "call: %s\n---\ntext: Told %d.\n---\n", c[1], i)
			}
			a := askIn(t, shell, answers.String()+"call: cd sub\n---\ntext: Told all.")
			a.model.AnyTurn = true
			for i, c := range changes {
				a.line(c[0])
				before := len(a.text())
				a.send("# change it\r")
				if n := a.answerAll("n", fmt.Sprintf("Told %d.", i)); n != i+1 {
					t.Fatalf("%s; %s: %d questions in all: %q", c[0], c[1], n, a.text()[before:])
				}
				a.until("end of the turn", func() bool { return strings.Contains(a.text()[before:], "↓ ") })
			}
		})
	}
}
