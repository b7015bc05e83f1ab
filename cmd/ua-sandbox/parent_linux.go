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
	"ua/internal/common/procfs"
	"ua/internal/common/prog"
	"ua/internal/common/remove"
)

// A parent is the stage outside. It resolves the policy, serves the proxy, passes signals
// in, and returns the command's status.
type parent struct {
	env     *prog.Env
	o       *options
	command []string
	environ []string
	path    string // of the command
	stdio   *stdio
	init    initProcess
	server  *proxy.Server // nil without a proxy
	log     *eventLog     // gets events of requests and of protected files; nil for nobody
	stands  chan struct{} // closed when all layers do
	ended   atomic.Int32  // the signal that came before
	initPID atomic.Int32  // init's number, once there is one
	tops    []*homeTop    // stand for homes
	git     *repositories // nil without any that is seen through an overlay
	plain   bool          // this system makes no overlays of git folders
	landing *os.File      // the socket on which the command asks for a landing, or nil
	over    chan struct{} // closed when the command has ended
	left    *note         // for when this process is killed
	look    *look         // the last one
}

// run runs the command in a sandbox and returns its wait status. Init is started first,
// because it needs the most time; the policy is resolved meanwhile.
func (s *parent) run() (status unix.WaitStatus, err error) {
	started, caller := startInit(s.o, s.stdio.files, top(s.o), s.command), endWithCaller()
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
		defer remove.All(tmp)
	}
	go s.relaySignals(signals, caller)
	defer func() {
		if s.log.tellLost(s.env) && err == nil && status == 0 {
			status = prog.Trouble << 8 // exit(2)
		}
	}()
	defer func() { s.left.drop() }()
	if s.server != nil {
		defer s.server.Close() // its last events are logged then
	}
	keepThreads()
	if err := s.descend(p, tmp, started); err != nil {
		s.dropTops()
		if sig := s.ended.Load(); sig != 0 {
			_ = remove.All(tmp)
			return 0, chain.Reraise(syscall.Signal(sig))
		}
		return 0, err
	}
	// Who has started this process sees none of its own after its end.
	defer s.reap()
	time.AfterFunc(time.Second, func() { sweep(time.Minute) }) // short commands have no time for it
	defer func() {
		if !s.look.end(s.env) && err == nil && status == 0 {
			status = prog.Trouble << 8
		}
	}()
	if s.landing != nil {
		go s.git.serve(s)
	}
	defer s.git.end(s)
	status, err = s.wait()
	defer func() {
		if len(s.tops) > 0 {
			s.reap() // what it has started has ended then
		}
		for _, t := range s.tops {
			t.land(func(path string) { s.look.done.add(moved, path, "") })
		}
	}()
	if len(s.stdio.relays) > 0 {
		s.reap() // all that could print has ended then
		s.stdio.drain()
	}
	return status, err
}

// dropTops removes the folders that were to stand for homes.
func (s *parent) dropTops() {
	for _, t := range s.tops {
		t.drop()
	}
	s.tops = nil
}

// keepThreads makes the runtime create the threads that it may need, before the command
// can use up all processes that its user, its namespace or its limit allows. ua-sandbox
// has to survive that.
func keepThreads() {
	var spare procfs.Reserve
	if procfs.FewPids() {
		spare.Fill()
	} else {
		spare.FillSoon()
	}
}

// prepare resolves what init will be told. A file that had to be moved first
// can change the policy, which is then resolved again.
func (s *parent) prepare() (p *policy.Policy, err error) {
	s.environ = passed(s.env, s.o)
	if s.path, err = lookup(s.command[0], s.environ); err != nil {
		return p, err
	}
	if p, err = resolve(s.o); err != nil {
		return p, err
	}
	if s.log, err = openLog(p, s.o); err != nil {
		return p, err
	}
	// What was moved aside is gone from where the policy saw it.
	if makeUp(s.env, s.log, p.Dir) {
		if p, err = resolve(s.o); err != nil {
			return p, err
		}
	}
	if p.Network == policy.NetProxy {
		if s.server, err = newServer(p, s.o, s.log); err != nil {
			return p, err
		}
	}
	return p, nil
}

// launch sends init its plan and waits until all layers are in place. The error of a
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

// ready waits until init reports that it is ready, and serves the sockets that it sends.
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

// err returns the error in the report, with its number if it has one, so that errors.Is
// works on it.
func (r report) err() error {
	if r.Errno == 0 {
		return errors.New(r.Error)
	}
	return fmt.Errorf("%s%w", strings.TrimSuffix(r.Error, r.Errno.Error()), r.Errno)
}

// serve serves the sockets from init's network namespace, in the order in which init
// makes them: the proxy's and, for --net-capture, DNS over UDP, and ports 80 and 443.
func (s *parent) serve(fds []int) error {
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "listener")
		defer f.Close()
		// The only socket that takes packets.
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
		if i == 0 {
			go s.server.Serve(l)
		} else {
			go s.server.ServeCapture(l)
		}
	}
	return nil
}
