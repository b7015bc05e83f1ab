package ring

import (
	"os"
	"strconv"

	"github.com/tidwall/gjson"

	"ua/cmd/ua/internal/outlet"
	"ua/cmd/ua/internal/stage"
	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// openTries makes the socket by which subagents have tries of their own: a sandbox keeps
// them from making any. A run in a try shares its view with them instead.
func (l *loop) openTries() (err error) {
	if !l.o.mayDelegate() || l.o.run != "" || l.o.via != "" || l.o.try != config.TryNever ||
		os.Getenv(run.EnvTry) != "" || l.o.sandboxProfile != l.o.profile { // one that may not write
		return nil
	}
	l.ownTries, err = outlet.Open(l.run, "tries.sock")
	return err
}

// triesEnv returns what a command that starts ua is told of the socket, or, for the run's
// own try, ua-try of that of the run above.
func (l *loop) triesEnv() []string {
	switch {
	case l.ownTries != nil:
		return []string{run.EnvTries + "=" + l.ownTries.Path, run.EnvTriesToken + "=" +
			l.ownTries.Token}
	case l.o.tries():
		return triesAbove()
	}
	return nil
}

func triesAbove() []string {
	return []string{run.EnvTries + "=" + os.Getenv(run.EnvTries),
		run.EnvTriesToken + "=" + os.Getenv(run.EnvTriesToken)}
}

// sandboxEventsFD is the descriptor by which the sandboxes of tries tell their events: the
// one behind the socket and the token.
const sandboxEventsFD = "5"

// serveTries has ua-try serve make the tries. A command in one is in a sandbox as narrow
// as that of the run, whatever it asks for. In a sandbox ua-try asks the run above.
func (l *loop) serveTries() {
	start := func() (*os.File, error) {
		args := []string{"serve", "--socket-fd", "3", "--secret-fd", "4",
			"--lives", l.outDir(), "--profile-max", l.o.profile, "--at-once",
			strconv.Itoa(max(l.o.limits.AtOnce, l.o.limits.PerParent))}
		args = prog.Repeat(args, "--except", l.ownPlaces())
		around, err := stage.Builtin("ua-sandbox", l.sandboxArgs(sandboxEventsFD)...)
		if err != nil {
			return nil, err
		}
		c, err := stage.Builtin("ua-try", append(append(args, "--"), around.Argv...)...)
		if err != nil {
			return nil, err
		}
		c.Env = append(l.handsEnv, triesAbove()...)
		c.Runs = true
		events, err := stage.Pipe()
		if err != nil {
			return nil, err
		}
		go stage.Lines(events.R, "ua-sandbox", l.noteEvent)
		return l.ownTries.Start(c, events.W)
	}
	l.ownTries.Serve(start, func([]byte) {}, func(err error) {
		l.env.Warnf("the subagents' tries: %v", err)
	})
}

// noteEvent puts an event of a sandbox into the journal.
func (l *loop) noteEvent(line []byte) {
	switch typ := event.Type(line); {
	case !event.Valid(line):
	case typ == "net" || typ == "guarded":
		l.toJournal.Offer(line)
	case typ == "sandbox":
		select {
		case l.tier <- gjson.GetBytes(line, "tier").Int():
		default: // it was told before
		}
	}
}

// outlets returns the sockets that are there.
func (l *loop) outlets() (list []*outlet.Outlet) {
	if l.ownTries != nil {
		list = append(list, l.ownTries)
	}
	if l.gateway != nil {
		list = append(list, l.gateway.Outlet)
	}
	return list
}
