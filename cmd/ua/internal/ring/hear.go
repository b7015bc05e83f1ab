package ring

import (
	"fmt"
	"slices"
	"strings"
	"syscall"

	"ua/cmd/ua/internal/inbox"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/style"
)

// tell keeps a message for the model until its next turn.
func (l *loop) tell(m inbox.Message) { l.messages = append(l.messages, m) }

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

// unmarked returns text in which no mark of ours can stand.
func unmarked(text string) string {
	return strings.NewReplacer("<agent_answer>", "&lt;agent_answer>", "</agent_answer>",
		"&lt;/agent_answer>").Replace(text)
}

// notAllowed notes a host that the sandbox's proxy has refused, for the model and
// the person to see why the command failed.
func (l *loop) notAllowed(line []byte) {
	host := event.Str(line, "host")
	if event.Str(line, "decision") != "deny" || host == "" || l.told[host] {
		return
	}
	if l.told == nil {
		l.told = map[string]bool{}
	}
	why := event.Str(line, "reason")
	if !strings.Contains(why, host) {
		why = host + ": " + why
	}
	why = style.FirstLine(why, 200) + " (--net-allow)"
	if l.notice(moreRefused, "The sandbox refused a connection: "+why+".") {
		l.told[host] = true
		l.show.Warn(why)
	}
}

// notKept tells the model of a file that the sandbox has moved aside or put back: a
// command that was done would look as if it had failed. Its person reads it on stderr.
func (l *loop) notKept(line []byte) {
	l.notice(moreMoved, "Sandbox: "+style.FirstLine(journal.Guarded(line), 600)+".")
}

// maxNotices is how many notices of a kind the model reads in a turn, and the person: a
// command can make any number of them, and the conversation has little room.
const maxNotices = 8

// What stands for the notices of each kind beyond that.
const (
	moreRefused = "The sandbox refused %d more connections (ua log)."
	moreMoved   = "Sandbox: it moved aside or put back %d more files (ua log)."
)

// notice tells the model what the sandbox did, unless there was too much of that kind
// since the last turn: then it is counted.
func (l *loop) notice(more, text string) bool {
	if l.notices == nil {
		l.notices = map[string]int{}
	}
	if l.notices[more]++; l.notices[more] > maxNotices {
		return false
	}
	l.tell(inbox.Message{From: "ua", Text: text})
	return true
}

// sumNotices tells how many notices were too many.
func (l *loop) sumNotices() {
	for _, more := range []string{moreRefused, moreMoved} {
		if n := l.notices[more] - maxNotices; n > 0 {
			text := fmt.Sprintf(more, n)
			l.show.Warn(text)
			l.tell(inbox.Message{From: "ua", Text: text})
		}
	}
	clear(l.notices)
}
