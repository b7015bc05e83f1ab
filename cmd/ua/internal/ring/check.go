package ring

import (
	"cmp"
	"fmt"
	"slices"
	"syscall"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
	"ua/internal/common/style"
)

// A proof is the checks of a run (--until) and how far they are. A run whose model has answered
// is done only once each of them has ended with status 0.
//
// All stages end before the checks begin, and each check has a sandbox of its own, so nothing
// that a command of the run has started lives while one runs, and no variable or alias that it
// has set reaches one. After a failure the stages are started again, as for a run that goes on.
type proof struct {
	trace   string // for the stages that are started again
	round   int    // how many times the checks have begun
	next    int    // of the checks, the one that runs
	running bool
	kept    bool   // the event of that one has been
	failure string // how it failed, "" if it did not
	proved  bool
	answer  []byte // the model's last, which is shown once it is proved

	seal    []byte   // the event of a new seal (--sealed)
	protect []string // the paths that a check may not write
	changed []string // those that the run has changed
	result  []byte   // of a check whose seal is still to be looked at
}

// defaultTries is how many rounds of checks a run has.
const defaultTries = 5

// checkTimeMS is how long a check may take: as long as any command may (ua-exec(1)).
const checkTimeMS = 30 * 60 * 1000

// checks reports whether this process has checks to run. Through an engine the other side
// runs them.
func (l *loop) checks() bool { return len(l.o.Until) > 0 && l.o.via == "" }

// check begins a round of checks if the model has answered and all stages have ended. It
// reports whether the run goes on with it.
func (l *loop) check() bool {
	if !l.checks() || l.result.status != 0 || l.proof.proved {
		return false
	}
	l.awaitNotices()
	l.endLeft()
	l.proof.round++
	l.proof.next = 0
	return l.startCheck()
}

// endLeft ends what commands outside of the sandbox have left behind.
func (l *loop) endLeft() {
	stay := append(l.stays(), l.keeper.PID())
	if l.watcher != nil {
		stay = append(stay, l.watcher.PID())
	}
	for _, g := range l.gateways() {
		if s := g.Stage(); s != nil {
			stay = append(stay, s.PID())
		}
	}
	stage.EndOrphans(stay)
}

// startCheck runs the next check by the stage that runs commands. Nobody judges what the user
// has typed. The profile is the widest that commands of the run have.
func (l *loop) startCheck() bool {
	p := &l.proof
	l.over, l.result = false, outcome{}
	p.running, p.kept, p.failure, p.result = true, false, "", nil
	list, err := l.hands(p.trace)
	if err == nil {
		list = list[:1] // a second one is for what a person allows outside of the sandbox
		if l.o.Exec == "" {
			list[0].Argv = append(list[0].Argv, "--max-commands", "1")
		}
		list[0].Before = l.show.Before()
		if l.o.depth > 0 {
			list, err = l.gated(list)
		}
	}
	if err == nil {
		err = l.startPipe(list)
	}
	if err != nil {
		p.running = false
		l.finish(outcome{prog.Status(err), "ua", "a check could not be started: " + err.Error(), false})
		return false
	}
	command := l.o.Until[p.next]
	l.show.Say("%s", style.Mark("❯ ")+"check: "+style.FirstLine(command, 200))
	input := event.AppendString(fmt.Appendf(nil, `{"timeout_ms":%d,"command":`, checkTimeMS), command)
	l.toThink.Put(event.New("tool_call").Str("id", "check").Str("name", "shell").
		Raw("input", append(input, '}')).Line())
	if l.o.depth == 0 {
		l.toThink.Put(event.New("verdict").Str("call_id", "check").Str("risk", "network").
			Str("decision", "allow").Str("by", "user").Str("profile", l.o.Profile).Line())
	}
	l.toThink.End()
	return true
}

// gated puts a gate in front of the stage that runs a subagent's check, which a model has
// typed. Nobody is asked.
func (l *loop) gated(list []stage.Command) ([]stage.Command, error) {
	ceiling, err := l.ceilingPolicy()
	if err != nil {
		return nil, err
	}
	gate, err := stage.Builtin("ua-gate", l.gateArgs(ceiling, false)...)
	return append([]stage.Command{gate}, list...), err
}

// fromCheck makes a check event of the result of a check. All else that its stage writes about
// the call stays out of the journal.
func (l *loop) fromCheck(line []byte) {
	var seal []byte
	switch event.Type(line) {
	case "tool_result":
		if l.o.seals() {
			l.proof.result = slices.Clone(line)
			return
		}
	case "sealed":
		if seal, line = line, l.proof.result; line == nil {
			return
		}
	case "error", "net", "guarded":
		l.toJournal.Offer(line)
		return
	default:
		return
	}
	p := &l.proof
	code := gjson.GetBytes(line, "exit_code")
	passed := event.Str(line, "call_id") == "check" && code.Exists() && code.Int() == 0 &&
		event.Str(line, "limit") == "" && event.Str(line, "signal") == "" &&
		!gjson.GetBytes(seal, "touched.0").Exists()
	e := event.New("check").Str("command", l.o.Until[p.next]).Int("round", int64(p.round)).
		Int("tries", int64(l.o.rounds())).Bool("passed", passed).
		OptStr("status", event.Str(line, "status")).OptStr("signal", event.Str(line, "signal")).
		OptStr("limit", event.Str(line, "limit"))
	if code.Exists() {
		e.Int("exit_code", code.Int())
	}
	for _, name := range []string{"changed", "touched"} {
		if list := gjson.GetBytes(seal, name); list.IsArray() {
			e.Raw(name, []byte(list.Raw))
		}
	}
	l.toJournal.Offer(e.Str("output", event.Str(line, "output")).Str("profile", l.o.Profile).
		Int("duration_ms", gjson.GetBytes(line, "duration_ms").Int()).Line())
}

// rounds returns how many rounds of checks the run has.
func (o *options) rounds() int {
	if o.Tries > 0 {
		return o.Tries
	}
	return defaultTries
}

// noteCheck takes up the event of a check that has ended and is kept.
func (l *loop) noteCheck(line []byte) {
	p := &l.proof
	if !p.running {
		return
	}
	p.kept = true
	touched := l.noteSeal(line)
	if gjson.GetBytes(line, "passed").Bool() {
		return
	}
	p.failure = fmt.Sprintf("the check failed with status %d: %s", gjson.GetBytes(line,
		"exit_code").Int(), style.FirstLine(event.Str(line, "command"), 100))
	if !gjson.GetBytes(line, "exit_code").Exists() {
		p.failure = "the check did not run: " + style.FirstLine(event.Str(line, "output"), 200)
	}
	p.failure = cmp.Or(touched, p.failure)
	l.show.Warn(p.failure)
}

// checkEnded goes on after a check: with the next one, with the model, or to the end of the
// run. It reports whether the run goes on.
func (l *loop) checkEnded() bool {
	p := &l.proof
	if !p.running || l.over {
		return false
	}
	p.running = false
	for _, s := range l.stages {
		if !s.Wait(stage.Grace) {
			s.Signal(syscall.SIGKILL)
		}
	}
	l.endLeft()
	switch {
	case !p.kept: // its stage has said why
		s := l.stages[len(l.stages)-1]
		l.finish(outcome{prog.Trouble, s.Name(), "a check could not be run: " + l.stageEnd(s), false})
		return false
	case p.failure == "" && p.next+1 < len(l.o.Until):
		p.next++
		return l.startCheck()
	case p.failure == "":
		p.proved = true
		l.finish(outcome{})
		l.tellChanged()
		if err := l.show.Answer(p.answer); err != nil {
			l.result = stdoutFailed(err)
		}
		return false
	case p.round >= l.o.rounds():
		l.finish(outcome{prog.No, "ua", p.failure, false})
		return false
	}
	return l.again()
}

// again starts the stages anew and asks the model, which learns what the check has said.
func (l *loop) again() bool {
	l.awaitNotices()
	l.refused = nil
	list, err := l.commands(l.proof.trace)
	if err == nil {
		err = l.startPipe(list)
	}
	if err == nil {
		err = l.recall(nil)
	}
	if err != nil {
		l.finish(outcome{prog.Status(err), "ua", err.Error(), false})
		l.kill()
		return false
	}
	l.turn()
	return true
}

// withChecks adds a project's or the user's checks to those of the command line, each once.
func (o *options) withChecks(list []string) {
	for _, c := range list {
		if !slices.Contains(o.Until, c) {
			o.Until = append(o.Until, c)
		}
	}
}
