package agentloop

import (
	"syscall"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/spending"
)

// turn begins a turn: it delivers waiting messages, and asks the model once they are
// kept.
func (l *loop) turn() {
	if l.hear(); l.over || l.deliver() {
		return
	}
	l.ask()
}

// delivered begins the turn once the last message is kept.
func (l *loop) delivered() {
	if l.undelivered == 0 {
		return // a stage's own
	}
	if l.undelivered--; l.undelivered == 0 {
		l.ask()
	}
}

// ask asks the model unless a limit is reached. Everything before has been kept by now,
// so the size of the journal determines the conversation.
func (l *loop) ask() {
	spent := l.spent()
	if why := l.count.Turn(l.o.Limits, spent); why != "" {
		if l.lastHeard.IsZero() { // ua-think would ask about what it has, at the end of its input
			l.stages[0].Signal(syscall.SIGKILL)
		}
		l.finish(outcome{prog.Limit, "ua", why, false})
		return
	}
	l.share()
	if err := l.sendConversation(l.cut, nil); err != nil {
		l.finish(outcome{prog.Trouble, "ua", err.Error(), false})
		return
	}
	l.keepFiles()
	e := event.New("turn").Int("n", int64(l.count.Turns))
	if l.o.ContextTokens != journal.DefaultBudget {
		e.Int("budget", int64(l.o.ContextTokens)) // ua-journal calls asks as we did
	}
	if l.o.Limits.Budget != (spending.Budget{}) {
		e.Raw("spent", spent.JSON())
	}
	l.toJournal.Put(e.Line())
}

// sendConversation sends ua-think the conversation again, as `ua-journal read` prints it, unless
// it has that from had on. changed is called if somebody has changed the journal (journal.Recall).
func (l *loop) sendConversation(had int64, changed func()) (err error) {
	l.cut, err = journal.Recall(l.run.Journal(), l.o.ContextTokens, had, l.toThink.Put,
		func(err error) { l.env.Warnf("%s: %v", l.run.Journal(), err) }, changed)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	return nil
}
