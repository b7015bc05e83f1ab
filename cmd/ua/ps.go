package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"golang.org/x/term"

	"ua/cmd/ua/internal/ancestry"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/style"
)

// psVerb lists the runs that are driven now; with --all every run.
func psVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	p := newLister(env)
	all, tree := fs.Bool("all", false, ""), fs.Bool("tree", false, "")
	prog.Short(fs, "a", "all")
	from := fs.String("from", "", "")
	fs.BoolVar(&p.json, "json", false, "")
	if err := parse(env, "ps", fs, args, 0); err != nil {
		return err
	}
	var list []*runfolder.Info
	var err error
	if *from != "" {
		list, err = shipped(*from)
	} else if list, err = runfolder.List(ancestry.Here().Folder()); !*all {
		list = live(list)
	}
	p.print(list, *tree)
	return err
}

// shipped returns the runs that were shipped to a folder. Of one without an end only its own
// host knows whether it still runs.
func shipped(dir string) (list []*runfolder.Info, err error) {
	found, err := run.Shipped(dir)
	if err == nil {
		list, err = trees(found)
	}
	for _, i := range list {
		if i.Ended.IsZero() {
			i.State = "unknown"
		}
	}
	return list, err
}

// trees returns what is known of runs, with those below them.
func trees(found []run.Run) (list []*runfolder.Info, err error) {
	for _, r := range found {
		i, err := runfolder.Tree(r)
		if err != nil {
			return nil, err
		}
		list = append(list, i)
	}
	return list, nil
}

// treeVerb prints a run and all runs below it.
func treeVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	p := newLister(env)
	fs.BoolVar(&p.json, "json", false, "")
	if err := parse(env, "tree", fs, args, -1); err != nil {
		return err
	}
	found, err := named("tree", fs.Args(), run.Last)
	if err != nil {
		return err
	}
	list, err := trees(found)
	p.print(list, true)
	return err
}

// live returns the runs of list that are driven now or have such a run below them.
func live(list []*runfolder.Info) (kept []*runfolder.Info) {
	for _, i := range list {
		i.Children = live(i.Children)
		if i.Live() || len(i.Children) > 0 {
			kept = append(kept, i)
		}
	}
	return kept
}

// A lister prints runs.
type lister struct {
	*prog.Env
	paint   style.Style
	now     time.Time
	json    bool
	columns int // of the terminal, 0 for none
	names   int // the width of IDs
}

// newLister returns a lister that prints on stdout.
func newLister(env *prog.Env) *lister {
	columns, _, _ := term.GetSize(int(env.Stdout.Fd()))
	return &lister{Env: env, paint: style.For(env.Stdout), now: time.Now(), columns: columns}
}

// print prints the heading and the runs.
func (p *lister) print(list []*runfolder.Info, tree bool) {
	p.names = 22
	for _, i := range list {
		p.names = max(p.names, len(i.ID))
	}
	if !p.json && len(list) > 0 {
		p.Printf("%-*s %-9s %7s %6s %4s  %s\n", p.names, "RUN", "STATE", "TIME", "TOKENS", "CMDS",
			"TASK")
	}
	p.all(list, "", tree)
}

// all prints runs, each followed by its subagents. With tree they are indented.
func (p *lister) all(list []*runfolder.Info, indent string, tree bool) {
	for _, i := range list {
		if p.json {
			p.object(record(i, p.now))
		} else {
			p.row(i, indent)
		}
		below := indent
		if tree {
			below += "  "
		}
		p.all(i.Children, below, tree)
		if i.More {
			p.Warnf("%s: not shown are runs in its folder that its record does not name", i.ID)
		}
	}
}

// narrow is a terminal on which rows are wrapped, since a cut one would show no task.
const narrow = 60

// row prints one run as a line of the table.
func (p *lister) row(i *runfolder.Info, indent string) {
	task := i.Task
	if i.Agent != "" {
		task = i.Agent + ": " + task
	}
	state := i.State
	if state == run.Waiting {
		state = style.FirstLine(run.Waits(i.Waits), 40)
	}
	line := fmt.Sprintf("%-*s %s %7s %6s %4d  %s", p.names, i.ID, run.Painted(p.paint, state, 9),
		style.Seconds(i.Took(p.now)), i.Tokens(), i.Tally.Commands,
		indent+style.FirstLine(task, 60))
	if p.columns > narrow {
		line = line[:style.Fitting(line, p.columns)]
	}
	p.Printf("%s\n", line)
}

// object prints a value as a line of JSON, which may contain C1 and bidirectional controls.
func (p *lister) object(value any) {
	if b, err := json.Marshal(value); err == nil { // of numbers and texts it is nil
		p.Outf("%s\n", b)
	}
}

// A runRecord is a run in the form of ua ps --json and ua info --json.
type runRecord struct {
	ID         string   `json:"id"`
	Parent     string   `json:"parent,omitempty"`
	Depth      int      `json:"depth"`
	State      string   `json:"state"`
	ExitCode   *int     `json:"exit_code,omitempty"`
	Message    string   `json:"message,omitempty"`
	Waits      []string `json:"waits,omitempty"`
	Agent      string   `json:"agent,omitempty"`
	Task       string   `json:"task"`
	Model      string   `json:"model,omitempty"`
	Isolation  string   `json:"isolation,omitempty"`
	Background bool     `json:"background"`
	PID        int      `json:"pid,omitempty"`
	Cwd        string   `json:"cwd,omitempty"`
	Started    string   `json:"started,omitempty"`
	Completed  string   `json:"completed,omitempty"`
	DurationMS int64    `json:"duration_ms"`
	Turns      int64    `json:"turns"`
	TokensIn   int64    `json:"tokens_in"`
	TokensOut  int64    `json:"tokens_out"`
	CostUSD    float64  `json:"cost_usd"`
	Commands   int64    `json:"commands"`
	Denied     int64    `json:"denied"`
	Claimed    bool     `json:"claimed,omitempty"`
	Journal    string   `json:"journal"`

	Below *runfolder.Spent `json:"subagents,omitempty"`
}

// record returns the runRecord of a run at the time now.
func record(i *runfolder.Info, now time.Time) runRecord {
	r := runRecord{ID: i.ID, Parent: i.Parent, Depth: i.Depth, State: i.State,
		Message: i.Message, Waits: i.Waits, Agent: i.Agent, Task: i.Task,
		Model: i.Model, Isolation: i.Isolation, Background: i.Background, PID: i.PID,
		Cwd: i.Cwd, Started: stamp(i.Started), Completed: stamp(i.Ended),
		DurationMS: i.Took(now).Milliseconds(), Turns: i.Turns, TokensIn: i.Tally.TokensIn,
		TokensOut: i.Tally.TokensOut,
		CostUSD:   i.Tally.CostUSD, Commands: i.Tally.Commands, Denied: i.Tally.Denied,
		Claimed: i.Claimed, Journal: i.Journal()}
	if below := i.Below(); below.Requests > 0 {
		r.Below = &below
	}
	if !i.Ended.IsZero() {
		r.ExitCode = &i.Status
	}
	return r
}

// stamp returns a time in RFC 3339, in UTC and with milliseconds if it has any; "" for
// none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strings.TrimSuffix(t.UTC().Format("2006-01-02T15:04:05.000"), ".000") + "Z"
}
