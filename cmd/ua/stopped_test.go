package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ua/internal/common/event"
	"ua/internal/test/scripttest"
)

// TestStopped stops each program of a run with SIGSTOP, which no program can
// refuse, while a command runs or the model answers: the run ends all the same, says
// which it was, and leaves nothing.
func TestStopped(t *testing.T) {
	scripttest.NeedProcesses(t)
	programs := []string{"ua-think", "ua-gate", "ua-sandbox", "ua-exec", "ua-journal"}
	for i, victim := range append(programs, programs...) {
		answers, until := running, "verdict"
		if i >= len(programs) {
			answers, until = answering, "turn"
		}
		t.Run(until+"/"+victim, func(t *testing.T) {
			t.Parallel()
			cmd, dir := begin(t, answers, until)
			all := descendants(cmd.Process.Pid)
			for _, p := range all {
				if is(p, victim) {
					syscall.Kill(p.pid, syscall.SIGSTOP)
					break
				}
			}
			cmd.Wait()
			scripttest.Await(t, "the end of all", func() bool { return len(alive(all)) == 0 })
			kept := bytes.TrimSpace(journalOf(t, dir))
			last := kept[bytes.LastIndexByte(kept, '\n')+1:]
			if event.Type(last) != "summary" || !bytes.Contains(last, []byte(`"retryable":true`)) ||
				!bytes.Contains(last, []byte("was stopped by a signal")) {
				t.Errorf("the last line is %s", last)
			}
			if cmd.ProcessState.ExitCode() != 2 {
				t.Errorf("ended with %v: %s", cmd.ProcessState, cmd.Stderr)
			}
		})
	}
}

// TestStoppedFilter stops a program in a shell line of the user's that stands for a stage.
func TestStoppedFilter(t *testing.T) {
	scripttest.NeedProcesses(t)
	for _, option := range []string{"think", "gate", "exec"} {
		program := filepath.Join(scripttest.Bin(t), "ua-"+option)
		line := program + " | cat"
		if option == "exec" {
			line = "cat | " + filepath.Join(scripttest.Bin(t), "ua-sandbox") +
				" --profile workspace -- " + program
		}
		t.Run(option, func(t *testing.T) {
			t.Parallel()
			cmd, dir := begin(t, running, "verdict", "--"+option, line)
			all := descendants(cmd.Process.Pid)
			i := slices.IndexFunc(all, func(p process) bool { return p.name == "cat" })
			syscall.Kill(all[i].pid, syscall.SIGSTOP)
			cmd.Wait()
			scripttest.Await(t, "the end of all", func() bool { return len(alive(all)) == 0 })
			kept := journalOf(t, dir)
			if cmd.ProcessState.ExitCode() != 2 || !bytes.Contains(kept, []byte(
				`was stopped by a signal`)) {
				t.Errorf("ended with %v: %s", cmd.ProcessState, cmd.Stderr)
			}
		})
	}
}

// TestStoppedGateway stops what answers subagents, which is ended, so that another one can
// answer.
func TestStoppedGateway(t *testing.T) {
	scripttest.NeedProcesses(t)
	p := newPlace(t, os.Getuid())
	p.model("call: ua 'a part'\n---\nhang")
	cmd := p.command("ua", "task")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	all := []process{}
	serves := func(p process) bool {
		return is(p, "ua-think") && strings.Contains(p.name, " serve ")
	}
	scripttest.Await(t, "the agents' gateway", func() bool {
		all = descendants(cmd.Process.Pid)
		return slices.ContainsFunc(all, serves)
	})
	first := all[slices.IndexFunc(all, serves)]
	syscall.Kill(first.pid, syscall.SIGSTOP)
	scripttest.Await(t, "its end", func() bool { return len(alive([]process{first})) == 0 })
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if kept := p.events("error"); len(kept) == 0 ||
		kept[0].Get("stage").Str != "ua-think serve" {
		t.Errorf("kept: %v", kept)
	}
}

// TestLostRecord ends the journal's writer when the answer is there and the summary is not:
// that is no success, and another writer says so.
func TestLostRecord(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		p := newPlace(t, os.Getuid())
		p.recording("main.jsonl", "all done")
		cmd := p.command("ua", "--exec", "cat; sleep 4", "task")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		scripttest.Await(t, "the answer", func() bool {
			found := p.glob("*/journal.jsonl")
			if len(found) != 1 {
				return false
			}
			kept, _ := os.ReadFile(found[0])
			return bytes.Contains(kept, []byte("all done"))
		})
		for _, d := range descendants(cmd.Process.Pid) {
			if is(d, "ua-journal") {
				syscall.Kill(d.pid, sig)
			}
		}
		cmd.Wait()
		last := p.events("summary")
		if cmd.ProcessState.ExitCode() != 2 || len(last) != 1 || last[0].Get("exit_code").Int() != 2 {
			t.Errorf("%v: %v, %v", sig, cmd.ProcessState, last)
		}
	}
}
