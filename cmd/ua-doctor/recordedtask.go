package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tidwall/gjson"

	"ua/internal/common/prog"
	"ua/internal/common/xdg"
)

// recording holds the answers of a model that runs two commands without any effect. The
// first only reads; the second runs in the profile that may write.
const recording = `{"type":"response","model":"doctor","stop_reason":"tool_use","content":[` +
	`{"type":"tool_use","id":"a","name":"shell","input":{"command":"true"}},` +
	`{"type":"tool_use","id":"b","name":"shell","input":{"command":"mkdir -p ."}}]}
{"type":"response","model":"doctor","stop_reason":"end_turn","content":[{"type":"text",` +
	`"text":"done"}]}
`

// trial runs ua on a recorded task with all of the user's settings, since nothing less
// shows that a task would work. The run is kept in a temporary folder. A think command of
// the user's own is not used, because its model may cost money.
func trial(ctx context.Context, think string) Check {
	dir, err := os.MkdirTemp(xdg.State(), "d")
	if err != nil {
		return Check{"task", Failed, err.Error(), "runs are kept there: make it writable"}
	}
	defer os.RemoveAll(dir)
	model := filepath.Join(dir, "model.jsonl")
	if err := os.WriteFile(model, []byte(recording), 0o600); err != nil {
		return Check{"task", Failed, err.Error(), "runs are kept there: make it writable"}
	}
	args := []string{"--json", "--model", "replay:" + model}
	if think != "" {
		args = append(args, "--think", "exec ua-think")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var said strings.Builder
	cmd := exec.CommandContext(ctx, prog.Sibling("ua"), append(args, "--", "try two commands")...)
	// Of two values of a variable the last one holds (os/exec, Cmd.Env).
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir, "XDG_CACHE_HOME="+dir,
		"PATH="+filepath.Dir(prog.Sibling("ua-think"))+":"+os.Getenv("PATH"))
	cmd.Stderr = &said
	// SIGTERM and not SIGKILL, so that ua can end its stages.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = patience / 10
	events, err := cmd.Output()
	return outcome(events, said.String(), dir, err)
}

// outcome returns the check of a trial from the events of its run, its stderr and its
// error. Hints that name files in dir are dropped, since dir is removed.
func outcome(events []byte, said, dir string, err error) Check {
	ran, denied := 0, 0
	for line := range bytes.Lines(events) {
		switch result := gjson.ParseBytes(line); {
		case result.Get("type").Str != "tool_result":
		case result.Get("status").Str == "run":
			ran++
		case result.Get("status").Str == "denied":
			denied++
		default:
			said = "ua-exec: " + result.Get("output").Str
		}
	}
	switch {
	// Such a policy is the user's choice, so it is only a warning.
	case denied > 0:
		return Check{"task", Warned, "the policy denies a command that has no effect",
			"ua-gate explain 'mkdir -p .' says why"}
	case err == nil && ran == 2:
		return Check{"task", OK, "two recorded commands ran in the sandbox", ""}
	}
	var causes []string
	for line := range strings.Lines(said) {
		if !strings.Contains(line, ": hint: ") {
			causes = append(causes, strings.TrimSpace(line))
		} else if strings.Contains(line, dir) {
			said = strings.ReplaceAll(said, line, "")
		}
	}
	c := failed("task", said, "ua-config(5) describes the settings that it used")
	if len(causes) > 0 {
		c.Detail = strings.Join(causes, "; ")
	}
	return c
}
