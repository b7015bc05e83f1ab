package ring

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"ua/internal/common/queue"
	"ua/internal/common/regular"
	"ua/internal/common/run"
	"ua/internal/common/stage"
	"ua/internal/common/xdg"
)

// startAll starts the stages side by side, beginning with the slowest: a sandbox takes as
// long to stand as all the others together.
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
	for _, open := range []func() error{l.openGateway, l.openJudge} {
		if err := open(); err != nil {
			return err
		}
	}
	pipe, err := l.commands(trace)
	if err != nil {
		return err
	}
	in, out, err := stage.Pipes()
	if err != nil {
		return err
	}
	l.toJournal = queue.New(in.W)
	if err := l.startPipe(pipe); err != nil {
		return err
	}
	return l.startKeeper(keep, in.R, out)
}

// startKeeper starts the journal's writer, which reads in, and reads from out the lines
// that it has kept.
func (l *loop) startKeeper(c stage.Command, in *os.File, out stage.Ends) (err error) {
	if watched() {
		if in, err = l.startWatcher(in); err != nil {
			return err
		}
	}
	if l.keeper, err = c.Start(in, out.W, l.ended); err != nil {
		return err
	}
	go func() {
		defer close(l.kept)
		stage.Lines(out.R, c.Name, func(line []byte) { l.kept <- line })
	}()
	return nil
}

// watched reports whether the user's policy has hooks that ua-gate watch runs.
func watched() bool {
	text, err := regular.Read(regular.Follow(filepath.Join(xdg.Config(), "policy.toml")), 16<<20)
	return err == nil && regexp.MustCompile(watchedHooks).Match(text)
}

// watchedHooks matches every table of hooks except pre_exec, which ua-gate itself runs.
const watchedHooks = `(?m)^\s*\[\[\s*hooks\s*\.\s*(post_exec|session_|subagent_)`

// startWatcher starts ua-gate watch in front of the journal's writer. What its hooks
// change in a result is then what is kept and what the model sees.
func (l *loop) startWatcher(in *os.File) (*os.File, error) {
	c, err := stage.Builtin("ua-gate", "watch")
	if err != nil {
		return nil, err
	}
	between, err := stage.Pipe()
	if err != nil {
		return nil, err
	}
	if l.watcher, err = c.Start(in, between.W, nil); err != nil {
		return nil, err
	}
	return between.R, nil
}

// startPipe starts think | gate | exec, the last one first, and passes their output to
// the journal. Each stage is started with both its ends; Start closes them here, so that
// every end of a pipe is seen on the other side.
func (l *loop) startPipe(commands []stage.Command) error {
	first := l.stages == nil
	l.stages = make([]*stage.Stage, len(commands))
	in, out, err := stage.Pipes()
	if err != nil {
		return err
	}
	after := out.W
	for i := len(commands) - 1; i > 0; i-- {
		between, err := stage.Pipe()
		if err != nil {
			return err
		}
		if l.stages[i], err = commands[i].Start(between.R, after, l.ended); err != nil {
			return err
		}
		after = between.W
	}
	if l.stages[0], err = commands[0].Start(in.R, after, l.ended); err != nil {
		return err
	}
	l.toThink = queue.New(in.W)
	if l.gateway != nil && first {
		go l.serveGateway()
	}
	if l.judge != nil && first {
		go l.serveJudge()
	}
	if l.net != nil {
		go l.noteRequests()
	}
	take := l.toJournal.Offer
	if l.o.via != "" {
		take = l.fromFar
	}
	if l.proof.running {
		take = l.fromCheck
	}
	go func() {
		j := &joiner{to: take}
		stage.Lines(out.R, commands[len(commands)-1].Name, j.line)
		j.end()
		// Last of all, also when the pipe ends early.
		l.toJournal.Put([]byte(l.mark))
	}()
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
