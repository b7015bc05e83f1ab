package ring

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"ua/internal/common/run"
	"ua/internal/common/stage"
)

// startAll starts the programs of the run side by side.
func (l *loop) startAll(trace string) error {
	if l.o.depth > 0 {
		os.Setenv(run.EnvDepth, strconv.Itoa(l.o.depth)) // whatever a command has made of it
		fmt.Fprintf(l.env.Stderr, "[ua:sub pid=%d depth=%d run=%s]\n", os.Getpid(), l.o.depth,
			l.run.ID)
	}
	keep, err := stage.Builtin("ua-journal", "append", "--tee", "--final", l.run.Journal())
	if err != nil {
		return err
	}
	for _, open := range []func() error{l.openGateway, l.openJudge, l.openServers} {
		if err := open(); err != nil {
			return err
		}
	}
	pipe, err := l.commands(trace)
	if err != nil {
		return err
	}
	if err := l.startServers(); err != nil {
		return err
	}
	if err := l.startKeeper(keep); err != nil {
		return err
	}
	return l.startPipe(pipe)
}

// startPipe starts the stages, and what answers and listens beside them.
func (l *loop) startPipe(commands []stage.Command) error {
	first, take := l.stages == nil, l.toJournal.Offer
	switch {
	case l.o.via != "":
		take = l.fromFar
	case l.proof.running:
		take = l.fromCheck
	}
	if err := l.pipe.start(commands, take); err != nil {
		return err
	}
	if first && l.gateway != nil {
		go l.serveGateway()
	}
	if first && l.judge != nil {
		go l.serveJudge()
	}
	if l.net != nil {
		go l.noteRequests()
	}
	return nil
}

// commands returns the stages of the pipe: ua's own, or the user's replacements.
func (l *loop) commands(trace string) (list []stage.Command, err error) {
	if l.o.via != "" {
		return []stage.Command{l.engine()}, nil
	}
	add := func(name, line string, args ...string) {
		if err != nil {
			return
		}
		if line != "" {
			list = append(list, stage.Custom(name, line))
			return
		}
		var c stage.Command
		if c, err = stage.Builtin(name, args...); err == nil {
			list = append(list, c)
		}
	}
	// asks gives the stage added last the variables, and lets it ask the run's model unless
	// another one is named.
	asks := func(variables []string) {
		if err != nil {
			return
		}
		last := &list[len(list)-1]
		if last.Env = append(last.Env, variables...); l.o.Model != "" {
			last.Env = append(last.Env, "UA_MODEL="+l.o.Model)
		}
	}
	// judges is asks for a ua-gate of ours.
	judges := func() {
		if asks(nil); err == nil {
			err = l.lendKeys(&list[len(list)-1])
		}
	}
	ceiling, err := l.ceilingPolicy()
	add("ua-think", l.o.Think, l.thinkArgs()...)
	asks(l.keys)
	add("ua-gate", l.o.Gate, l.gateArgs(ceiling)...)
	if l.o.Gate == "" && err == nil {
		list[1].Own = !l.o.Ask // who asks on the terminal must be in its foreground
		judges()
	}
	if l.o.Gate != "" {
		asks(l.judge.Env()) // a ua-gate in the line
	}
	if l.o.Gate != "" && l.o.def.Judge != "" { // which a gate of the user's own need not ask
		add("ua-gate", "", slices.DeleteFunc(l.gateArgs(ceiling), func(arg string) bool {
			return arg == "--ask" || arg == "--first-gate"
		})...)
		judges()
	}
	if err != nil {
		return nil, err
	}
	hands, err := l.hands(trace)
	list = append(list, hands...)
	for i := range list {
		list[i].Before = l.show.Before()
	}
	return list, err
}

// thinkArgs returns the options of ua-think.
func (l *loop) thinkArgs() (args []string) {
	if l.o.Model != "" {
		args = append(args, "--model", l.o.Model)
	}
	// What one turn alone takes too much of is cut by ua-think; the rest is cut here,
	// in big steps, so that the provider's cache holds.
	room := promptRoom + len(l.o.notes)/4
	args = append(args, "--context-tokens", strconv.Itoa(l.o.ContextTokens+room))
	if l.o.Effort != "" {
		args = append(args, "--effort", l.o.Effort)
	}
	if l.o.Schema != "" {
		args = append(args, "--schema", l.o.Schema)
	}
	args = append(args, l.o.budgetArgs()...)
	if l.o.quiet || l.o.json {
		args = append(args, "--quiet")
	}
	return args
}

// gateArgs returns the options of ua-gate; ceiling is the path of a policy or "".
func (l *loop) gateArgs(ceiling string) []string {
	args := []string{"--journal", l.run.Journal()}
	if l.o.Think == "" {
		args = append(args, "--first-gate") // a think of the user's own may hold a gate
	}
	if l.o.Ask {
		args = append(args, "--ask")
	}
	if l.o.tries() && l.o.depth == 0 { // commands can set UA_TRY, and give their agents a try
		args = append(args, "--try")
	}
	if ceiling != "" {
		args = append(args, "--policy", ceiling)
	}
	return args
}
