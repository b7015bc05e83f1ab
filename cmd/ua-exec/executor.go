package main

import (
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"ua/internal/common/prog"
	"ua/internal/common/secret"
	"ua/internal/common/verdict"
)

// hurry is the longest grace once the run was told to end.
const hurry = 400 * time.Millisecond

// An executor runs commands, one after the other or, where they only read,
// side by side.
type executor struct {
	ctx      context.Context // ends with the run
	opts     *options
	shell    *shell
	environ  *environ
	children *children
	null     *os.File
	folder   folder
	level    *level
	cwd      string

	slots   chan struct{} // one for each command that may run at once
	running sync.WaitGroup
	reading bool // what runs now only reads

	mu       sync.Mutex
	sessions map[int]bool // of commands that were started, by the shell's pid
	told     map[int]bool // processes that were named in a result
	gone     []gone
	withheld sync.Once // tells the model
}

func newExecutor(ctx context.Context, env *prog.Env, o *options, variables []string) (*executor, error) {
	level, _ := strconv.Atoi(os.Getenv("UA_SANDBOX"))
	sh, err := findShell(o, level > 0)
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
	environ := newEnviron(variables, o.env, o.unset, cwd)
	if len(environ.withheld) > 0 && level == 0 {
		env.Warnf("%s", secret.Withheld(environ.withheld))
	}
	sh.pass = slices.Concat(slices.Sorted(maps.Keys(quiet())), o.env, environ.names(), []string{"BASH_ENV"})
	x := &executor{
		ctx: ctx, opts: o, shell: sh, null: null, cwd: cwd,
		environ:  environ,
		folder:   folder{path: o.dir},
		children: newChildren(),
		slots:    make(chan struct{}, o.jobs),
		sessions: map[int]bool{},
		told:     map[int]bool{},
	}
	x.level = newLevel(env, x, level)
	return x, nil
}

// start runs the call once its turn has come: a read_only one beside others of
// its kind while there is a slot, any other alone. It returns when the call
// runs; the promise is kept when it has ended.
func (x *executor) start(c *call) *promise {
	p := newPromise()
	reads := c.risk == verdict.ReadOnly
	if !reads || !x.reading {
		x.running.Wait()
	}
	x.reading = reads
	select {
	case x.slots <- struct{}{}:
	case <-x.ctx.Done():
	}
	if x.ctx.Err() != nil {
		p.keep(answer(c, "refused", interrupted))
		return p
	}
	x.running.Add(1)
	go func() {
		defer func() { <-x.slots; x.running.Done() }()
		p.keep(x.run(c))
	}()
	return p
}

// end ends everything that still runs.
func (x *executor) end() {
	x.running.Wait()
	grace := x.opts.grace
	if x.ctx.Err() != nil {
		grace = min(grace, hurry)
	}
	endAll(x.descendants, grace)
}

func (x *executor) close() { x.null.Close() }

// pipe makes a pipe whose read end takes part in the runtime's polling and
// whose write end blocks, as programs expect of their stdout.
func pipe() (r *os.File, w int, err error) {
	var p [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := syscall.Pipe(p[:]); err != nil {
		return nil, 0, os.NewSyscallError("pipe", err)
	}
	syscall.CloseOnExec(p[0])
	syscall.CloseOnExec(p[1])
	if err := syscall.SetNonblock(p[0], true); err != nil {
		return nil, 0, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(p[0]), "pipe"), p[1], nil
}
