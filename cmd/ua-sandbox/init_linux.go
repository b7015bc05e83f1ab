package main

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/chain"
	"ua/internal/common/confine"
	"ua/internal/common/prog"
	"ua/internal/common/remove"
)

// Names under which this binary runs as a stage, in argv[0].
const (
	initName   = "ua-sandbox: init"
	limitsName = "ua-sandbox: limits"
)

// stage returns what this binary does under the name of a stage, or nil for any other
// name.
func stage(name string) func(*prog.Env) error {
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
	caught := make(chan bool)
	go func() { chain.Catch(); close(caught) }()
	if len(env.Args) < 2 {
		return usage("no command")
	}
	n, err := strconv.Atoi(env.Args[0])
	if err != nil {
		return usage("%w", err)
	}
	ctl := control(n)
	unix.CloseOnExec(n)
	packet, _, err := ctl.read()
	if err != nil {
		return prog.Exit(prog.NotConfined)
	}
	var pl plan
	if err := unpack(packet, &pl); err != nil {
		return fail(ctl, "plan", err)
	}
	if !pl.Terminal {
		if err := leaveTerminal(); err != nil {
			return fail(ctl, "terminal", err)
		}
	}
	environ, err := build(ctl, &pl, confine.WithGrants(pl.Environ, pl.Grants))
	if err != nil {
		return fail(ctl, "view", err)
	}
	<-caught
	keepThreads()
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
		pl.cleanUp()
	}
	return tell(ctl, report{Exited: true, Status: int(status)})
}

// confined confines the calling thread and starts the command from it.
func confined(ctl control, pl *plan, argv, environ []string) (pid int, err error) {
	layer.NoCrashHandler()
	if err := locks(pl).Apply(); err != nil {
		return 0, fail(ctl, "locks", err)
	}
	if err := tell(ctl, report{Ready: true}); err != nil || pl.Check {
		return 0, err
	}
	if pid, err = start(pl, argv, environ); err != nil {
		return 0, fail(ctl, "exec", err)
	}
	return pid, nil
}

// cleanUp removes the private tmp if the parent, which should have done so, was killed.
func (pl *plan) cleanUp() {
	for _, c := range pl.Caches {
		for _, o := range c.Overlays {
			_ = unix.Unmount(o[1], unix.MNT_DETACH) // what is mounted on can't be removed
		}
	}
	dir := pl.TmpDir
	if pl.Tier >= 3 {
		dir = pl.View.TmpOutside()
	}
	if dir != "" {
		_ = remove.All(dir)
	}
}

// fail tells the parent which step failed, and returns the status with which init ends.
func fail(ctl control, name string, err error) error {
	r := report{Step: name, Error: err.Error()}
	var s *layer.Step
	if errors.As(err, &s) {
		r.Step, r.Error = s.Name, s.Err.Error()
	}
	errors.As(err, &r.Errno)
	_ = tell(ctl, r)
	return prog.Exit(prog.NotConfined)
}

// tell sends a report, with descriptors.
func tell(ctl control, r report, fds ...int) error { return ctl.write(pack(&r), fds...) }

// build makes the view and the network, and sends the proxy's listeners out. It returns
// the environment of the command.
func build(ctl control, pl *plan, environ []string) ([]string, error) {
	if !pl.Check {
		if err := layer.Stays(pl.Dir); err != nil {
			return nil, err
		}
	}
	// Without a namespace there is no view; orphans come here, so that the reaper sees
	// them.
	if pl.Tier < 3 {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return nil, err
		}
		return environ, nil
	}
	if pl.Tier == 3 {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return nil, err
		}
	}
	if err := pl.View.Build(); err != nil {
		return nil, err
	}
	if err := unix.Chdir(pl.Dir); err != nil {
		return nil, err
	}
	environ = pl.caches(environ)
	if pl.Network == policy.NetHost {
		return environ, nil
	}
	if err := layer.LoopbackUp(); err != nil || pl.Network == policy.NetOwn {
		return environ, err
	}
	addr, err := listen(ctl, pl.Capture)
	if err != nil {
		return nil, err
	}
	return withProxy(environ, addr, pl), nil
}

// listen makes the proxy's sockets in this network namespace and sends them to the
// parent, which serves them from outside. It returns the address of the proxy.
func listen(ctl control, capture bool) (string, error) {
	local, anyone := [4]byte{127, 0, 0, 1}, [4]byte{}
	// The order is that in which the parent serves them (parent.serve).
	fd, port, err := layer.Listen(unix.SOCK_STREAM, local, 0)
	if err != nil {
		return "", err
	}
	fds := []int{fd}
	if capture {
		for _, s := range []struct {
			kind, port int
			addr       [4]byte
		}{{unix.SOCK_DGRAM, 53, local}, {unix.SOCK_STREAM, 80, anyone},
			{unix.SOCK_STREAM, 443, anyone}} {
			fd, _, err := layer.Listen(s.kind, s.addr, s.port)
			if err != nil {
				return "", err
			}
			fds = append(fds, fd)
		}
	}
	if err := tell(ctl, report{Port: port}, fds...); err != nil {
		return "", err
	}
	for _, fd := range fds {
		unix.Close(fd)
	}
	return "127.0.0.1:" + strconv.Itoa(port), nil
}

// start starts the command from this thread, which passes its locks on.
func start(pl *plan, argv, environ []string) (int, error) {
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
	if pl.Limits != (policy.Limits{}) {
		return startLimited(pl, argv, attr)
	}
	return syscall.ForkExec(pl.Path, argv, attr)
}
