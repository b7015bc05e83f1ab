package main

import (
	"os"
	"strconv"
	"strings"

	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/runtry"
	"ua/internal/common/style"
)

// infoVerb prints what is known of each run, by default of the newest.
func infoVerb(env *prog.Env, args []string) error {
	fs, p := prog.Flags(), newLister(env)
	fs.BoolVar(&p.json, "json", false, "")
	if err := parse(env, "info", fs, args, -1); err != nil {
		return err
	}
	found, err := named("info", fs.Args(), run.Last)
	if err != nil {
		return err
	}
	list, err := trees(found)
	for n, i := range list {
		if p.json {
			p.object(record(i, p.now))
			continue
		}
		if n > 0 {
			p.Printf("\n")
		}
		p.info(i)
	}
	return err
}

// info prints the facts of a run, one a line. A fact without a value is left out.
func (p *lister) info(i *runfolder.Info) {
	state := i.State
	if !i.Ended.IsZero() {
		state += ", status " + strconv.Itoa(i.Status)
	}
	tokens := style.Count(i.Tally.TokensIn) + " in, " + style.Count(i.Tally.TokensOut) + " out"
	cost := style.Dollars(i.Tally.CostUSD)
	if i.Claimed {
		tokens += " (self-reported)"
	}
	pid := strconv.Itoa(i.PID)
	if i.PID == 0 {
		pid = ""
	}
	commands := strconv.FormatInt(i.Tally.Commands, 10) + ", " +
		strconv.FormatInt(i.Tally.Denied, 10) + " denied"
	for _, f := range []struct{ name, value string }{
		{"run", i.ID}, {"state", state}, {"reason", i.Message}, {"task", i.Task},
		{"agent", i.Agent}, {"model", i.Model}, {"parent", i.Parent}, {"isolation", i.Isolation},
		{"folder", i.Cwd}, {"process", pid}, {"started", stamp(i.Started)}, {"ended", stamp(i.Ended)},
		{"time", style.Seconds(i.Took(p.now))}, {"turns", strconv.FormatInt(i.Turns, 10)},
		{"tokens", tokens}, {"cost", cost},
		{"commands", commands}, {"subagents", subagents(i)}, {"changes", triedChanges(i)},
		{"journal", i.Journal()},
	} {
		if f.value != "" {
			p.Printf("%-10s %s\n", f.name, style.FirstLine(f.value, 200))
		}
	}
}

// triedChanges says how much the run's try changes and how to see it, "" without one.
func triedChanges(i *runfolder.Info) string {
	if _, err := os.Lstat(runtry.Link(i.Run)); err != nil {
		return ""
	}
	t := runtry.Of(i.Run)
	if t == nil || t.Size() == "" {
		return ""
	}
	return t.Size() + "; ua log --diff " + i.ID + " prints them"
}

// subagents counts the runs below one, how many of them still run, and what the gateway
// has seen all of them use.
func subagents(i *runfolder.Info) string {
	all, now := count(i.Children)
	s := i.Below()
	if all == 0 && s.Requests == 0 {
		return ""
	}
	parts := []string{strconv.Itoa(all), strconv.Itoa(now) + " running",
		style.Plural(s.Requests, "answer"), style.Count(s.Tokens()) + " tok"}
	if cost := style.Dollars(s.CostUSD); cost != "" {
		parts = append(parts, cost)
	}
	return strings.Join(parts, ", ")
}

// count returns how many runs a tree holds, and how many of those are alive.
func count(list []*runfolder.Info) (all, now int) {
	for _, i := range list {
		a, n := count(i.Children)
		all, now = all+1+a, now+n
		if i.Live() {
			now++
		}
	}
	return all, now
}
