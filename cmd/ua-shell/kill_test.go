package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"ua/internal/common/scripttest"
)

// kills is how often a process is killed in each shell: who is the first to look at the
// terminal afterwards is a matter of luck.
const kills = 12

// However we are killed, the shell that started us finds the terminal as it was. It
// looks as soon as it hears of our end, and zsh and fish keep what they find.
func TestKilledUnderShell(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		c := outer(t, shell)
		for range kills {
			us := c.inside()
			syscall.Kill(us, syscall.SIGKILL)
			c.unchanged()
		}
		c.send("exit\r")
		c.status()
	})
}

// A watchdog that is killed is followed by another, so that the next kill, of ours, still
// leaves the terminal as it was.
func TestKilledWatchdog(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		c := outer(t, shell)
		for range kills {
			us := c.inside()
			old := watchdogsOf(us)
			if len(old) != 1 {
				t.Fatalf("watchdogs %v", old)
			}
			syscall.Kill(old[0], syscall.SIGKILL)
			c.until("watchdog that traces us", func() bool {
				now := watchdogsOf(us)
				return len(now) == 1 && now[0] != old[0] && traces(now[0], us)
			})
			c.send("echo go''es on\r")
			c.expect("goes on\r\n")
			syscall.Kill(us, syscall.SIGKILL)
			c.unchanged()
		}
		c.send("exit\r")
		c.status()
	})
}

// An outerShell is an interactive shell in which ua-shell is started as a job.
type outerShell struct {
	*console
	prompt string
}

func outer(t *testing.T, shell string) outerShell {
	t.Helper()
	scripttest.Need(t, shell, "stty", "cmp")
	argv := map[string][]string{"bash": {"bash", "--norc"}, "zsh": {"zsh", "-f"},
		"fish": {"fish", "-N", "-C", "function fish_prompt; printf 'OUT> '; end"}}[shell]
	c := outerShell{launch(t, t.TempDir(), []string{"PS1=OUT> ", "SHELL=/bin/sh"}, argv...), "OUT> "}
	c.expect(c.prompt)
	c.send("stty -g >modes; echo kep''t\r")
	c.expect("kept\r\n")
	return c
}

// inside starts ua-shell and returns its process.
func (c outerShell) inside() (pid int) {
	c.t.Helper()
	c.expect(c.prompt)
	c.send("env PS1='IN''NER> ' ua-shell --no-agent --shell /bin/sh\r")
	c.expect("INNER> ")
	us := stagesOf(c.cmd.Process.Pid, "ua-shell")
	if len(us) != 1 {
		c.t.Fatalf("processes of ua-shell: %v", us)
	}
	return us[0]
}

// unchanged fails if a command of the outer shell finds other modes than at first.
func (c outerShell) unchanged() {
	c.t.Helper()
	c.expect(c.prompt)
	c.send("stty -g | cmp modes - && echo sa''me || echo oth''er\r")
	c.until("answer", func() bool {
		text := c.text()[c.seen:]
		return strings.Contains(text, "same\r") || strings.Contains(text, "other\r") ||
			strings.Contains(text, "other\n")
	})
	if strings.Contains(c.text()[c.seen:], "other") {
		c.t.Fatal("the terminal has other modes")
	}
	c.expect("same\r")
}

func watchdogsOf(pid int) []int { return stagesOf(pid, "ua-watchdog") }

// traces reports whether a thread of one process traces the other.
func traces(watchdog, pid int) bool {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, _ := strings.Cut(string(status), "TracerPid:\t")
	thread, _, _ := strings.Cut(after, "\n")
	_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%s", watchdog, thread))
	return err == nil
}
