package ring

import (
	"cmp"
	"os"
	"path/filepath"
	"time"

	"ua/internal/common/questions"
	"ua/internal/common/run"
	"ua/internal/common/runs"
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

// notify has the user's command tell of a question of the run or of one below, once. Only a run
// that a person has started does so: what a run below it asks is in its journal.
func (l *loop) notify(r run.Run, ask []byte) {
	key := r.ID + string(ask)
	if l.o.notifyLine == "" || l.o.depth > 0 || l.notified[key] || len(l.notified) >= notifiedMax {
		return
	}
	if l.notified == nil {
		l.notified = map[string]bool{}
	}
	l.notified[key] = true
	go func() {
		if err := questions.Notify(l.o.notifyLine, r, ask); err != nil {
			l.env.Warnf("%v", err)
		}
	}()
}

// notifyBelow looks for new questions of the subagents that live, and of theirs, where a journal
// has grown of late.
func (l *loop) notifyBelow() {
	if l.o.notifyLine == "" || l.o.depth > 0 || l.agents.live == 0 {
		return
	}
	look := func(r run.Run) {
		info, err := os.Lstat(r.Journal())
		if err != nil || time.Since(info.ModTime()) > notifyTime {
			return
		}
		for _, ask := range questions.Open(r) {
			l.notify(r, ask)
		}
	}
	for _, r := range l.agents.list {
		if c := l.agents.known[r.ID]; c != nil && !c.over {
			look(r)
			_ = runs.Some(filepath.Join(r.Dir, run.SubFolder), look)
		}
	}
}
