package ring

import (
	"os"
	"strconv"

	"github.com/tidwall/gjson"

	"ua/cmd/ua/internal/gateway"
	"ua/cmd/ua/internal/outlet"
	"ua/cmd/ua/internal/stage"
	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// openTries creates the socket through which subagents get tries of their own, which
// their sandbox keeps them from making. A run inside a try shares its view with them
// instead.
func (l *loop) openTries() (err error) {
	if !l.o.mayDelegate() || l.o.Exec != "" || l.o.via != "" || l.o.Try != config.TryNever ||
		os.Getenv(run.EnvTry) != "" || l.o.sandboxProfile != l.o.Profile { // one that may not write
		return nil
	}
	l.ownTries, err = outlet.Open(l.run, "tries.sock")
	return err
}

// triesEnv returns the variables that tell a command of that socket. For the run's own
// try they tell ua-try of the socket of the run above.
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

// triesAbove returns the variables of the run above.
func triesAbove() []string {
	return []string{run.EnvTries + "=" + os.Getenv(run.EnvTries),
		run.EnvTriesToken + "=" + os.Getenv(run.EnvTriesToken)}
}

// sandboxEventsFD is the descriptor on which the sandboxes of tries write their events:
// the one after socket and token.
const sandboxEventsFD = "5"

// serveTries lets ua-try serve make the tries. A command in one runs in a sandbox that is
// as narrow as that of the run, whatever it asks for. Inside a sandbox ua-try asks the
// run above.
func (l *loop) serveTries() {
	start := func() (*os.File, error) {
		args := []string{"serve", "--socket-fd", "3", "--secret-fd", "4",
			"--lives", l.outDir(), "--profile-max", l.o.Profile, "--at-once",
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

// noteEvent writes an event of a sandbox to the journal. The event sandbox tells its
// tier.
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

// outlets returns the sockets that exist.
func (l *loop) outlets() (list []*outlet.Outlet) {
	if l.ownTries != nil {
		list = append(list, l.ownTries)
	}
	for _, g := range []*gateway.Gateway{l.gateway, l.judge} {
		if g != nil {
			list = append(list, g.Outlet)
		}
	}
	return list
}

// closeOutlets ends what answers at the sockets, and removes them.
func (l *loop) closeOutlets() {
	for _, o := range l.outlets() {
		o.Close(l.run.Dir)
	}
}
