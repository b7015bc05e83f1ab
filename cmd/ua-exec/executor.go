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
	agent "ua/internal/common/run"
	"ua/internal/common/secret"
	"ua/internal/common/threads"
)

// An executor runs commands one after the other. Commands that only read may run side by
// side.
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
	waiting []*queuedCall
	change  *sync.Cond // of waiting and closed
	closed  bool       // no call comes any more
	ended   chan struct{}

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
		environ:   e,
		folder:    folder.Folder{Path: o.dir, Max: o.dirMax},
		children:  process.NewChildren(),
		ended:     make(chan struct{}),
		processes: process.NewTable(),
		landing:   newLanding(),
	}
	x.change = sync.NewCond(&x.mu)
	// Commands could use up all processes before a timer would make the threads.
	if threads.FewPids() {
		go x.spare.Fill()
	}
	x.tier = newTier(env, x, tier)
	go x.schedule()
	return x, nil
}
