package main

import (
	"math"
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

// ownLimits splits limits into those that are this program's, too, and those for init and
// what is below it: the log of this program, and what it restores at the end, may have any
// size.
func ownLimits(list []ulimit.Limit) (own, inits []ulimit.Limit) {
	for _, l := range list {
		if l.Resource == unix.RLIMIT_NPROC {
			own = append(own, l)
		} else {
			inits = append(inits, l)
		}
	}
	return own, inits
}

// keepOnly closes every descriptor at exec except the standard ones and those in fds. A
// standard descriptor that is a folder is refused: what lies in it can be reached through
// it, past every mount.
func keepOnly(fds []int) error {
	for fd := range 3 {
		var stat unix.Stat_t
		if unix.Fstat(fd, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFDIR {
			return prog.Errorf(prog.NotConfined, "descriptor %d is a folder outside the sandbox",
				fd).Hintf("give a file, a pipe or /dev/null; --fd keeps other descriptors")
		}
	}
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return prog.Errorf(prog.NotConfined, "close_range: %w", err).
			Hintf("the kernel is too old: Landlock needs Linux 5.13")
	}
	for _, fd := range fds {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0); err != nil {
			return usage("--fd %d: %w", fd, err)
		}
	}
	return nil
}

// How many processes and threads all stages need together with a short command, and how
// many this process needs alone when it becomes the command.
const (
	ownThreads    = 48
	nestedThreads = 10
)

// room returns an error if too few processes may be started under the limits that will be
// lowered.
func room(limits []ulimit.Limit, alone bool) error {
	need := ownThreads
	if alone {
		need = nestedThreads
	}
	bound := uint64(math.MaxUint64)
	for _, u := range limits {
		if u.Resource == unix.RLIMIT_NPROC {
			bound = min(bound, u.Most)
		}
	}
	if most, ok := procfs.MayStartOf(bound, need); !ok {
		return prog.Errorf(prog.TryLater, "at most %d processes and threads of yours may run, and "+
			"that is too few", most).Hintf("ua-sandbox needs about %d more than run now: see ulimit -u, "+
			"and --ulimit", need)
	}
	return nil
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
