package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"ua/internal/test/scripttest"
)

// A DEBUG trap, as one that measures how long a command takes, sees nothing of ours
// between the prompt and Enter.
func TestDebugTrap(t *testing.T) {
	c, _ := setup{"bash", "",
		`trap 'seen+=("$BASH_COMMAND")' DEBUG; PROMPT_COMMAND='seen=()'; PS1='$ '`}.start(t)
	for range 3 {
		c.expect("\x1b]133;B")
		c.send("declare -p seen\r")
		c.expect("declare -a seen=(")
		want := `[0]="__ua_enter \"\$_\"" [1]="declare -p seen")`
		if got := c.expect(")\r\n"); got != want+"\r\n" {
			t.Errorf("%q, want %q", got, want)
		}
	}
	c.send("PROMPT_COMMAND='echo mi''ne; seen=()'\r")
	c.expect("mine\r\n")
	c.send("trap -p DEBUG; declare -p PROMPT_COMMAND\r")
	c.expect(`trap -- 'seen+=("$BASH_COMMAND")' DEBUG`)
	if got := c.expect("mine\r\n"); strings.Contains(got, `="seen=()"`) {
		t.Errorf("what was replaced is still there: %q", got)
	}
}

// preexec is how bash-preexec tells commands from what runs at the prompt; before 0.6 it
// did not know of a line editor that calls functions.
const preexec = `bash_preexec_imported=defined mode= __bp_inside_preexec=0
__bp_interactive_mode() { mode=on; }
__bp_preexec_invoke_exec() {
  local part IFS=$'\n;'
  (( __bp_inside_preexec > 0 )) && return
  @POINT@
  [[ $mode ]] || return
  mode=
  for part in ${PROMPT_COMMAND[*]}; do [[ $part != "$BASH_COMMAND" ]] || return; done
  echo "{pre:$(HISTTIMEFORMAT= history 1 | sed 's/^ *[0-9]* *//' | tr '\n' ,)}"
}
begin() { local s=$?; echo "{cmd:$s}"; return $s; }
install() {
  trap '__bp_preexec_invoke_exec "$_"' DEBUG
  PROMPT_COMMAND=begin PROMPT_COMMAND+=(__bp_interactive_mode)
  begin; __bp_interactive_mode
}
PROMPT_COMMAND=$'trap - DEBUG\ninstall'
`

// What hangs on bash-preexec is called before each command and with it, as without us.
func TestPreexec(t *testing.T) {
	scripttest.Need(t, "bash")
	for version, point := range map[string]string{
		"0.5": ":", "0.6": "[[ ${READLINE_POINT+x} ]] && return",
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			rc := strings.Replace(preexec, "@POINT@", point, 1)
			called := func(argv ...string) string {
				home := t.TempDir()
				os.WriteFile(filepath.Join(home, ".bashrc"), []byte(rc), 0o644)
				c := launch(t, home, nil, argv...)
				c.expect("{cmd:0}")
				for _, line := range []string{"echo one", "true", "", " # no", "cat <<X\rin\rX", "(exit 3)",
					"false | true", "for i in 1 2\rdo echo $i\rdone", "echo a; echo b"} {
					c.send(line + "\r")
					c.expect("{cmd:")
				}
				c.send("exit\r")
				c.status()
				return strings.Join(regexp.MustCompile(`\{.*?\}`).FindAllString(c.text(), -1), " ")
			}
			want := called("bash")
			got := called(filepath.Join(scripttest.Bin(t), "ua-shell"), "--shell", "bash")
			if got != want || !strings.Contains(want, "{pre:") {
				t.Errorf("called %s\nwant   %s", got, want)
			}
		})
	}
}

// TestTrapOfEndedHook has a signal end bash's hook while it waits: the user's DEBUG trap,
// which is put away meanwhile, is back for the next line, and stays.
func TestTrapOfEndedHook(t *testing.T) {
	scripttest.Need(t, "bash")
	url, m, asks, answer := slowly(t, "text: Done.\n---\ntext: Again.")
	home := t.TempDir()
	os.WriteFile(filepath.Join(home, ".bashrc"),
		[]byte("trap 'last=$BASH_COMMAND' DEBUG\nPS1='$ '\n"), 0o644)
	a := askAt(t, home, "bash", url, m, nil)
	a.line("true")
	a.send("# go\r")
	<-asks
	for _, pid := range stagesOf(a.cmd.Process.Pid, "bash") {
		syscall.Kill(pid, syscall.SIGINT)
	}
	answer()
	a.expect("0 cmds")
	for range 3 {
		a.send("trap -p DEBUG; echo sho''wn\r")
		if got := a.expect("shown\r\n"); !strings.Contains(got,
			"trap -- 'last=$BASH_COMMAND' DEBUG") {
			t.Errorf("%q", got)
		}
		a.alive()
	}
	a.turn("# on")
}
