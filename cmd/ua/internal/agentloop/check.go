package agentloop

import (
	"fmt"
	"syscall"

	"ua/cmd/ua/internal/runprocesses"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
	"ua/internal/common/style"
)

// checkTimeMS is how long a check may take: as long as any command may (ua-exec(1)).
const checkTimeMS = 30 * 60 * 1000

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
	runprocesses.EndOrphans(stay)
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
		l.finish(outcome{prog.Trouble, s.Name(), "a check could not be run: " + stageEnd(s), false})
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
		err = l.sendConversation(-1, nil)
	}
	if err != nil {
		l.finish(outcome{prog.Status(err), "ua", err.Error(), false})
		l.kill()
		return false
	}
	l.turn()
	return true
}
