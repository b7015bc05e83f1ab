package ring

import (
	"bytes"
	"context"
	"os/exec"

	"ua/cmd/ua/internal/stage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// lastLook has the guarded files of a sandbox that was killed looked at, once: what its
// commands have left there, the user's next command could run. do gets the events.
func (l *loop) lastLook(do func(line []byte)) {
	for _, s := range l.stages {
		if s.OwesLook() {
			LastLook(l.env, do)
		}
	}
}

// LastLook has ua-sandbox take the looks that are due.
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
