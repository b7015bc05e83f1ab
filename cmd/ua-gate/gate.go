package main

import (
	"os"
	"slices"

	"ua/cmd/ua-gate/internal/classify"
	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/grant"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/person"
	"ua/cmd/ua-gate/internal/policy"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// A gate judges calls by a policy.
type gate struct {
	options
	env         *prog.Env
	user        *policy.Policy // without the policies of projects
	policy      *policy.Policy // with those of the projects in which the commands run
	mode        policy.Mode
	levels      policy.Decisions
	tables      []machine.Options // one for each table of rows; the highest level counts
	person      person.Person     // nil if nobody can be asked
	granted     grant.Session
	instruction string           // the newest one that passed
	reviews     []*event.Builder // events of what the judge took for this call
	keys        []string         // variables that the judge gets and no hook
	elsewhere   map[place]*gate  // the gates of calls that name a folder or a shell
	confines    func() bool      // whether the sandbox holds what it is to hold
}

// newGate returns a gate for commands that run in o.cwd. The policies that hold there and
// in the folders beside count.
func newGate(env *prog.Env, o options, beside ...string) (*gate, error) {
	user, err := policy.User(o.policies)
	if err != nil {
		return nil, err
	}
	return gateIn(env, o, user, beside...)
}

// gateIn returns a gate with the user's policy and those of the projects around o.cwd and
// the folders beside.
func gateIn(env *prog.Env, o options, user *policy.Policy, beside ...string) (*gate, error) {
	p, err := user.In(append([]string{o.cwd}, beside...), env.Warnf)
	if err != nil {
		return nil, err
	}
	g := gateWith(env, o, p)
	g.user = user
	return g, nil
}

// gateWith returns a gate with the policy.
func gateWith(env *prog.Env, o options, p *policy.Policy) *gate {
	g := &gate{
		options: o, env: env, user: p, policy: p, mode: o.mode(),
		granted: grant.Session{}, elsewhere: map[place]*gate{}, confines: func() bool { return true },
	}
	g.levels = p.Decisions(g.mode, o.try)
	home, _ := os.UserHomeDir()
	user := p.Rows
	if len(user) == 0 {
		user = []*table.Table{nil} // the embedded rows have their say
	}
	for _, rows := range slices.Concat(user, p.Projects) {
		g.tables = append(g.tables, machine.Options{
			Cwd: o.cwd, Home: home, Shell: o.shell, Overlay: rows, Workspace: p.Workspace, Resolve: true,
		})
	}
	return g
}

// maxElsewhere is how many gates for other folders are kept.
const maxElsewhere = 64

// at returns the gate for a call: this one, or one of its own if the call names the
// folder or the shell in which it runs. All share the person and what that person has
// granted. A shell that a call names is the person's own, with no sandbox of ours, since
// ua-exec has no choice of shells.
func (g *gate) at(c *call) (*gate, error) {
	if c.place == (place{}) {
		return g, nil
	}
	there := g.elsewhere[c.place]
	if there == nil {
		o := g.options
		if c.cwd != "" {
			o.cwd = c.cwd
		}
		if c.shell != "" {
			o.shell, o.unconfined = c.shell, true
		}
		var err error
		if there, err = gateIn(g.env, o, g.user); err != nil {
			return nil, err
		}
		there.granted, there.keys, there.confines = g.granted, g.keys, g.confines
		// A stream can name any number of folders.
		if len(g.elsewhere) >= maxElsewhere {
			clear(g.elsewhere)
		}
		g.elsewhere[c.place] = there
	}
	there.person, there.instruction = g.person, g.instruction
	return there, nil
}

// report classifies the command. Tables of rows other than the first can only raise its
// level.
func (g *gate) report(command string) Verdict {
	r := g.classify(command, 0)
	for i := range g.tables[1:] {
		if more := g.classify(command, i+1); more.Level > r.Level {
			r = more
		}
	}
	return Verdict{
		Risk: r.Level, By: "level", Reason: r.Reason, Rule: r.Row,
		Profile: verdict.ProfileFor(r.Level), Delegates: r.Delegates, Parts: r,
	}
}

// classify returns the report by the i-th table. If the classifier panics, the command is
// denied and the stream goes on: a bug there must not end the run.
func (g *gate) classify(command string, i int) (r finding.Report) {
	defer func() {
		if bug := recover(); bug != nil {
			g.env.Warnf("bug: the classifier failed on %q: %v", style.Cut(command, maxText), bug)
			const why = "the gate can't read this command"
			r = finding.Report{Level: verdict.Denied, Row: "bug", Reason: why}
		}
	}()
	r = classify.Classify(command, &g.tables[i])
	for p := range r.All() {
		p.Held = p.Held && !(g.try && slices.ContainsFunc(p.Effects, undone))
	}
	return r
}
