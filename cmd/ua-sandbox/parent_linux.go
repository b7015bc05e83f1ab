package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/policy"
	"ua/cmd/ua-sandbox/internal/proxy"
	"ua/internal/common/chain"
	"ua/internal/common/confine"
	"ua/internal/common/prog"
	"ua/internal/common/threads"
)

// A parent is the stage outside: it works out the policy, serves the proxy,
// passes signals in and the status out.
type parent struct {
	env     *prog.Env
	o       *options
	command []string
	environ []string
	path    string // of the command
	stdio   *stdio
	init    initProcess
	server  *proxy.Server // nil without a proxy
	log     *eventLog     // gets events of requests and of guarded files; nil for nobody
	stands  chan struct{} // closed when all layers do
	ended   atomic.Int32  // the signal that came before
	initPID atomic.Int32  // init's number, once there is one
	left    *note         // for when this process is killed
	keep    func()        // before a command runs without mounts
}

// run runs the command in a sandbox and returns its wait status.
func (s *parent) run() (unix.WaitStatus, error) {
	started, caller := s.startInit(top(s.o)), endWithCaller()
	p, err := s.prepare() // a signal ends this process, and with it init
	if err != nil {
		b := <-started
		b.drop()
		return 0, err
	}
	signals := chain.Catch()
	tmp, err := privateTmp(p)
	if err != nil {
		b := <-started
		b.drop()
		return 0, prog.Errorf(prog.NotConfined, "private tmp: %w", err)
	}
	if tmp != "" && p.Tmp.Dir == "" {
		defer removeAll(tmp)
	}
	go s.relaySignals(signals, caller)
	defer func() { s.log.tellLost(s.env) }()
	defer func() { s.left.drop() }()
	if s.server != nil {
		defer s.server.Close() // its last events are logged then
	}
	absent := watchAbsent(p, s.log)
	s.keep = absent.keep
	keepThreads()
	if err := s.descend(p, tmp, started); err != nil {
		if sig := s.ended.Load(); sig != 0 {
			removeAll(tmp)
			return 0, chain.Reraise(syscall.Signal(sig))
		}
		return 0, err
	}
	time.AfterFunc(time.Second, func() { sweep(time.Minute) }) // short commands have no time for it
	defer appeared(s.env, p)
	defer absent.end(s.env)
	status, err := s.wait()
	if len(s.stdio.relays) > 0 {
		_, _ = unix.Wait4(s.init.pid, nil, 0, nil) // all that could print has ended then
		s.stdio.drain()
	}
	return status, err
}

// keepThreads has the runtime make the threads that it may need before the command can
// use up all processes that its user, its namespace or its limit allows: ua-sandbox has
// to outlive that.
func keepThreads() {
	var spare threads.Reserve
	if threads.FewPids() {
		spare.Fill()
	} else {
		spare.FillAfter(50 * time.Millisecond) // the shortest of runs have ended by then
	}
}

func (s *parent) startInit(tier int) <-chan initProcess {
	return startInit(s.o, s.stdio.files, tier, s.command,
		policy.Setenv(s.environ, "UA_SANDBOX", fmt.Sprint(tier)))
}

// prepare works out what init will be told.
func (s *parent) prepare() (p *policy.Policy, err error) {
	if p, err = resolve(s.o); err == nil && p.MakeAudit() {
		p, err = resolve(s.o)
	}
	if err != nil {
		return p, err
	}
	if s.log, err = openLog(p, s.o); err != nil {
		return p, err
	}
	if p.Searched() && makeUp(s.env, s.log) {
		if p, err = resolve(s.o); err != nil {
			return p, err
		}
	}
	if p.Network == policy.NetProxy {
		if s.server, err = newServer(p, s.log); err != nil {
			return p, err
		}
	}
	return p, nil
}

// descend has the sandbox made at the highest tier that works here and that
// the policy takes.
func (s *parent) descend(p *policy.Policy, tmp string, started <-chan initProcess) error {
	var first error
	for {
		s.init = <-started
		s.initPID.Store(int32(s.init.pid))
		if s.ended.Load() != 0 {
			s.init.drop()
			return errors.New("a signal")
		}
		tier := s.init.tier
		pl := newPlan(p, tier, s.path, tmp, s.environ)
		pl.Fds, pl.Terminal = s.o.fds, s.stdio.handed
		if pl.Terminal {
			pl.View.Terminal = confine.Terminal()
		} else if pl.View.Open {
			pl.View.Terminals = userTerminals()
		}
		if err := s.weak(pl); err != nil {
			return err
		}
		if tier < 3 && s.keep != nil {
			s.keep()
		}
		if s.left.drop(); p.Searched() {
			s.left = newNote(p.Note(tier >= 3))
		}
		err := s.launch(pl)
		if err == nil {
			close(s.stands)
			s.log.stands(tier)
			s.stdio.started()
			if tier == 2 && first != nil && !s.o.Quiet {
				s.env.Warnf("tier 2: this system refuses namespaces (%v): the command has no network, "+
					"can write settings and hooks of repositories until they are put back at its end, can "+
					"list names in secret folders and change modes and times of your files (ua-sandbox --probe "+
					"says what helps)", first)
			}
			return nil
		}
		var r *refused
		if !errors.As(err, &r) || s.o.Tier != policy.Auto {
			return err
		}
		if first == nil {
			first = err
		}
		next := below(tier, r, p.Strict)
		if next == 0 && tier < 3 {
			return fmt.Errorf("%v; tier %d: %w", first, tier, err)
		} else if next == 0 {
			return first
		}
		tier = next
		started = s.startInit(tier)
	}
}

// weak tells init of the proxy. Without a network namespace to make the
// listener in, --net-weak has it on this machine's loopback, where the secret
// keeps other users out; and the command reaches that port on every machine.
func (s *parent) weak(pl *plan) error {
	if s.server == nil {
		return nil
	}
	pl.Secret = s.server.Secret
	if pl.Tier >= 3 || !s.o.NetWeak {
		return nil
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go s.server.Serve(l)
	pl.Proxy, pl.Ports = l.Addr().String(), []uint16{uint16(l.Addr().(*net.TCPAddr).Port)}
	return nil
}

// launch gives init its plan and waits until all layers stand. An error of a
// layer is a *refused.
func (s *parent) launch(pl *plan) error {
	if s.init.err != nil {
		return &refused{"namespaces", s.init.err}
	}
	err := s.init.ctl.write(pack(pl))
	if err == nil {
		err = s.ready()
	}
	if err != nil {
		s.init.drop()
	}
	return err
}

// ready waits for init to say that it stands, and serves the sockets that it
// hands out.
func (s *parent) ready() error {
	for {
		r, fds, err := s.init.ctl.report()
		switch {
		case err != nil:
			return &refused{"init", errors.New("ended without reporting why")}
		case r.Step != "":
			return &refused{r.Step, r.err()}
		case r.Port != 0:
			if err := s.serve(fds); err != nil {
				return err
			}
		case r.Ready:
			return nil
		}
	}
}

// err returns the error in the report, with its number.
func (r report) err() error {
	if r.Errno == 0 {
		return errors.New(r.Error)
	}
	return fmt.Errorf("%s%w", strings.TrimSuffix(r.Error, r.Errno.Error()), r.Errno)
}

// serve serves the sockets of init's network namespace, in the order in which
// init makes them: the proxy's, and for --net-capture DNS by UDP and TCP, and
// the ports 80 and 443.
func (s *parent) serve(fds []int) error {
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "listener")
		defer f.Close()
		if i == 1 {
			pc, err := net.FilePacketConn(f)
			if err != nil {
				return err
			}
			go s.server.ServeDNS(pc)
			continue
		}
		l, err := net.FileListener(f)
		if err != nil {
			return err
		}
		switch i {
		case 0:
			go s.server.Serve(l)
		case 2:
			go s.server.ServeDNSTCP(l)
		default:
			go s.server.ServeCapture(l)
		}
	}
	return nil
}
