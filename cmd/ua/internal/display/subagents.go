package display

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/term"

	"ua/internal/common/event"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/style"
)

// Agent shows that a subagent has started or, with what it used, that it has ended. Each
// takes one line, so that fifty agents are a hundred lines and not a table that moves.
func (d *Display) Agent(line []byte, i *runfolder.Info) {
	name := d.agentName(event.Str(line, "agent"), event.Str(line, "task"))
	if event.Str(line, "state") == "start" {
		d.Say(style.Mark("%s %s ···"), d.paint.Dim("["+short(event.Str(line, "id"))+"]"), name)
		return
	}
	d.endedAgent(i, "", name)
	d.total.add(i, 1)
}

// endedAgent prints how an agent ended and, below it, its own subagents that failed. Each
// carries the path of IDs that leads to it.
func (d *Display) endedAgent(i *runfolder.Info, path, name string) {
	path += short(i.ID)
	parts := []string{d.paint.Dim("[" + path + "]"), name, run.Painted(d.paint, i.State, 0),
		style.Seconds(i.Took(time.Now()))}
	// A narrow terminal has no room for the tokens.
	if d.width() >= 80 {
		parts = append(parts, i.Tokens()+" tok")
	}
	parts = append(parts, style.Plural(i.Tally.Commands, "cmd"), style.Mark(i.Marks))
	d.Say("%s", strings.TrimRight(strings.Join(parts, " "), " "))
	for _, c := range i.Children {
		if c.State != run.Completed {
			d.endedAgent(c, path+"/", style.Mark("└ ")+d.agentName(c.Agent, c.Task))
		}
	}
}

// add counts an agent and all agents below it.
func (t *agentTotal) add(i *runfolder.Info, depth int) {
	t.agents++
	t.depth = max(t.depth, depth)
	if i.Claimed {
		t.claimed++
	}
	for _, c := range i.Children {
		t.add(c, depth+1)
	}
}

// line returns the totals of a run's agents, "" if there were none. Tokens and commands
// are those that the gateway has seen, not what the agents say of themselves.
func (t *agentTotal) line(seen *runfolder.Ledger, took time.Duration) string {
	var s runfolder.Spent
	if seen != nil {
		s = seen.All
	}
	if t.agents == 0 && s.Requests == 0 {
		return ""
	}
	claimed := ""
	if t.claimed > 0 {
		claimed = fmt.Sprintf(" (%d unseen)", t.claimed)
	}
	return fmt.Sprintf(style.Mark("── %s%s %d deep %s tok %s %s ──"),
		style.Plural(int64(t.agents), "agent"), claimed, t.depth,
		style.Count(s.Tokens()), style.Plural(s.Calls, "cmd"), style.Seconds(took))
}

// agentName returns an agent's name and task, or the task alone, cut to the terminal.
func (d *Display) agentName(agent, task string) string {
	room := max(d.width()-50, 12)
	// The other columns of the line take about 50.
	if agent != "" {
		task = agent + ": " + task
	}
	return style.FirstLine(task, room)
}

// short returns the last part of a run's ID. Verbs accept it in place of the whole ID.
func short(id string) string { return style.FirstLine(id[strings.LastIndexByte(id, '-')+1:], 22) }

// width returns the columns of the terminal on stderr, 100 where stderr is no terminal.
func (d *Display) width() int {
	if columns, _, err := term.GetSize(int(d.env.Stderr.Fd())); err == nil && columns > 0 {
		return columns
	}
	return 100
}
