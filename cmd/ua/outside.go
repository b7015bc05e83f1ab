package main

import (
	"io"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/regular"
	"ua/internal/common/run"
)

// adopt notes the subagents that a command has left behind in the run's folder:
// their start and their end. ua-journal then adds what they did to the audit
// log, which their sandbox hides from them.
func (l *loop) adopt() {
	found, err := l.run.Children()
	if err != nil {
		l.env.Warnf("subagents: %v", err)
	}
	for i := len(found) - 1; i >= 0; i-- { // oldest first
		child := found[i]
		if l.children[child.ID] {
			continue
		}
		if l.children == nil {
			l.children = map[string]bool{}
		}
		l.children[child.ID] = true
		pid := birth(child)
		for _, state := range []string{"start", "end"} {
			l.toJournal.Put(event.New("subagent").Str("state", state).Str("id", child.ID).Int("pid", pid).Int("depth", int64(l.o.depth+1)).Line())
		}
	}
}

// birth is the pid that a subagent's journal names, in its own namespace.
func birth(child run.Run) (pid int64) {
	f, err := regular.Open(child.Journal())
	if err != nil {
		return 0
	}
	defer f.Close()
	r := event.NewReader(io.LimitReader(f, 1<<20))
	for range 3 { // a notice may stand before it
		if line, err := r.Next(); err == nil && event.Type(line) == "run" {
			return gjson.GetBytes(line, "pid").Int()
		}
	}
	return 0
}
