package main

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/term"

	"ua/cmd/ua/internal/runs"
	"ua/internal/common/event"
	"ua/internal/common/style"
)

// An agentTotal adds up the subagents of a run that have ended.
type agentTotal struct {
	agents, depth    int
	tokens, commands int64
}

// agentLine shows that a subagent has started or, with what it took, ended: one
// line each, so that fifty of them are a hundred lines and no table that moves.
func (d *display) agentLine(line []byte, i *runs.Info) {
	name := d.agentName(event.Str(line, "agent"), event.Str(line, "task"))
	if event.Str(line, "state") == "start" {
		d.say(style.Mark("%s %s ···"), d.paint.Dim("["+short(event.Str(line, "id"))+"]"), name)
		return
	}
	d.endedAgent(i, "", name)
	d.total.add(i, 1)
}

// endedAgent prints what became of an agent and, below it, which of its own
// subagents failed, each with the path of IDs to it.
func (d *display) endedAgent(i *runs.Info, path, name string) {
	path += short(i.ID)
	all := i.Tally.TokensIn + i.Tally.TokensOut
	parts := []string{d.paint.Dim("[" + path + "]"), name, d.outcome(i),
		style.Seconds(i.Took(time.Now()))}
	if d.width() >= 80 {
		parts = append(parts, style.Count(all)+" tok")
	}
	parts = append(parts, style.Plural(i.Tally.Commands, "cmd"), style.Mark(i.Marks))
	d.say("%s", strings.TrimRight(strings.Join(parts, " "), " "))
	for _, c := range i.Children {
		if c.State != runs.Completed {
			d.endedAgent(c, path+"/", style.Mark("└ ")+d.agentName(c.Agent, c.Task))
		}
	}
}

func (d *display) outcome(i *runs.Info) string {
	switch i.State {
	case runs.Completed:
		return d.paint.Green("done")
	case runs.Cancelled:
		return d.paint.Yellow(i.State)
	}
	return d.paint.Red(i.State)
}

// add counts an agent and all below it.
func (t *agentTotal) add(i *runs.Info, depth int) {
	t.agents++
	t.depth = max(t.depth, depth)
	t.tokens += i.Tally.TokensIn + i.Tally.TokensOut
	t.commands += i.Tally.Commands
	for _, c := range i.Children {
		t.add(c, depth+1)
	}
}

// line returns the total of a run's agents, "" without any.
func (t *agentTotal) line(took time.Duration) string {
	if t.agents == 0 {
		return ""
	}
	return fmt.Sprintf(style.Mark("── %s %d deep %s tok %s %s ──"),
		style.Plural(int64(t.agents), "agent"),
		t.depth,
		style.Count(t.tokens), style.Plural(t.commands, "cmd"), style.Seconds(took))
}

// agentName returns an agent's name, or else its task, cut to what fits.
func (d *display) agentName(agent, task string) string {
	room := max(d.width()-50, 12)
	if agent != "" {
		task = agent + ": " + task
	}
	return style.FirstLine(task, room)
}

// short returns the last part of a run's ID, which names it as well.
func short(id string) string { return style.FirstLine(id[strings.LastIndexByte(id, '-')+1:], 22) }

// width returns how many columns stderr has; 100 where it is no terminal.
func (d *display) width() int {
	if columns, _, err := term.GetSize(int(d.env.Stderr.Fd())); err == nil && columns > 0 {
		return columns
	}
	return 100
}
