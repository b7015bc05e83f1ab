package main

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"

	"ua/internal/test/scripttest"
)

// TestQuitAlone sends SIGQUIT, the signal of Ctrl-\, to each program that waits: it ends
// with status 131 and no dump of Go's.
func TestQuitAlone(t *testing.T) {
	t.Parallel()
	const line = `{"type":"x"}` + "\n"
	p := newPlace(t, os.Getuid())
	model := p.model("hang")
	p.write("j", line)
	p.write(p.home+"/hook", "#!/bin/sh\nsleep 303\n")
	os.Chmod(p.home+"/hook", 0o700)
	p.write(p.home+"/.config/ua/policy.toml",
		"[[hooks.pre_exec]]\ncommand = \""+p.home+"/hook\"\n")
	const asks = `{"type":"tool_call","id":"c","name":"shell","input":{"command":"ls"}}` + "\n"
	for _, c := range []struct{ args, in, until string }{
		{"ua-gate", line, line},
		{"ua-gate", asks + line, asks},
		{"ua-gate watch", line, line},
		{"ua-exec", line, line},
		{"ua-journal tail -f ./j", "", `{"type":"x"`},
		{"ua-think question", "", ""},
	} {
		cmd := p.command(strings.Fields(c.args)...)
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		in.Write([]byte(c.in))
		if c.until != "" {
			if got, err := bufio.NewReader(out).ReadString('\n'); !strings.HasPrefix(got, c.until) {
				t.Fatalf("%s: %q, %v", c.args, got, err)
			}
		} else {
			scripttest.Await(t, "the request", func() bool {
				_, err := os.Stat(model.Dir + "/requests/1")
				return err == nil
			})
		}
		cmd.Process.Signal(syscall.SIGQUIT)
		cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != 131 || strings.Contains(errs.String(),
			"goroutine") {
			t.Errorf("%s: %v: %s", c.args, cmd.ProcessState, errs.String())
		}
	}
}

// TestQuitAtQuestion answers a question of the gate's by Ctrl-\.
func TestQuitAtQuestion(t *testing.T) {
	x := onTerminal(t, "call: rm -rf old\n---\ntext: done", "--ask", "task")
	x.expect("[y]")
	x.tty.WriteString("\x1c")
	if status := x.end(); status != 131 || strings.Contains(x.seen, "goroutine") {
		t.Errorf("status %d: %s", status, x.seen)
	}
}
