package ring

import (
	"crypto/rand"
	"os"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua/internal/display"
	"ua/cmd/ua/internal/runs"
	"ua/cmd/ua/internal/stage"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/verdict"
)

// newMark returns the line that follows the last one of the pipe through the journal,
// which passes a delta on and does not keep it: order is the barrier here too. No
// stage can know it.
func newMark() string { return `{"type":"delta","kind":"end","mark":"` + rand.Text() + `"}` }

// do does the task in a new run, or goes on with an old one.
func do(env *prog.Env, o *options, t task) error {
	stage.Adopt()
	if o.fork {
		var err error
		if t.resume, err = fork(t.resume, o.at, o.folder()); err != nil {
			return err
		}
	}
	l := &loop{o: o, env: env, run: t.resume, title: t.text, started: time.Now(),
		kept: make(chan []byte, 64), ended: make(chan *stage.Stage, 8), mark: newMark()}
	held, err := l.prepare()
	if err != nil {
		t.stdin.drop()
		return err
	}
	defer held.Close()
	if err := l.isolate(); err != nil {
		return err
	}
	l.show = display.New(env, o.display(), l.run.Journal())
	l.signals = make(chan os.Signal, 8)
	prog.Notify(l.signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGPIPE)
	trace := traceparent()
	if err := l.startAll(trace); err != nil {
		l.kill()
		if l.keeper == nil && !o.resume {
			os.RemoveAll(l.run.Dir) // nothing was begun
		}
		if l.tree != nil {
			l.tree.End()
		}
		return err
	}
	if err := l.begin(&t, trace); err != nil {
		l.kill()
		return err
	}
	l.pump()
	return l.close()
}

// prepare makes the run's folder, or takes up that of an old run, and prepares it.
func (l *loop) prepare() (held *os.File, err error) {
	if l.o.resume {
		if held, err = runs.Hold(l.run); err == nil {
			l.passOver()
			err = runs.Apart(l.run, l.o.parent)
		}
		if err == nil && l.o.background {
			err = detach(l.run)
		}
	} else {
		l.run, held, err = l.o.newRun()
	}
	if err != nil {
		return nil, err
	}
	if err := l.o.limits.Save(held); err != nil {
		return nil, runs.FolderError(err)
	}
	return held, nil
}

// begin hands the run's first events over. The first turn follows when the
// instruction is kept.
func (l *loop) begin(t *task, trace string) error {
	if !l.o.resume {
		if err := t.settle(l.env, l.run.Dir); err != nil {
			return err
		}
		if l.o.via != "" {
			l.toJournal.Put(start(l.o, t, l.run.ID, trace))
			l.toJournal.Put(t.instruction())
			return l.hand()
		}
		l.toJournal.Put(start(l.o, t, l.run.ID, trace))
		l.toJournal.Put(l.o.systemEvent())
		if l.o.isolation == "worktree" {
			l.toJournal.Put(l.isolationEvent("", ""))
		}
		t.describe(l) // the stages that stand take the first events meanwhile
		l.toJournal.Put(t.instruction())
		return nil
	}
	if err := l.recall(); err != nil {
		return err
	}
	if err := t.settle(l.env, l.run.Dir); err != nil {
		return err
	}
	if t.text != "" || len(t.attachments) > 0 {
		l.toJournal.Put(t.instruction())
	} else {
		l.turn()
	}
	return nil
}

// turn asks the model, unless a bound is reached, once what it is to hear is kept.
func (l *loop) turn() {
	if l.hear(); l.over || l.deliver() {
		return
	}
	l.ask()
}

// ask asks the model, unless a bound is reached. All that came before has been
// kept by now, so the journal's size says what the conversation is.
func (l *loop) ask() {
	tokens, usd := l.spent()
	if why := l.count.Turn(l.o.most, tokens, usd); why != "" {
		l.finish(outcome{prog.Limit, "ua", why, false})
		return
	}
	if info, err := os.Stat(l.run.Journal()); err == nil && journal.Cut(info.Size(),
		l.o.tokens) != l.cut {
		if err := l.recall(); err != nil {
			l.finish(outcome{prog.Trouble, "ua", err.Error(), false})
			return
		}
	}
	e := event.New("turn").Int("n", int64(l.count.Turns))
	if l.o.tokens != journal.DefaultBudget {
		e.Int("budget", int64(l.o.tokens)) // ua-journal calls asks as we did
	}
	l.toJournal.Put(e.Line())
}

// recall gives ua-think the conversation anew, as `ua-journal read` prints it.
func (l *loop) recall() error {
	f, err := regular.Open(l.run.Journal())
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	lines, err := journal.Conversation(f, info.Size(), l.o.tokens,
		func(err error) { l.env.Warnf("%s: %v", l.run.Journal(), err) })
	if err != nil {
		return err
	}
	for _, line := range lines {
		l.toThink.Put(line)
	}
	l.cut = journal.Cut(info.Size(), l.o.tokens)
	return nil
}

// keep acts on an event that the journal has kept.
func (l *loop) keep(line []byte) {
	typ := event.Type(line)
	l.tally.Add(line)
	if event.FromPipe(typ) {
		l.lastHeard = time.Now()
	}
	if err := l.show.Event(typ, line); err != nil {
		l.finish(stdoutFailed(err))
	}
	switch typ {
	case "verdict":
		l.open = event.Str(line, "decision") == string(verdict.Allow)
		if l.over && l.result.status != 0 {
			l.hurry()
		}
	case "tool_result":
		l.open = false
	}
	switch {
	case l.over:
	case l.o.via != "":
		l.keepFar(typ, line)
	default:
		l.goOn(typ, line)
	}
}

// goOn goes on with the run after an event that the journal has kept.
func (l *loop) goOn(typ string, line []byte) {
	if typ == "turn" {
		l.show.Asks()
		l.lastHeard = time.Now()
	}
	if typ == "turn" || journal.Keeps(typ) {
		l.toThink.Put(line)
	}
	switch typ {
	case "instruction":
		l.turn()
	case "message":
		l.delivered()
	case "model_request":
		l.below.Add(line)
		l.bounded(prog.Limit, "ua", l.o.most.Overspent(l.spent()))
	case "judge":
		l.bounded(prog.Limit, "ua", l.o.most.Overspent(l.spent()))
	case "net":
		l.notAllowed(line)
	case "guarded":
		l.notKept(line)
	case "tool_call":
		l.bounded(prog.Limit, "ua", l.count.Call(l.o.most))
	case "verdict":
		l.delegates = l.delegates || gjson.GetBytes(line, "delegates").Bool()
		l.reason = event.Str(line, "reason")
	case "tool_result":
		l.refused = refusal(event.Str(line, "status"))
		l.count.Result(event.Str(line, "status") == "denied")
		if l.delegates || l.agents.live > 0 {
			l.lookForAgents(false)
		}
	case "checkpoint":
		l.cut = -1 // stands for what came before: recall at the next turn
	case "response":
		l.answered(line)
	case "error":
		l.quitAt(line)
	}
}

// quitAt ends the run when a person has said so at a question of ua-gate. What a hook says
// before the first turn ends the stream itself.
func (l *loop) quitAt(line []byte) {
	if event.Str(line, "stage") == "ua-gate" && l.count.Turns > 0 &&
		gjson.GetBytes(line, "status").Int() == prog.No {
		l.interrupt(outcome{prog.No, l.env.Name, event.Str(line, "message"), false},
			syscall.SIGTERM)
	}
}

// answered goes on after a response: with the next turn when it called for
// commands, or to the end.
func (l *loop) answered(line []byte) {
	reason := event.Str(line, "stop_reason")
	stubborn := l.count.Answered(l.reason)
	switch {
	case reason == "interrupted" || reason == "error":
		// ua-think ends by itself and says with what status.
	case stubborn != "":
		l.finish(outcome{prog.No, "ua-gate", stubborn, false})
	case event.Calls(line):
		l.turn()
	case reason == "refusal":
		l.finish(outcome{prog.No, "ua-think", "the model refused to answer", false})
	case reason == "max_tokens":
		l.finish(outcome{prog.No, "ua-think",
			"the answer was cut at the model's limit of tokens", false})
	case l.goesOn():
		l.turn()
	case l.listen():
		l.turn()
	case l.refused != nil:
		l.finish(*l.refused)
	default:
		l.finish(outcome{})
	}
	if l.over {
		if err := l.show.Answer(line); err != nil {
			l.result = stdoutFailed(err)
		}
	}
}

// refusal returns the outcome of a run whose last command has the status, nil if it
// ran.
func refusal(status string) *outcome {
	switch status {
	case "denied":
		return &outcome{prog.No, "ua-gate", "the last command was denied", false}
	case "refused":
		return &outcome{prog.No, "ua-exec", "the last command was not run", false}
	}
	return nil
}
