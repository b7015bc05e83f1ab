package main

import (
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"

	"ua/cmd/ua-exec/internal/environ"
	"ua/cmd/ua-exec/internal/folder"
	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/prog"
	"ua/internal/common/secret"
	"ua/internal/common/threads"
	"ua/internal/common/verdict"
)

// An executor runs commands, one after the other or, where they only read,
// side by side.
type executor struct {
	ctx      context.Context // ends with the run
	opts     *options
	shell    *shell
	environ  *environ.Environ
	children *process.Children
	spare    threads.Reserve
	null     *os.File
	folder   folder.Folder
	tier     *tier
	cwd      string

	mu      sync.Mutex
	waiting []*job
	change  *sync.Cond // of waiting and closed
	closed  bool       // no job comes any more
	ended   chan struct{}

	processes process.Table
	control   control
	lives     lives
	background
	withheld sync.Once // tells the model which variables were
}

func newExecutor(
	ctx context.Context, env *prog.Env, o *options, variables []string,
) (*executor, error) {
	tier, _ := strconv.Atoi(os.Getenv("UA_SANDBOX"))
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
	e := environ.New(variables, o.env, append(o.unset, guardedBy), cwd)
	if len(e.Withheld) > 0 && tier == 0 {
		env.Warnf("%s", secret.Withheld(e.Withheld))
	}
	sh.pass = append(slices.Sorted(maps.Keys(environ.Quiet())), "BASH_ENV")
	sh.pass = slices.Concat(sh.pass, o.env, e.Names())
	x := &executor{
		ctx: ctx, opts: o, shell: sh, null: null, cwd: cwd,
		environ:   e,
		folder:    folder.Folder{Path: o.dir, Max: o.dirMax},
		children:  process.NewChildren(),
		ended:     make(chan struct{}),
		processes: process.NewTable(),
	}
	x.change = sync.NewCond(&x.mu)
	if threads.FewPids() {
		go x.spare.Fill()
	}
	x.tier = newTier(env, x, tier)
	go x.schedule()
	return x, nil
}

// submit has the call run once its turn has come.
func (x *executor) submit(c *call, joined judgement) *job {
	j := newJob(c, joined)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		j.finish(answer(c, "refused", interrupted))
		return j
	}
	x.waiting = append(x.waiting, j)
	x.change.Signal()
	return j
}

// schedule starts the jobs in their order: a read_only one beside others of its
// kind while there is a slot, any other alone.
func (x *executor) schedule() {
	defer close(x.ended)
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, x.opts.jobs)
	reading := false // what runs now only reads
	for j := x.next(); j != nil; j = x.next() {
		reads := j.call.risk == verdict.ReadOnly
		if !reads || !reading {
			running.Wait()
		}
		reading = reads
		slots <- struct{}{}
		running.Add(1)
		go func() {
			defer func() { <-slots; running.Done() }()
			j.finish(x.run(j))
		}()
	}
}

// next waits for a job and takes it; nil when there will be none.
func (x *executor) next() *job {
	x.mu.Lock()
	defer x.mu.Unlock()
	for len(x.waiting) == 0 {
		if x.closed {
			return nil
		}
		x.change.Wait()
	}
	j := x.waiting[0]
	x.waiting[0] = nil
	x.waiting = x.waiting[1:]
	return j
}

// end waits for the jobs, which the run's context may hurry, and then ends
// everything that still runs.
func (x *executor) end() {
	x.mu.Lock()
	x.closed = true
	x.change.Signal()
	x.mu.Unlock()
	<-x.ended
	grace := x.opts.grace
	if x.ctx.Err() != nil {
		grace = min(grace, hurry)
	}
	process.EndAll(x.processes.Descendants, grace)
	ctx, cancel := context.WithTimeout(context.Background(), hurry)
	defer cancel()
	x.background.wait(ctx) // for the records of how they have ended
}

func (x *executor) close() {
	x.null.Close()
	x.endAllLives()
	x.control.close()
}
