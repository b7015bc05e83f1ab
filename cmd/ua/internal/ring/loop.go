package ring

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"ua/cmd/ua/internal/budget"
	"ua/cmd/ua/internal/display"
	"ua/cmd/ua/internal/worktree"
	"ua/internal/common/config"
	"ua/internal/common/gateway"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runs"
	"ua/internal/common/spending"
	"ua/internal/common/stage"
	"ua/internal/common/trial"
)

// A loop is one run of the ring: think | gate | exec on one side, the journal on the
// other. Every event goes to the journal first. What comes back from there has been kept,
// and only that is acted on.
type loop struct {
	o       *options
	env     *prog.Env
	run     run.Run
	title   string // what the user asks, for a list of tries
	started time.Time

	pipe
	dialog
	mail
	usage
	confinement
	ending
	show        *display.Display
	proof       proof // of --until
	waiting           // of --stay
	agents      offspring
	keptJobs    []keptJob
	recalls     int              // that they have asked for
	trial       *trial.Trial     // what became of the run's try
	tree        *worktree.Tree   // the work tree that the run is in; nil for the folder itself
	notIsolated string           // why, though it was asked for
	keys        []string         // variables with keys of models, which our environment lacks
	gateway     *gateway.Gateway // nil where there are no subagents
	servers     *serverHost      // nil where there are no MCP servers
	judge       *gateway.Gateway // for that of the user's own gate; nil where none can be
	hinted      bool             // that a stage may hold lines back
	notifier    runs.Notifier
	signals     chan os.Signal
	open        bool  // a command runs
	wrote       bool  // one has run that may write
	wroteLately bool  // since the files of a turn were kept
	turns       int64 // with those before the run was resumed
	copies      int64 // bytes of the copies of its try
}

// An outcome is how a run ends. It becomes the summary and the exit status.
type outcome struct {
	status    int
	stage     string
	message   string
	retryable bool
}

// finish begins the end of the run. It closes ua-think's input, and each stage ends after
// the one before it. The first outcome stands.
func (l *loop) finish(o outcome) {
	if l.over {
		return
	}
	l.over, l.result = true, o
	l.toThink.End()
	if l.answer != nil {
		_ = l.show.Answer(l.answer) // the model had given it before the run waited
	}
}

// interrupt ends the run before the model has answered. ua-think writes the part of an
// answer that it has, and ua-exec ends its commands.
func (l *loop) interrupt(o outcome, sig os.Signal) {
	if sig == syscall.SIGPIPE {
		return // the write that failed says so
	}
	if l.lastHeard.IsZero() { // at the end of its input ua-think would miss an instruction
		l.stages[0].Signal(syscall.SIGKILL)
	}
	l.finish(o)
	l.stages[0].Signal(syscall.SIGTERM) // SIGINT may be ignored
	l.hurry()
}

// hurry ends the commands of a run that is over. An idle ua-exec ends by itself after
// ua-think's last line, which a signal could cut off, and it may not have started yet. A
// command that runs, or starts now, is ended at once.
func (l *loop) hurry() {
	wait := stage.Grace / 5
	if l.open {
		wait = 0
	}
	go func() {
		l.stages[0].Wait(wait + time.Second/10)
		for _, s := range l.stages[min(2, len(l.stages)):] {
			if !s.Wait(wait) {
				s.Signal(syscall.SIGTERM)
				s.Wait(stage.Grace / 2) // the next one passes its results on
			}
		}
	}()
}

// stdoutFailed returns the outcome of a run that can no longer write to stdout. A reader
// that has read enough ends the run as it ends any filter, by SIGPIPE. A full disk is
// trouble.
func stdoutFailed(err error) outcome {
	if errors.Is(err, syscall.EPIPE) {
		return outcome{128 + int(syscall.SIGPIPE), "ua", "stdout was closed", false}
	}
	return outcome{prog.Trouble, "ua", fmt.Sprintf("stdout: %v", cmp.Or(errors.Unwrap(err),
		err)), false}
}

// bounded interrupts the run if why is not "".
func (l *loop) bounded(status int, stage, why string) {
	if why != "" && !l.over {
		l.interrupt(outcome{status, stage, why, false}, syscall.SIGTERM)
	}
}

// A usage is what a run has used of its limits.
type usage struct {
	tally   journal.Tally
	count   budget.Count
	judged  spending.Sum  // by the gate's judge
	below   runs.Ledger   // what subagents have taken, as it is kept
	earlier spending.Sum  // by the run and those below it before it was resumed
	took    time.Duration // before that
}

// spent returns what the run, its judge and its subagents have used together. Neither the
// gateway nor ua-think sees all three.
func (u *usage) spent() spending.Sum {
	return spending.Of(&u.tally).Plus(u.below.All.Sum()).Plus(u.earlier)
}

// share tells the gateways what others than those who ask them have spent.
func (l *loop) share() {
	l.gateway.Spent(l.others())
	l.judge.Spent(l.spent().Minus(l.judged))
}

// recallUse counts what a run that is resumed has used before. What bounds the tree of a
// subagent's run is that of the run at the top. The usual limits on turns and commands,
// which nobody has set, are for each time that the run goes on.
func (l *loop) recallUse() {
	of := l.run
	if l.o.parent == "" {
		of = of.Top()
	}
	i := runs.Read(of)
	if l.turns = i.Turns; of.Dir != l.run.Dir {
		l.turns = runs.Read(l.run).Turns
	}
	l.earlier = spending.Of(&i.Tally).Plus(i.Ledger.All.Sum())
	l.took = i.Worked
	var usual config.Agent
	_ = usual.Complete("")
	if l.o.Limits.Turns != usual.MaxTurns {
		l.count.Turns = int(i.Turns)
	}
	if l.o.Limits.Commands != usual.MaxCommands {
		l.count.Commands = int(i.Commands)
	}
}
