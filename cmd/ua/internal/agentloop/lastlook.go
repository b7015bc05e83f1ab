package agentloop

import (
	"bytes"
	"context"
	"os/exec"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
)

// lastLook lets the protected files of a killed sandbox be examined, once. What its
// commands have left in them, the user's next command could run. do gets the events. A look
// that was not whole is no success.
func (l *loop) lastLook(do func(line []byte)) {
	for _, s := range l.stages {
		if s.OwesLook() && !LastLook(l.env, func(line []byte) { l.sees(line); do(line) }) {
			l.result = notLooked(l.result, "protected files were not checked after the run: "+
				"ua-sandbox --last-look checks them")
		}
	}
	if what, ok := l.unseen.Load().(string); ok {
		l.result = notLooked(l.result, what)
	}
}

// notLooked returns the outcome of a run with what could not be looked at.
func notLooked(o outcome, what string) outcome {
	if o.status != 0 {
		return o
	}
	return outcome{prog.Trouble, "ua-sandbox", what, false}
}

// LastLook lets ua-sandbox take every last look that is due, and reports whether it did.
// Each event about a protected file goes to do.
func LastLook(env *prog.Env, do func(line []byte)) (taken bool) {
	path := prog.Sibling("ua-sandbox")
	if path == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), stage.Grace)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--last-look", "--net-log-fd", "1")
	cmd.Stderr = env.Stderr
	out, err := cmd.Output()
	if err != nil {
		env.Warnf("ua-sandbox --last-look: %v", err)
	}
	for line := range bytes.Lines(out) {
		if line = bytes.TrimSpace(line); event.Type(line) == "guarded" && event.Valid(line) {
			do(line)
		}
	}
	return err == nil
}
