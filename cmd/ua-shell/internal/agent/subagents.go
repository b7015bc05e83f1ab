package agent

import (
	"errors"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/regular"
	"ua/internal/common/run"
	"ua/internal/common/style"
)

// A child is a subagent as its journal shows it. Commands can write that journal, so it
// is only shown and nothing in it is relied on.
type child struct {
	task    string
	pid     int64
	status  int64
	ended   bool
	took    time.Duration
	message string
	tally   journal.Tally
}

// lookForAgents puts the start and the end of each new subagent into the journal, and
// shows what became of it. The start is not shown: each subagent has said on the terminal
// that it starts.
func (t *turn) lookForAgents() {
	found, err := t.ring.Run.Children()
	if err != nil {
		return
	}
	for i := len(found) - 1; i >= 0; i-- { // oldest first
		if t.told[found[i].ID] {
			continue
		}
		if t.told == nil {
			t.told = map[string]bool{}
		}
		t.told[found[i].ID] = true
		t.tell(found[i], readChild(found[i]))
	}
}

// tell writes and shows one subagent. Its end is marked as claimed, since its own journal
// is the only source.
func (t *turn) tell(r run.Run, c child) {
	about := func(state string) *event.Builder {
		return event.New("subagent").Str("state", state).Str("id", r.ID).Int("pid", c.pid).
			Int("depth", 1).OptStr("task", style.FirstLine(c.task, 200))
	}
	t.put(about("start").Line())
	s := t.screen
	name := s.Paint.Dim("["+r.ID[strings.LastIndexByte(r.ID, '-')+1:]+"]") + " " +
		style.FirstLine(c.task, 60)
	if !c.ended {
		s.Say("%s %s", name, style.Mark("···"))
		return
	}
	outcome, marks := s.Paint.Green("done"), strings.Repeat(style.Mark("✓"),
		int(min(c.tally.Commands, 10)))+strings.Repeat(style.Mark("✗"), int(min(c.tally.Denied,
		10)))
	if c.status != 0 {
		outcome = s.Paint.Red("failed")
	}
	all := c.tally.TokensIn + c.tally.TokensOut
	s.Say("%s %s %s %s tok %s %s %s", name, outcome, style.Seconds(c.took), style.Count(all),
		style.Plural(c.tally.Commands, "cmd"), marks, s.Paint.Dim("(its own word)"))
	t.put(about("end").Bool("claimed", true).Int("exit_code", c.status).
		Int("tokens_in", c.tally.TokensIn).Int("tokens_out", c.tally.TokensOut).
		Int("commands", c.tally.Commands).Int("denied", c.tally.Denied).Int("duration_ms",
		c.took.Milliseconds()).OptStr("message", style.FirstLine(c.message, 200)).Line())
}

// readChild reads a subagent's journal, as far as it can be read.
func readChild(r run.Run) (c child) {
	f, err := regular.Open(r.Journal())
	if err != nil {
		return c
	}
	defer f.Close()
	events := event.NewReader(f)
	for range 1 << 20 {
		line, err := events.Next()
		var torn *event.Malformed
		switch {
		case errors.As(err, &torn): // as the last one is when the run was killed
			continue
		case err != nil:
			return c
		}
		c.tally.Add(line)
		switch event.Type(line) {
		case "run":
			c.task, c.pid = event.Str(line, "task"), gjson.GetBytes(line, "pid").Int()
		case "summary":
			c.ended, c.status, c.message = true, gjson.GetBytes(line, "exit_code").Int(),
				event.Str(line, "message")
			c.took = time.Duration(gjson.GetBytes(line, "duration_ms").Int()) * time.Millisecond
		}
	}
	return c
}
