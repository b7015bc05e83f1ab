package agentloop

import (
	"slices"

	"ua/cmd/ua/internal/inbox"
	"ua/internal/common/config"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/spending"
)

// countEarlier counts what a run that is resumed has used before. What bounds the tree of a
// subagent's run is that of the run at the top. The usual limits on turns and commands,
// which nobody has set, are for each time that the run goes on.
func (l *loop) countEarlier() {
	of := l.run
	if l.o.parent == "" {
		of = of.Top()
	}
	i := runfolder.Read(of)
	if l.turns = i.Turns; of.Dir != l.run.Dir {
		l.turns = runfolder.Read(l.run).Turns
	}
	l.earlier = spending.Of(&i.Tally).Plus(i.Ledger.All.Sum())
	l.took = i.Worked
	var usual config.Agent
	_ = usual.Complete("")
	if l.o.Limits.Turns != usual.MaxTurns {
		l.count.Turns = int(i.Turns)
	}
	if l.o.Limits.Commands != usual.MaxCommands {
		l.count.Commands = int(i.Commands)
	}
}

// passOver marks the subagents that ended before this run was resumed, so that it does
// not report them again.
func (l *loop) passOver() {
	found, _ := l.run.Children()
	for _, r := range found {
		if _, alive := runfolder.Driver(r); !alive && len(l.agents.known) < agentsMax {
			l.agents.known[r.ID] = &child{over: true}
		}
	}
}

// takeUp takes what has waited for a run that goes on. A request to stop was meant for the
// process that drove it before.
func (l *loop) takeUp() {
	list, err := inbox.Take(l.run)
	if err != nil {
		l.env.Warnf("inbox: %v", err)
	}
	l.messages = slices.DeleteFunc(list, func(m inbox.Message) bool { return m.Stop })
	if names := runfolder.Read(l.run).Waits; len(names) > 0 {
		l.tell(inbox.Message{From: "ua", Text: "The run was ended while it was " +
			run.Waits(names) + "; that has ended with it."})
	}
}
