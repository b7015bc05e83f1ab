package agentloop

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runtry"
	"ua/internal/common/stage"
	"ua/internal/common/style"
	"ua/internal/common/xdg"
)

// inTry puts ua-try around the stage that runs commands.
func (l *loop) inTry(c stage.Command) (stage.Command, error) {
	args := []string{"--quiet", "--link", runtry.Link(l.run)}
	if _, err := os.Lstat(runtry.Link(l.run)); err == nil { // of the run before it was resumed
		args = append(args, "--continue", runtry.Link(l.run))
	}
	args = prog.Repeat(args, "--except", l.ownPlaces())
	around, err := stage.Builtin("ua-try", append(args, "--")...)
	if err != nil {
		return c, err
	}
	c.Argv = append(around.Argv, c.Argv...)
	c.Env = append(c.Env, run.EnvTryTitle+"=ua "+style.FirstLine(l.title, 200))
	return c, nil
}

// ownPlaces returns the paths that ua's own programs write, and ua reads, while the stage
// runs. They are excepted from the try even inside the working folder: taken for changes
// by commands, they would conflict with what is written outside of the view.
func (l *loop) ownPlaces() []string {
	list := []string{l.run.Dir}
	if os.MkdirAll(xdg.State(), 0o700) == nil {
		list = append(list, xdg.State())
	}
	return list
}

// endTry looks at what the run's try holds once its stages have ended. It applies the try
// if that was asked for and the run succeeded.
func (l *loop) endTry() {
	if !l.o.tries() {
		return
	}
	l.trial = runtry.Of(l.run)
	if l.trial == nil || l.trial.Empty || l.o.Try != config.TryAtomic || l.result.status != 0 {
		return
	}
	if status := l.trial.Apply(); status != 0 {
		l.result = outcome{status, "ua-try", "the changes could not be applied",
			status == prog.TryLater}
	}
}

// dropTry drops the try of a run that is taken away.
func (l *loop) dropTry() {
	if l.o.tries() {
		_ = exec.Command(prog.Sibling("ua-try"), "drop", runtry.Link(l.run)).Run()
	}
}

// tryFooter says what can be done with the try.
func (l *loop) tryFooter() {
	t := l.trial
	if t == nil {
		return
	}
	if t.Network != "" {
		l.show.Say("what was done over the network can't be taken back: %s",
			style.FirstLine(t.Network, 600))
	}
	if t.Outside != "" {
		l.show.Say("what was written outside of the folder can't be taken back: %s",
			style.FirstLine(t.Outside, 600))
	}
	what := t.Size()
	if what == "" {
		return
	}
	for line := range strings.Lines(t.Trouble) {
		fmt.Fprintln(l.env.Stderr, style.Printable(strings.TrimSuffix(line, "\n")))
	}
	switch {
	case l.o.depth > 0: // who has started the agent decides
		next := "not applied: ua-try apply"
		if t.Applied {
			next = "applied: ua-try undo"
		}
		l.env.Warnf("%s changed, %s %s", what, next, t.ID)
	case t.Applied:
		l.show.Say("%s changed: ua undo %s takes that back", what, l.run.ID)
	case l.o.Try == config.TryAtomic:
		l.show.Say("%s changed, not applied: ua try diff | apply | drop", what)
	default:
		l.show.Say("%s changed: ua try diff | apply | drop", what)
	}
	if l.o.Ask && !t.Applied {
		askTry(t, l.env.Stderr)
	}
}
