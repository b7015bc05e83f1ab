package ring

import (
	"slices"
	"syscall"

	"ua/cmd/ua/internal/inbox"
	"ua/internal/common/event"
	"ua/internal/common/run"
	"ua/internal/common/runs"
	"ua/internal/common/style"
)

// A mail is what the model is to be told at its next turn besides the results of its calls.
type mail struct {
	messages     []inbox.Message // for the model's next turn
	undelivered  int             // messages that are to be kept before it
	refusedHosts map[string]bool // the hosts whose refusal the model knows
	notices      map[string]int  // of the sandbox since the last turn, by kind
}

// tell keeps a message for the model until the next turn.
func (m *mail) tell(message inbox.Message) { m.messages = append(m.messages, message) }

// takeUp takes what has waited for a run that goes on. A request to stop was meant for the
// process that drove it before.
func (l *loop) takeUp() {
	list, err := inbox.Take(l.run)
	if err != nil {
		l.env.Warnf("inbox: %v", err)
	}
	l.messages = slices.DeleteFunc(list, func(m inbox.Message) bool { return m.Stop })
	if names := runs.Read(l.run).Waits; len(names) > 0 {
		l.tell(inbox.Message{From: "ua", Text: "The run was ended while it was " +
			run.Waits(names) + "; that has ended with it."})
	}
}

// hear takes the messages that have arrived since the last turn.
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

// listen reports whether something has arrived that the model, which has answered, has
// not heard. Then it is asked once more. Refusals of the sandbox do not count: they
// explain a command whose result the answer is about.
func (l *loop) listen() bool {
	l.lookForAgents(false)
	l.hear()
	l.hearJobs()
	fromUs := func(m inbox.Message) bool { return m.From == "ua" }
	return !l.over && len(slices.DeleteFunc(slices.Clone(l.messages), fromUs)) > 0
}

// deliver writes the waiting messages to the journal, and reports whether there were any.
// The turn follows once they are kept.
func (l *loop) deliver() bool {
	clear(l.notices)
	for _, m := range l.messages {
		l.toJournal.Put(event.New("message").Str("text", m.Text).Str("from", m.From).Line())
	}
	l.undelivered = len(l.messages)
	l.messages = nil
	return l.undelivered > 0
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
