package ring

import (
	"strings"

	"ua/cmd/ua/internal/inbox"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/style"
)

// unmarked returns text in which the marks around a subagent's answer are escaped, so
// that an answer cannot end its own.
func unmarked(text string) string {
	return strings.NewReplacer("<agent_answer>", "&lt;agent_answer>", "</agent_answer>",
		"&lt;/agent_answer>").Replace(text)
}

// notAllowed notes a host that the sandbox's proxy has refused. Model and person are
// told, so that they see why a command failed.
func (l *loop) notAllowed(line []byte) {
	host := event.Str(line, "host")
	if event.Str(line, "decision") != "deny" || host == "" || l.refusedHosts[host] {
		return
	}
	if l.refusedHosts == nil {
		l.refusedHosts = map[string]bool{}
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
			l.show.Warn(others)
		}
	}
}

// notKept tells the model about a file that the sandbox has moved aside or put back.
// Without this a command that succeeded would look as if it had failed. The person reads
// the same on stderr.
func (l *loop) notKept(line []byte) {
	l.notice("guarded", "Sandbox: "+style.FirstLine(journal.Guarded(line), 600)+".")
}

// notice tells the model what the sandbox did. Notices of one kind beyond maxNotices in a
// turn are only in the journal.
func (m *mail) notice(kind, text string) bool {
	if m.notices == nil {
		m.notices = map[string]int{}
	}
	m.notices[kind]++
	switch {
	case m.notices[kind] > maxNotices:
		return false
	case m.notices[kind] == maxNotices:
		text += " " + others
	}
	m.tell(inbox.Message{From: "ua", Text: text})
	return true
}

// others is said with the last notice of a kind.
const others = "If there are more, only ua log tells them."
