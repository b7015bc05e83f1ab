package agentloop

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"ua/cmd/ua/internal/display"
	"ua/cmd/ua/internal/inbox"
	"ua/cmd/ua/internal/runlimits"
	"ua/cmd/ua/internal/worktree"
	"ua/internal/common/gateway"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/runtry"
	"ua/internal/common/spending"
	"ua/internal/common/stage"
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
	trial       *runtry.Try      // what became of the run's try
	tree        *worktree.Tree   // the work tree that the run is in; nil for the folder itself
	notIsolated string           // why, though it was asked for
	keys        []string         // variables with keys of models, which our environment lacks
	gateway     *gateway.Gateway // nil where there are no subagents
	servers     *serverHost      // nil where there are no MCP servers
	judge       *gateway.Gateway // for that of the user's own gate; nil where none can be
	hinted      bool             // that a stage may hold lines back
	notifier    runfolder.Notifier
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

// A usage is what a run has used of its limits.
type usage struct {
	tally   journal.Tally
	count   runlimits.Count
	judged  spending.Sum     // by the gate's judge
	below   runfolder.Ledger // what subagents have taken, as it is kept
	earlier spending.Sum     // by the run and those below it before it was resumed
	took    time.Duration    // before that
}

// spent returns what the run, its judge and its subagents have used together. Neither the
// gateway nor ua-think sees all three.
func (u *usage) spent() spending.Sum {
	return spending.Of(&u.tally).Plus(u.below.All.Sum()).Plus(u.earlier)
}

// An ending is how a run ends, once that is known.
type ending struct {
	result        outcome
	over          bool     // result stands
	summed        bool     // the summary is on its way
	journalLost   bool     // the journal's writer ended before it had the summary
	keeperStopped *outcome // of the journal's writer, or of what is in front of it, once stopped
}

// A dialog is how far a run is with its model.
type dialog struct {
	cut       int64           // where the conversation that ua-think has begins
	refused   *outcome        // if the last call was not let run
	delegates bool            // a call may have started an agent
	reason    string          // of the last verdict
	replies   map[string]bool // the calls of this answer that have a result
	heard     bool            // something of an answer
	lastHeard time.Time       // when the model was asked, or something came from the pipe since
	halfAt    time.Time       // when an answer came that was cut off
	second    bool            // the second step of the agent's work has begun
}

// A mail is what the model is to be told at its next turn besides the results of its calls.
type mail struct {
	messages     []inbox.Message // for the model's next turn
	undelivered  int             // messages that are to be kept before it
	refusedHosts map[string]bool // the hosts whose refusal the model knows
	notices      map[string]int  // of the sandbox since the last turn, by kind
}

// tell keeps a message for the model until the next turn.
func (m *mail) tell(message inbox.Message) { m.messages = append(m.messages, message) }

// A confinement is what a run knows of the sandbox around its commands.
type confinement struct {
	withheld []string      // names of variables that commands do not get
	net      *os.File      // the proxy's events; nil where ua-sandbox is not ours
	asked    chan struct{} // closed when the journal has them all
	tier     atomic.Int64  // that of the sandbox; 0 as long as it has not been told
	tierTold chan struct{} // closed then; nil where the sandbox is not ours
	promised bool          // the model was told which hosts commands reach
	warned   bool          // of a home as the working folder
	unseen   atomic.Value  // what could not be looked at when the sandbox ended
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

// bounded interrupts the run if it has reached a limit, which why names.
func (l *loop) bounded(why string) {
	if why != "" && !l.over {
		l.interrupt(outcome{prog.Limit, "ua", why, false}, syscall.SIGTERM)
	}
}

// outDir holds the complete outputs of commands, subDir the runs of subagents.
func (l *loop) outDir() string { return filepath.Join(l.run.Dir, run.OutFolder) }

func (l *loop) subDir() string { return filepath.Join(l.run.Dir, run.SubFolder) }

// checks reports whether this process has checks to run. Through an engine the other side
// runs them.
func (l *loop) checks() bool { return len(l.o.Until) > 0 && l.o.via == "" }
