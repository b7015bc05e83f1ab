package ring

import (
	"slices"
	"syscall"

	"ua/cmd/ua/internal/inbox"
	"ua/internal/common/event"
	"ua/internal/common/style"
)

// hear takes the messages that have come since the last turn.
func (l *loop) hear() {
	list, err := inbox.Take(l.run)
	if err != nil {
		l.env.Warnf("inbox: %v", err)
	}
	for _, m := range list {
		if m.Stop {
			l.interrupt(outcome{128 + int(syscall.SIGTERM), "ua", "stopped by " +
				style.FirstLine(m.From, 40), true}, syscall.SIGTERM)
			return
		}
		l.tell(m)
	}
}

// listen reports whether something has come that the model, which has answered, has
// not heard: then it is asked once more. What the sandbox has refused explains a
// command whose result the answer is about, and is worth no turn.
func (l *loop) listen() bool {
	l.lookForAgents(false)
	l.hear()
	fromUs := func(m inbox.Message) bool { return m.From == "ua" }
	return !l.over && len(slices.DeleteFunc(slices.Clone(l.messages), fromUs)) > 0
}

// deliver puts what the model is to hear into the journal, and says whether there
// was something: the turn follows when it is kept.
func (l *loop) deliver() bool {
	l.sumNotices()
	for _, m := range l.messages {
		l.toJournal.Put(event.New("message").Str("text", m.Text).Str("from", m.From).Line())
	}
	l.undelivered = len(l.messages)
	l.messages = nil
	return l.undelivered > 0
}

// delivered goes on with the turn once the last message is kept.
func (l *loop) delivered() {
	if l.undelivered == 0 {
		return // a stage's own
	}
	if l.undelivered--; l.undelivered == 0 {
		l.ask()
	}
}
