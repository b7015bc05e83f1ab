package agentloop

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"time"

	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
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
	if err := l.openGateways(); err != nil {
		return err
	}
	if err := l.openServers(); err != nil {
		return err
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
	if first {
		l.serveGateways()
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
	think, err := replacing(l.o.Think, "ua-think", l.thinkArgs()...)
	if err != nil {
		return nil, err
	}
	think.Env = append(think.Env, l.keys...)
	gates, err := l.gates()
	if err != nil {
		return nil, err
	}
	list = append([]stage.Command{think}, gates...)
	for i := range list { // they ask the run's model unless another one is named
		if l.o.Model != "" {
			list[i].Env = append(list[i].Env, "UA_MODEL="+l.o.Model)
		}
	}
	hands, err := l.hands(trace)
	list = append(list, hands...)
	for i := range list {
		list[i].Before = l.show.Before()
	}
	return list, err
}

// replacing returns the user's own line in place of one of our programs, if there is one.
func replacing(line, name string, args ...string) (stage.Command, error) {
	if line != "" {
		return stage.Custom(name, line), nil
	}
	return stage.Builtin(name, args...)
}

// gates returns our gate or, if that is replaced, the user's own. Behind it ours asks the judge
// of the agent's definition, which another gate need not ask.
func (l *loop) gates() (list []stage.Command, err error) {
	if l.o.Gate != "" {
		own := stage.Custom("ua-gate", l.o.Gate)
		own.Env = append(own.Env, l.judge.Env()...) // for a ua-gate in the line
		if list = append(list, own); l.o.def.Judge == "" {
			return list, nil
		}
	}
	ceiling, err := l.ceilingPolicy()
	if err != nil {
		return nil, err
	}
	ask := l.o.Gate == "" && l.o.Ask
	gate, err := stage.Builtin("ua-gate", l.gateArgs(ceiling, ask)...)
	gate.Own = !ask // who asks on the terminal must be in its foreground
	if err == nil {
		err = l.lendKeys(&gate)
	}
	return append(list, gate), err
}

// promptRoom is how many tokens of a request are left for the prompt and the tools,
// besides the conversation.
const promptRoom = 4096

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
	args = append(args, l.o.Limits.Args()...)
	if l.o.quiet || l.o.json {
		args = append(args, "--quiet")
	}
	return args
}

// gateArgs returns the options of ua-gate: the path of a policy or "", and whether it asks a
// person.
func (l *loop) gateArgs(ceiling string, ask bool) []string {
	args := []string{"--journal", l.run.Journal()}
	if ask {
		args = append(args, l.askArgs()...)
	}
	if l.o.tries() && l.o.depth == 0 { // commands can set UA_TRY, and give their agents a try
		args = append(args, "--try")
	}
	args = prog.Repeat(prog.Repeat(args, "--write", l.o.Write), "--read", l.o.Read)
	args = prog.Repeat(args, "--env", l.o.Env)
	args = prog.Repeat(args, "--net-allow", l.o.NetAllow)
	if ceiling != "" {
		args = append(args, "--policy", ceiling)
	}
	return args
}

// askTimeout is how long a question waits for its answer.
const askTimeout = 10 * time.Minute

// askArgs returns the options by which ua-gate asks: on the terminal, and whoever answers by
// ua answer. That writes to the folder of the run at the top, which no command can, but which
// the gate of a subagent reads in the sandbox.
func (l *loop) askArgs() []string {
	args := []string{"--ask"}
	if dir := runfolder.AnswersFolder(l.run); ownFolder(dir, 0o700) == nil {
		args = append(args, "--answers", dir)
	}
	limit := cmp.Or(time.Duration(l.o.AskTimeout), askTimeout)
	return append(args, "--ask-timeout", limit.String())
}
