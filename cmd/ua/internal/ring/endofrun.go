package ring

import (
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"ua/cmd/ua/internal/display"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
)

// An ending is how a run ends, once that is known.
type ending struct {
	result        outcome
	over          bool     // result stands
	summed        bool     // the summary is on its way
	journalLost   bool     // the journal's writer ended before it had the summary
	keeperStopped *outcome // of the journal's writer, or of what is in front of it, once stopped
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
		l.rescue()
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
	stage.EndOrphans(l.stays())
	l.lastLook(func([]byte) {})
	if !l.summed { // the pipe's end was not seen
		l.release()
		l.endTry()
	}
	l.printed()
	if l.result.status == 0 && l.o.out != "" {
		err := l.o.notPlanted("--output", l.o.out) // by a command of this run
		if err == nil {
			err = save(l.o.out, l.show.Saved)
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

// rescue writes the error and the summary with a second writer, because the first one
// died.
func (l *loop) rescue() {
	_ = record(l.run, func(in io.Writer) error {
		w := event.NewWriter(in)
		for _, line := range l.unwritten(l.run.Journal()) {
			w.Write(line)
		}
		w.Write(event.Error(l.result.stage, l.result.message, l.result.retryable))
		return w.Write(l.summary())
	})
}
