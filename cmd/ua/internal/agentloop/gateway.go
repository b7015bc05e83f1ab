package agentloop

import (
	"strconv"

	"ua/internal/common/config"
	"ua/internal/common/gateway"
	"ua/internal/common/prog"
	"ua/internal/common/spending"
	"ua/internal/common/stage"
)

// openGateways creates the sockets on which a model is reached: that of subagents if this run can
// have some and its model is ours to ask, and that of the judge of a ua-gate in the user's own
// line, since whatever else the line starts would have the keys as well.
func (l *loop) openGateways() (err error) {
	if l.o.mayDelegate() && l.o.Exec == "" && l.o.Think == "" && l.o.via == "" {
		if l.gateway, err = gateway.Open(l.run, "gateway.sock"); err != nil {
			return err
		}
	}
	if l.o.Gate != "" && len(l.keys) > 0 && l.o.via == "" {
		l.judge, err = gateway.Open(l.run, "judge.sock")
	}
	return err
}

// serveGateways has ua-think serve answer whoever asks there, until the run is over. What the
// judge has used is told by its ua-gate, and must not be counted twice.
func (l *loop) serveGateways() {
	l.serve(l.gateway, "subagents", l.belowArgs(), l.toJournal.Offer)
	l.serve(l.judge, "the judge", l.serverArgs(), func([]byte) {})
}

// serve has ua-think serve, with the options, answer whoever asks at a gateway, if there is one.
func (l *loop) serve(g *gateway.Gateway, whose string, options []string, line func([]byte)) {
	if g == nil {
		return
	}
	go g.Serve(func(args []string) (stage.Command, error) {
		c, err := stage.Builtin("ua-think", append(args, options...)...)
		c.Env = append(c.Env, l.keys...)
		return c, err
	}, line, func(err error) { l.env.Warnf("the gateway of %s: %v", whose, err) })
}

// belowArgs returns the options of ua-think serve for what the run's commands ask. That is
// within the run's limits and counted with what the run asks itself; where the user has set
// none it has limits of its own (ua(1), Subagents).
func (l *loop) belowArgs() []string {
	o := l.o
	args := append(l.serverArgs(), "--lives", l.outDir(), "--max-questions",
		strconv.Itoa(o.mostQuestions()))
	if o.Limits.Tokens == 0 {
		most := int64(o.limits.AtOnce) * o.limits.TokensMax
		args = append(args, "--budget-tokens", strconv.FormatInt(most, 10))
	}
	if o.Effort != "" {
		args = append(args, "--effort", o.Effort)
	}
	return prog.Repeat(args, "--allow", o.models)
}

// questionsPerTurn is how many questions commands may ask for each turn that a run may have,
// if the user has not limited its turns.
const questionsPerTurn = 3

// mostQuestions returns how many questions commands may ask: with those of the run itself no
// more than it may have turns, if the user has set that, and else some for each turn.
func (o *options) mostQuestions() int {
	if o.turnsSet() {
		return o.Limits.Turns
	}
	return questionsPerTurn * o.Limits.Turns
}

// turnsSet reports whether the user has said how many turns the run may have.
func (o *options) turnsSet() bool { return o.Limits.Turns != config.DefaultMaxTurns }

// share tells the gateways what others than those who ask them have spent.
func (l *loop) share() {
	l.gateway.Spent(l.others())
	l.judge.Spent(l.spent().Minus(l.judged))
}

// others returns what others than the run's commands have spent of the limits that these
// share with them.
func (l *loop) others() spending.Sum {
	s := l.spent().Minus(l.below.All.Sum())
	if s.Questions = 0; l.o.turnsSet() {
		s.Questions = int64(l.count.Turns)
	}
	if l.o.Limits.Tokens == 0 {
		s.Tokens = 0
	}
	return s
}

// serverArgs returns the options of ua-think serve. All that ask there share the budget of
// the run, and only agents within the permitted depth are served.
func (l *loop) serverArgs() []string {
	o := l.o
	args := []string{"--max-depth", strconv.Itoa(o.maxDepth - 1),
		"--max-requests", strconv.Itoa(max(o.limits.AtOnce, o.limits.PerParent))}
	if o.Model != "" {
		args = append(args, "--model", o.Model)
	}
	return append(args, o.Limits.Args()...)
}

// gateways returns those that exist.
func (l *loop) gateways() (list []*gateway.Gateway) {
	for _, g := range []*gateway.Gateway{l.gateway, l.judge} {
		if g != nil {
			list = append(list, g)
		}
	}
	return list
}

// closeGateways ends what answers at the sockets, and removes them.
func (l *loop) closeGateways() {
	for _, g := range l.gateways() {
		g.Close(l.run.Dir)
	}
}

// The keys of models in the environment are this process's and ua-think's alone
// (config.TakeKeys). A ua-gate needs them only for a judge, which no stage but it knows of.

// lendKeys lets a ua-gate of ours read the keys, which it does if it has a judge.
func (l *loop) lendKeys(c *stage.Command) error {
	if len(l.keys) == 0 {
		return nil
	}
	r, err := config.LendKeys(l.keys)
	if err != nil {
		return prog.Errorf(stage.StartStatus(err), "%w", err)
	}
	c.Argv = append(c.Argv, "--keys-fd", strconv.Itoa(firstExtra+len(c.Extra)))
	c.Extra = append(c.Extra, r)
	return nil
}

// firstExtra is the first descriptor of a stage's Extra files.
const firstExtra = 3
