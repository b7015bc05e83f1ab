package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Ctrl-C gives the prompt back while the model answers, and what was typed
// meanwhile comes at the prompt.
func TestCancel(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "text: I begin\nhang\n---\ntext: Once more.\n---\ntext: Again.")
		a.send("# go\r")
		a.expect("I begin")
		a.send("echo ty")
		a.send("\x03")
		a.end()
		a.line("ped-ahead")
		a.expect("typed-ahead\r\n")
		if out := a.turn("# go on"); !strings.Contains(out, "Once more.") {
			t.Errorf("%q", out)
		}
	})
}

// Ctrl-C goes to a command that runs, and drops what was to follow; twice it ends
// the turn.
func TestInterrupt(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askWith(t, shell, "call: sleep 1000\ncall: pwd\n---\ntext: You stopped it.\n---\ncall: "+
			"sleep 1001\n---\ntext: never\n---\ntext: never", []string{"--sandbox", "workspace"})
		a.send("# sleep\r")
		a.expect("sleep 1000")
		a.foreground("sleep", "1000")
		a.send("lost?\x03")
		if out := a.end(); !strings.Contains(out, "You stopped it.") {
			t.Errorf("%q", out)
		}
		a.send("\x15")
		if r := a.journal("tool_result"); len(r) != 2 || r[0].Get("status").Str != "interrupted" ||
			r[1].Get("status").Str != "denied" {
			t.Errorf("results %v", r)
		}
		a.send("# sleep again\r")
		a.expect("sleep 1001")
		a.foreground("sleep", "1001")
		a.send("\x03\x03")
		if out := a.end(); strings.Contains(out, "never") {
			t.Errorf("%q", out)
		}
		a.line("echo here")
		a.expect("here\r\n")
	})
}

// A stage that is killed ends the turn with a word, and the next turn works.
func TestKilledStages(t *testing.T) {
	for _, stage := range []string{"ua-think", "ua-gate", "ua-journal"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			a := askIn(t, "bash", "call: touch x\n---\ntext: Fine.\n---\ntext: Fine.\n---\ntext: Fine.")
			a.send("# make it\r")
			a.expect("[?] help > ")
			for _, pid := range stagesOf(a.cmd.Process.Pid, stage) {
				syscall.Kill(pid, syscall.SIGKILL)
			}
			a.end()
			if out := a.turn("# once more"); !strings.Contains(out, "Fine.") {
				t.Errorf("%q", out)
			}
		})
	}
}

// stagesOf is the processes of that name below a pid.
func stagesOf(pid int, name string) (list []int) {
	out, _ := exec.Command("pgrep", "-P", strconv.Itoa(pid), "-x", name).Output()
	for _, word := range strings.Fields(string(out)) {
		n, _ := strconv.Atoi(word)
		list = append(list, n)
	}
	return list
}

// Without a model the shell starts, and says what is missing when it is asked.
func TestNoModel(t *testing.T) {
	a := askIn(t, "bash", "text: x", "ANTHROPIC_BASE_URL=", "ANTHROPIC_API_KEY=")
	a.send("# hello?\r")
	a.expect("ANTHROPIC_API_KEY")
	a.end()
	a.line("echo works")
	a.expect("works\r\n")
	a = askIn(t, "bash", "text: x", "XDG_STATE_HOME=/proc/none")
	a.send("# hello?\r")
	a.expect("the session's journal can't be kept")
	a.end()
	a.line("echo works")
	a.expect("works\r\n")
}

// However a session ends, its stages are gone. Only after SIGKILL its folder is left, and the
// journal has no summary.
func TestNothingIsLeft(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			a := askIn(t, "bash", "call: touch x\n---\ntext: x")
			a.send("# make it\r")
			a.expect("[?] help > ")
			var stages []int
			for _, name := range []string{"ua-think", "ua-gate", "ua-journal"} {
				stages = append(stages, stagesOf(a.cmd.Process.Pid, name)...)
			}
			if len(stages) != 3 {
				t.Fatalf("stages %v", stages)
			}
			a.cmd.Process.Signal(sig)
			if got := a.status(); got != 128+int(sig) {
				t.Errorf("status %d", got)
			}
			a.until("end of all", func() bool {
				left, _ := filepath.Glob(a.dir + "/ua-shell-*")
				for _, pid := range stages {
					if syscall.Kill(pid, 0) == nil {
						return false
					}
				}
				return len(left) == 0 || sig == syscall.SIGKILL
			})
			if n := len(a.journal("summary")); n != 1 && sig != syscall.SIGKILL {
				t.Errorf("%d summaries", n)
			}
		})
	}
}

// A shell that does not tell when it is at its prompt works as without us, and says how to ask.
func TestSilentShell(t *testing.T) {
	for shell, rc := range map[string]string{
		"/bin/sh": "", "bash": "unset PROMPT_COMMAND; readonly PROMPT_COMMAND=; PS1='$ '",
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			os.WriteFile(filepath.Join(home, ".bashrc"), []byte(rc+"\n"), 0o644)
			a := openIn(t, home, []string{"UA_MODEL=anthropic/fake", "NO_COLOR=1"}, "--shell", shell)
			a.until("prompt", func() bool {
				return strings.Contains(a.text(), "$ ") && strings.Contains(a.text(), "ua TASK asks")
			})
			a.send("# no question\recho wo''rks\r")
			a.expect("works\r\n")
			if runs, _ := filepath.Glob(filepath.Join(a.home, ".local/state/ua/runs/*/journal*")); len(
				runs) > 0 {
				t.Errorf("runs %v", runs)
			}
		})
	}
}

// A session in which nothing was asked leaves no run.
func TestNoRunIsLeft(t *testing.T) {
	a := askIn(t, "bash", "text: x")
	a.cmd.Process.Signal(syscall.SIGHUP)
	a.status()
	if left, _ := filepath.Glob(filepath.Join(a.home, ".local/state/ua/runs/*")); len(left) > 0 {
		t.Errorf("%q", left)
	}
}
