package agentloop

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"ua/cmd/ua/internal/display"
	"ua/cmd/ua/internal/runprocesses"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
)

// pipeEnded is called once everything that came out of the pipe is kept. It finds out why
// the pipe ended, ends what is left of the run, and writes the summary. The order is that
// of dependence: no stage is left when the gateways close, and subagents and protected files
// are looked at before the summary counts them.
func (l *loop) pipeEnded() {
	if l.checkEnded() {
		return
	}
	if !l.over && !l.signalled(stage.Grace/50) {
		if l.o.via != "" {
			l.finish(l.farEnd())
		} else {
			l.finish(l.failedStage())
		}
		if l.result.status != 0 && !l.show.Said(l.result.stage) {
			l.show.Ending = true // the footer says it
			l.toJournal.Put(event.Error(l.result.stage, l.result.message, l.result.retryable))
		}
	}
	if !l.stages[0].Ended() {
		l.stages[0].Signal(syscall.SIGKILL) // nobody can hear it any more
	}
	l.toThink.End()
	for _, s := range l.stages {
		if !s.Wait(stage.Grace / 5) {
			s.Signal(syscall.SIGKILL)
		}
		if status, _ := s.Failure(); l.result.status == 0 {
			l.ofAll(status)
		}
	}
	if l.check() {
		return
	}
	l.closeGateways()
	l.lookForAgents(true)
	l.release()
	l.awaitNotices()
	l.lastLook(func(line []byte) { l.toJournal.Put(line) })
	l.endTry()
	l.signalled(0)
	l.toJournal.Put(l.trial.AddTo(l.summary()))
	l.summed = true
}

// summary returns the event that ends a run's journal.
func (l *loop) summary() []byte {
	if o := l.result; o.message != "" {
		l.tally.Fail(o.stage, o.message, o.retryable)
	}
	all := l.tally // with what commands have asked
	if below := l.gateway.Ledger(); below != nil {
		all.TokensIn += below.All.TokensIn
		all.TokensOut += below.All.TokensOut
		all.CostUSD += below.All.CostUSD
	}
	return all.Summary(l.result.status, time.Since(l.started))
}

// close ends the journal's writer, makes sure that no process of the run lives on, and
// turns the outcome into the exit status.
func (l *loop) close() error {
	l.toJournal.End()
	if status, _ := l.keeper.Failure(); l.journalLost && status > 128 ||
		l.refusedByHook() {
		l.rescue(l.summary())
	} else if !l.keeper.Wait(stage.Grace) {
		l.keeper.Signal(syscall.SIGKILL)
	}
	// Only a sandbox is ended here, because it then takes its last look at protected files.
	// EndOrphans kills the rest.
	for _, s := range l.stages {
		if !s.Wait(time.Second) && s.Looks() {
			s.Signal(syscall.SIGKILL)
		}
	}
	l.closeGateways()
	l.servers.close()
	runprocesses.EndOrphans(l.stays())
	l.lastLook(func([]byte) {})
	if !l.summed { // the pipe's end was not seen
		l.release()
		l.endTry()
	}
	l.printed()
	if l.result.status == 0 && l.o.out != "" {
		err := l.o.notPlanted("--output", l.o.out) // by a command of this run
		if err == nil {
			err = saveAnswer(l.o.out, l.show.Saved)
		}
		if err != nil {
			l.result = outcome{prog.Trouble, "ua", err.Error(), false}
		}
	}
	l.o.tidy()
	r := l.result
	l.show.Footer(&l.tally, l.gateway.Ledger(), display.End{Status: r.status, Stage: r.stage,
		Message: r.message, Unasked: l.neverAsked()}, time.Since(l.started))
	l.tryFooter()
	l.changedFooter()
	switch sig := syscall.Signal(l.result.status - 128); {
	case l.result.status == 0:
		return nil
	// Only these four. By SIGQUIT a Go program ends with a dump. The status may also be
	// what another side has said, whose SIGSTOP would stop this process for ever.
	case l.result.stage == "ua" && slices.Contains([]syscall.Signal{syscall.SIGINT,
		syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE}, sig):
		// Ending by the signal itself is what sh and make look for.
		signal.Reset(sig)
		syscall.Kill(os.Getpid(), sig)
		time.Sleep(100 * time.Millisecond)
	}
	return prog.Exit(l.result.status)
}

// neverAsked reports whether the run is over before it began: ua-think has no key or doesn't know
// the model, ua-gate's policy is wrong, or nothing can be kept, on a full disk. There is nothing
// to go on with, so it leaves no run. That of a subagent is its parent's account, and the ID of
// one in the background is known.
func (l *loop) neverAsked() bool {
	replaced := l.o.via != "" || l.o.Think != "" || l.o.Gate != ""
	r := l.result
	killed := r.retryable || r.stage == "ua-journal" && r.message != ""
	return !replaced && !l.o.resume && l.o.depth == 0 && !l.o.background &&
		r.status == prog.Trouble && !killed &&
		slices.Contains([]string{"ua-think", "ua-gate", "ua-journal"}, r.stage) &&
		l.tally.TokensIn+l.tally.TokensOut+l.tally.Commands == 0 && l.count.Turns <= 1 &&
		!l.heard
}
