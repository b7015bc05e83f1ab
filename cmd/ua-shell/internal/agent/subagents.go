package agent

import (
	"os"
	"slices"
	"strings"
	"time"

	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/style"
)

// lookForAgents puts the start and the end of each new subagent into the journal, and
// shows what became of it. The start is not shown: each subagent has said on the terminal
// that it starts.
func (t *turn) lookForAgents() {
	found, err := t.ring.Run.Children()
	if err != nil {
		return
	}
	for _, r := range slices.Backward(found) { // oldest first
		if t.told[r.ID] {
			continue
		}
		if t.told == nil {
			t.told = map[string]bool{}
		}
		t.told[r.ID] = true
		t.tell(runfolder.Read(r))
	}
}

// watchQuestions takes questions of a call's subagents, and tells the user's command of them.
func (t *turn) watchQuestions(c *call) {
	_ = os.Mkdir(runfolder.AnswersFolder(t.ring.Run), 0o700) // for answers by ua answer
	if t.ring.Notifier.Command == "" {
		return
	}
	time.AfterFunc(time.Second, func() {
		t.ring.Notifier.Below(t.ring.Run) // which reads journals, and waits here
		t.relay.Post(func() {
			if t.turn == t && t.call == c {
				t.watchQuestions(c)
			}
		})
	})
}

// tell writes and shows one subagent. Its end is marked as claimed, since its own journal
// is the only source.
func (t *turn) tell(i *runfolder.Info) {
	t.ring.Put(i.Begun(1))
	s := t.screen
	name := s.Paint.Dim("["+i.ID[strings.LastIndexByte(i.ID, '-')+1:]+"]") + " " +
		style.FirstLine(i.Task, 60)
	if i.Live() {
		s.Say("%s %s", name, style.Mark("···"))
		return
	}
	s.Say("%s %s %s %s tok %s %s %s", name, run.Painted(s.Paint, i.State, 0),
		style.Seconds(i.Took(time.Now())), i.Tokens(), style.Plural(i.Tally.Commands, "cmd"),
		style.Mark(i.Marks), s.Paint.Dim("(self-reported)"))
	i.Claimed = true
	t.ring.Put(i.Over(1))
}
