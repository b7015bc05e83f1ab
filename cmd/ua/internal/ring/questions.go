package ring

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/questions"
	"ua/internal/common/style"
)

// askTimeout is how long a question waits for its answer.
const askTimeout = 10 * time.Minute

// askArgs returns the options by which ua-gate asks: on the terminal, and whoever answers by
// ua answer. That writes to the folder of the run at the top, which no command can, but which
// the gate of a subagent reads in the sandbox.
func (l *loop) askArgs() []string {
	args := []string{"--ask"}
	if dir := questions.Folder(l.run); ownFolder(dir, 0o700) == nil {
		args = append(args, "--answers", dir)
	}
	limit := cmp.Or(time.Duration(l.o.AskTimeout), askTimeout)
	return append(args, "--ask-timeout", limit.String())
}

// notifyTime is how long the command that tells of a question may take.
const notifyTime = 30 * time.Second

// notify runs the user's command for a question, with the question on its standard input.
func (l *loop) notify(ask []byte) {
	if l.o.notifyLine == "" || l.o.depth > 0 {
		return
	}
	text := fmt.Sprintf("%s (%s)\n%s\n\nua answer %s yes|no\n",
		style.FirstLine(event.Str(ask, "reason"), 400), event.Str(ask, "risk"),
		style.Printable(event.Str(ask, "command")), l.run.ID)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
		defer cancel()
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", l.o.notifyLine)
		cmd.Env = config.OutsideEnv(os.Environ())
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			l.env.Warnf("notify: %v %s", err, style.FirstLine(string(out), 200))
		}
	}()
}
