package ring

import (
	"bytes"
	"context"
	"os/exec"

	"ua/cmd/ua/internal/stage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// lastLook lets the protected files of a killed sandbox be examined, once. What its
// commands have left in them, the user's next command could run. do gets the events.
func (l *loop) lastLook(do func(line []byte)) {
	for _, s := range l.stages {
		if s.OwesLook() {
			LastLook(l.env, do)
		}
	}
}

// LastLook lets ua-sandbox take every last look that is due. Each event about a protected
// file goes to do.
func LastLook(env *prog.Env, do func(line []byte)) {
	path := prog.Sibling("ua-sandbox")
	if path == "" {
		return
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
}
