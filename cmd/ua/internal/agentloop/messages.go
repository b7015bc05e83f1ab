package agentloop

import (
	"strings"
	"syscall"

	"ua/cmd/ua/internal/inbox"
	"ua/internal/common/event"
	"ua/internal/common/style"
)

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

// maxNotices is how many notices of a kind the model, and the person, read in a turn. A
// command can cause any number of them, and the conversation has little room.
const maxNotices = 8

// notAllowed notes a host that the sandbox's proxy has refused. Model and person are
// told, so that they see why a command failed.
func (l *loop) notAllowed(line []byte) {
	host := event.Str(line, "host")
	if event.Str(line, "decision") != "deny" || host == "" || l.refusedHosts[host] {
		return
	}
	why := event.Str(line, "reason")
	if !strings.Contains(why, host) {
		why = host + ": " + why
	}
	why = style.FirstLine(why, 200) + " (--net-allow " + host + ")"
	if l.notice("net", "The sandbox refused a connection: "+why+".") {
		l.refusedHosts[host] = true
		l.show.Warn(why)
		if l.notices["net"] == maxNotices {
			l.show.Warn(moreNotices)
		}
	}
}

// notice tells the model what the sandbox did. Notices of one kind beyond maxNotices in a
// turn are only in the journal.
func (m *mail) notice(kind, text string) bool {
	m.notices[kind]++
	switch {
	case m.notices[kind] > maxNotices:
		return false
	case m.notices[kind] == maxNotices:
		text += " " + moreNotices
	}
	m.tell(inbox.Message{From: "ua", Text: text})
	return true
}

// moreNotices is said with the last notice of a kind.
const moreNotices = "If there are more, only ua log tells them."
