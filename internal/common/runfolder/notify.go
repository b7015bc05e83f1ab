package runfolder

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/run"
	"ua/internal/common/style"
)

// A Notifier has the user's command of the settings tell of questions, of each once. Only what a
// person has started has one: what a run below asks is in its journal.
type Notifier struct {
	Command string           // "" for none
	Warn    func(err string) // nil for nobody to tell

	mu   sync.Mutex
	told map[string]bool
}

// notifiedMax is of how many questions the command is told: commands can write the journals of
// runs below. notifyTime is how long it may take.
const (
	notifiedMax = 200
	notifyTime  = 30 * time.Second
)

// lately is how long after it was written a question of a run below is looked for.
const lately = 10 * time.Second

// Tell tells of a question of a run.
func (n *Notifier) Tell(r run.Run, ask []byte) {
	key := r.ID + string(ask)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.Command == "" || n.told[key] || len(n.told) >= notifiedMax {
		return
	}
	if n.told == nil {
		n.told = map[string]bool{}
	}
	n.told[key] = true
	go n.run(r, ask)
}

// Below tells of the questions of runs below one whose journals have grown of late.
func (n *Notifier) Below(r run.Run) {
	if n.Command == "" {
		return
	}
	_ = Below(r, func(r run.Run) {
		info, err := os.Lstat(r.Journal())
		if err != nil || time.Since(info.ModTime()) > lately {
			return
		}
		for _, ask := range Asked(r) {
			n.Tell(r, ask)
		}
	})
}

// run runs the command with a question on its standard input.
func (n *Notifier) run(r run.Run, ask []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", n.Command)
	cmd.Env = config.OutsideEnv(os.Environ())
	cmd.Stdin = strings.NewReader(fmt.Sprintf("%s (%s)\n%s\n\nua answer %s yes|no\n",
		style.FirstLine(event.Str(ask, "reason"), 400), style.FirstLine(event.Str(ask, "risk"), 20),
		style.Printable(event.Str(ask, "command")), r.ID))
	if out, err := cmd.CombinedOutput(); err != nil && n.Warn != nil {
		n.Warn(fmt.Sprintf("notify: %v %s", err, style.FirstLine(string(out), 200)))
	}
}
