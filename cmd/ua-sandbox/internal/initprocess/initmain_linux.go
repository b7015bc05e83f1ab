package initprocess

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/control"
	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/plan"
	"ua/cmd/ua-sandbox/internal/terminal"
	"ua/cmd/ua-sandbox/internal/ulimit"
	"ua/internal/common/confine"
	"ua/internal/common/execwrap"
	"ua/internal/common/procfs"
	"ua/internal/common/prog"
)

// Stage returns what this binary does under the name of a stage, or nil for any other
// name.
func Stage(name string) func(*prog.Env) error {
	switch name {
	case initName:
		return initStage
	case limitsName:
		return limitsStage
	}
	return nil
}

// initStage is the first process in the sandbox's namespaces. It builds the view, lets
// one thread confine itself and start the command, and lives until the command and
// everything that it left behind are gone. Its other threads, among them the main one,
// are not confined. They can end what Landlock keeps in, and nothing in the sandbox can
// signal or trace them.
func initStage(env *prog.Env) error {
	runtime.LockOSThread()
	// The name by which agents below count those above. prctl(2) would name this thread,
	// which is not the first one, and a process that is not dumpable cannot write there.
	_ = os.WriteFile("/proc/self/comm", []byte("ua-sandbox"), 0)
	killedFirst()
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return err
	}
	execwrap.Ignore()
	if len(env.Args) < 2 {
		return prog.Errorf(prog.LoaderUsage, "no command")
	}
	n, err := strconv.Atoi(env.Args[0])
	if err != nil {
		return prog.Errorf(prog.LoaderUsage, "%w", err)
	}
	ctl := control.Socket(n)
	unix.CloseOnExec(n)
	packet, _, err := ctl.Read()
	if err != nil {
		return prog.Exit(prog.NotConfined)
	}
	var pl plan.Plan
	if err := control.Unpack(packet, &pl); err != nil {
		return fail(ctl, "plan", err)
	}
	if !pl.Terminal {
		if err := terminal.Leave(); err != nil {
			return fail(ctl, "terminal", err)
		}
	}
	if err := ulimit.Lower(pl.Ulimits); err != nil {
		return fail(ctl, "ulimit", err)
	}
	environ, err := build(ctl, &pl, confine.WithGrants(pl.Environ, pl.Grants))
	if err != nil {
		return fail(ctl, "view", err)
	}
	new(procfs.Reserve).FillSoon()
	pl.View.StartNumbers()
	born := make(chan error, 1)
	r := &reaper{own: os.Getpid() == 1, view: &pl.View}
	confine.Thread(func() {
		pid, err := confined(ctl, &pl, env.Args[1:], environ)
		r.command = pid
		born <- err
		select {} // for ever: the command would end with the thread that started it
	})
	if err := <-born; err != nil || pl.Check {
		return err
	}
	go r.listen(ctl)
	status := r.wait()
	if r.orphan.Load() && pl.Remove {
		cleanUp(&pl)
	}
	return ctl.Tell(control.Report{Exited: true, Status: int(status)})
}

// confined confines the calling thread and starts the command from it.
func confined(ctl control.Socket, pl *plan.Plan, argv, environ []string) (pid int, err error) {
	noCrashHandler()
	if err := pl.Locks().Apply(); err != nil {
		return 0, fail(ctl, "locks", err)
	}
	if err := ctl.Tell(control.Report{Ready: true}); err != nil || pl.Check {
		return 0, err
	}
	if pid, err = start(pl, argv, environ); err != nil {
		return 0, fail(ctl, "exec", err)
	}
	return pid, nil
}

// fail tells the parent which step failed, and returns the status with which init ends.
func fail(ctl control.Socket, name string, err error) error {
	r := control.Report{Step: name, Error: err.Error()}
	var s *layer.Step
	if errors.As(err, &s) {
		r.Step, r.Error = s.Name, s.Err.Error()
	}
	errors.As(err, &r.Errno)
	_ = ctl.Tell(r)
	return prog.Exit(prog.NotConfined)
}

// start starts the command from this thread, which passes its locks on.
func start(pl *plan.Plan, argv, environ []string) (int, error) {
	attr := &syscall.ProcAttr{Env: environ, Files: inherited([3]uintptr{0, 1, 2}, pl.Fds),
		Sys: &syscall.SysProcAttr{}}
	if pl.Tier < 4 {
		// Init leaves the caller's process group, which may be killed as a whole, so that
		// it can clean up.
		attr.Sys.Pdeathsig, attr.Sys.Setpgid, attr.Sys.Pgid = unix.SIGKILL, true, unix.Getpgrp()
		if err := unix.Setpgid(0, 0); err != nil {
			return 0, err
		}
	}
	if pl.Limits != (access.Limits{}) {
		return startLimited(pl, argv, attr)
	}
	return syscall.ForkExec(pl.Path, argv, attr)
}
