package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/environ"
	"ua/cmd/ua-exec/internal/folder"
	"ua/cmd/ua-exec/internal/process"
	"ua/cmd/ua-exec/internal/report"
	"ua/internal/common/event"
	"ua/internal/common/procfs"
	"ua/internal/common/prog"
	agent "ua/internal/common/run"
	"ua/internal/common/secret"
	"ua/internal/common/verdict"
)

// An executor runs commands one after the other. Commands that only read may run side by
// side.
type executor struct {
	ctx      context.Context // ends with the run
	opts     *options
	out      *event.Writer // of results
	shell    *shell
	environ  *environ.Environ
	children *process.Children
	spare    procfs.Reserve
	null     *os.File
	folder   folder.Folder
	tier     *tier
	cwd      string

	mu     sync.Mutex
	last   chan struct{} // closed when the last call that has come begins
	closed bool          // no call comes any more
	calls  sync.WaitGroup
	slots  chan struct{} // of calls that only read
	alone  sync.RWMutex

	landing     *landing
	processes   process.Table
	control     control
	credentials credentials
	background
	withheld sync.Once // tells the model which variables were
}

// newExecutor returns an executor that accepts calls until end. variables is the
// environment from which that of commands is made.
func newExecutor(
	ctx context.Context, env *prog.Env, o *options, variables []string,
) (*executor, error) {
	tier, _ := strconv.Atoi(os.Getenv(agent.EnvSandbox))
	sh, err := findShell(o, tier > 0)
	if err != nil {
		return nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	unset := append(o.unset, supervisedBy, agent.EnvLandFD)
	e := environ.New(variables, o.env, unset, o.envJudged, cwd)
	e.Writable = o.write
	if others := secret.OthersKeys(e.Withheld); len(others) > 0 && tier == 0 {
		env.Warnf("%s", secret.Withheld(others))
	}
	sh.pass = append(slices.Sorted(maps.Keys(environ.Quiet())), "BASH_ENV")
	sh.pass = slices.Concat(sh.pass, o.env, e.Names())
	x := &executor{
		ctx: ctx, opts: o, shell: sh, null: null, cwd: cwd,
		out:       event.NewWriter(env.Stdout),
		environ:   e,
		folder:    folder.Folder{Path: o.dir, Max: o.dirMax},
		children:  process.NewChildren(),
		slots:     make(chan struct{}, o.jobs),
		processes: process.NewTable(),
		landing:   newLanding(),
	}
	// Commands could use up all processes before a timer would make the threads.
	if procfs.FewPids() {
		go x.spare.Fill()
	}
	x.tier = newTier(env, x, tier)
	return x, nil
}

// An execution is one command from its start to its result.
type execution struct {
	x          *executor
	queued     *queuedCall
	call       *call
	pid        int // of the shell, and so of its session and group
	began      time.Time
	exited     <-chan process.Ended
	credential *credential // of its rights
	output     *output
	report     *report.Pipeline // of the pipeline's statuses
	notRun     *report.Channel  // what ua-sandbox says when it does not run the command
	refuse     string           // and has said
	netLog     *report.Channel  // what the proxy of its own sandbox says
	ended      process.Ended
	parts      []int // exit statuses of the last pipeline's parts, if bash told them
	status     string
	limit      string // "time", "idle" or "pids" when a limit ended it
	took       time.Duration
	left       []process.Process // what still runs
	strays     int               // how many processes were ended, since they were too many
	unlanded   []string          // what of its changes in repositories was refused
	later      string            // path of the file with what that prints
	lost       error             // why that is kept nowhere, nil if it is

	// of a command in the background
	record string             // path of its record
	from   string             // the folder in which it starts, if not the usual one
	stdin  *os.File           // gets what ua job in writes
	typing sync.Mutex         // held by who writes there
	asked  chan time.Duration // has it ended, with that grace
	over   chan struct{}      // closed when it has ended
	wake   wake               // counts its lines that match
}

// notStarted says in words why a command could not be started.
func notStarted(err error) string {
	switch {
	case errors.Is(err, syscall.E2BIG):
		return "the command is longer than the kernel takes in one argument (128 KiB): " +
			"put it into a file and run that"
	case errors.Is(err, syscall.EINVAL):
		return "the command holds a NUL byte"
	}
	return "the command could not be started: " + err.Error()
}

// submit has the call run when it is its turn. Calls begin in order. A read_only call may run
// beside others of its kind, as far as there are slots; any other call runs alone.
func (x *executor) submit(c *call) *queuedCall {
	j := &queuedCall{call: c, done: make(chan struct{})}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		j.finish(answer(c, "refused", interrupted))
		return j
	}
	before, begun := x.last, make(chan struct{})
	x.last = begun
	x.calls.Go(func() {
		if before != nil {
			<-before
		}
		if c.risk == verdict.ReadOnly {
			x.slots <- struct{}{}
			defer func() { <-x.slots }()
			x.alone.RLock()
			defer x.alone.RUnlock()
		} else {
			x.alone.Lock()
			defer x.alone.Unlock()
		}
		close(begun)
		j.finish(x.run(j))
	})
	return j
}

// A queuedCall is a call in the executor, from its verdict to its result.
type queuedCall struct {
	call   *call
	recent recent // of its output, if somebody looks
	done   chan struct{}
	line   []byte // of the result, once done is closed
}

// finish sets the result of the call.
func (q *queuedCall) finish(line []byte) {
	q.line = line
	close(q.done)
}
