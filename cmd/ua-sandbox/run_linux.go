package main

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/guard"
	"ua/cmd/ua-sandbox/internal/initprocess"
	"ua/cmd/ua-sandbox/internal/privatetmp"
	"ua/cmd/ua-sandbox/internal/ulimit"
	"ua/internal/common/confine"
	"ua/internal/common/execwrap"
	"ua/internal/common/procfs"
	"ua/internal/common/prog"
	"ua/internal/common/remove"
)

// stage returns what this binary does under the name of a stage, or nil for any other
// name.
func stage(name string) func(*prog.Env) error { return initprocess.Stage(name) }

// runConfined runs the command under the options, whose profile is a built-in one. The
// order counts: descriptors are closed before anything else starts, and there must be
// room for this program's own threads before the command can use it up.
func runConfined(env *prog.Env, o *options, command []string) error {
	if o.Tier == 0 {
		return prog.Errorf(prog.NotConfined, "tier 0 confines nothing").
			Hintf("run the command itself")
	}
	if o.Strict && os.Geteuid() == 0 && !o.RootOK {
		return prog.Errorf(prog.NotConfined,
			"--strict does not run as root").Hintf("run as a user, or give --root-ok")
	}
	if err := keepOnly(o.fds); err != nil {
		return err
	}
	var err error
	if o.Owners, err = foreignOwners(o); err != nil {
		return err
	}
	// Inside a sandbox of ours no second one is built; the command is only narrowed.
	alone := o.Nested || confine.Inside() != ""
	own, inits := o.ulimits, []ulimit.Limit(nil)
	if !alone {
		own, inits = ownLimits(o.ulimits)
	}
	if err := room(own, alone); err != nil {
		return err
	}
	if err := ulimit.Lower(own); err != nil {
		return prog.Errorf(prog.NotConfined, "--ulimit: %w", err)
	}
	if alone {
		return nested(env, o, command)
	}
	s, err := newParent(env, o, command)
	if err != nil {
		return err
	}
	s.ulimits = inits
	status, err := s.run()
	if err != nil {
		return refusal(err, command[0])
	}
	return execwrap.Exit(status)
}

// run runs the command in a sandbox and returns its wait status. Init is started first,
// because it needs the most time; the policy is resolved while it comes up. No other goroutine
// does so before: what is written while the kernel copies this process for init, it copies twice.
func (s *parent) run() (status unix.WaitStatus, err error) {
	caller := endWithCaller()
	s.start(firstTier(s.o))
	p, err := s.prepare() // a signal ends this process, and with it init
	if err != nil {
		s.init.Drop()
		return 0, err
	}
	signals := execwrap.Catch()
	tmp, err := privatetmp.Make(p)
	if err != nil {
		s.init.Drop()
		return 0, prog.Errorf(prog.NotConfined, "private tmp: %w", err)
	}
	if tmp != "" && p.Tmp.Dir == "" {
		defer remove.All(tmp)
	}
	go s.relaySignals(signals, caller)
	defer func() {
		if s.log.TellLost(s.env) && err == nil && status == 0 {
			status = prog.Trouble << 8 // exit(2)
		}
	}()
	defer func() { s.left.Drop() }()
	if s.server != nil {
		defer s.server.Close() // its last events are logged then
	}
	new(procfs.Reserve).FillSoon()
	if err := s.descend(p, tmp); err != nil {
		s.dropTops()
		if sig := s.ended.Load(); sig != 0 {
			_ = remove.All(tmp)
			return 0, execwrap.Reraise(syscall.Signal(sig))
		}
		return 0, err
	}
	// Who has started this process sees none of its own after its end.
	defer s.init.Reap()
	// Short commands have no time for it.
	time.AfterFunc(time.Second, func() { privatetmp.Sweep(time.Minute) })
	defer func() {
		if !s.look.End(s.env) && err == nil && status == 0 {
			status = prog.Trouble << 8
		}
	}()
	if s.landing != nil {
		go s.git.Serve(s.landing)
	}
	defer s.git.End()
	status, err = s.init.Wait()
	defer func() {
		if len(s.tops) > 0 {
			s.init.Reap() // what it has started has ended then
		}
		for _, t := range s.tops {
			t.Land(func(path string) { s.look.Account.Add(guard.Moved, path, "") })
		}
	}()
	if s.stdio.Relayed() {
		s.init.Reap() // all that could print has ended then
		s.stdio.Drain()
	}
	return status, err
}

// lastLooks only takes the last looks of sandboxes that were killed.
func lastLooks(env *prog.Env, o *options) error {
	log, err := openLog(&access.Policy{}, o)
	if err == nil {
		guard.MakeUp(env, log, "")
	}
	return err
}
