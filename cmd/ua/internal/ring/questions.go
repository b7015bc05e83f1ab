package ring

import (
	"cmp"
	"time"

	"ua/internal/common/questions"
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
