package ring

import (
	"fmt"
	"strings"

	"ua/cmd/ua/internal/inbox"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/style"
)

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

// What stands for the notices of each kind beyond that.
const (
	moreRefused = "The sandbox refused %d more connections (ua log)."
	moreMoved   = "Sandbox: it moved aside or put back %d more files (ua log)."
)
