package main

import (
	"net"
	"os"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/eventlog"
	"ua/cmd/ua-sandbox/internal/guard"
	"ua/cmd/ua-sandbox/internal/hometop"
	"ua/cmd/ua-sandbox/internal/initprocess"
	"ua/cmd/ua-sandbox/internal/proxy"
	"ua/cmd/ua-sandbox/internal/repositories"
	"ua/cmd/ua-sandbox/internal/terminal"
	"ua/cmd/ua-sandbox/internal/ulimit"
	"ua/internal/common/prog"
	uarun "ua/internal/common/run"
	"ua/internal/common/verdict"
)

// A parent is the stage outside. It resolves the policy, serves the proxy, passes signals
// in, and returns the command's status.
type parent struct {
	env     *prog.Env
	o       *options
	command []string
	environ []string
	path    string // of the command
	stdio   *terminal.Stdio
	ulimits []ulimit.Limit // that are not this process's own
	init    *initprocess.Process
	server  *proxy.Server     // nil without a proxy
	log     *eventlog.Log     // gets events of requests and of protected files; nil for nobody
	stands  chan struct{}     // closed when all layers do
	ended   atomic.Int32      // the signal that came before
	initPID atomic.Int32      // init's number, once there is one
	tops    []*hometop.Top    // stand for homes
	git     *repositories.Set // seen through overlays
	plain   bool              // this system makes no overlays of git folders
	landing *os.File          // the socket on which the command asks for a landing, or nil
	left    *guard.Note       // for when this process is killed
	look    *guard.Look       // the last one
}

// newParent prepares what init needs to start.
func newParent(env *prog.Env, o *options, command []string) (*parent, error) {
	stdio, err := terminal.New(o.fds)
	if err != nil {
		return nil, err
	}
	s := &parent{env: env, o: o, command: command, stdio: stdio, stands: make(chan struct{}),
		git: &repositories.Set{}}
	if o.netLogFD >= 0 {
		s.log, err = openLog(nil, o)
	}
	if err != nil || !o.land {
		return s, err
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, prog.Errorf(prog.NotConfined, "socketpair: %w", err)
	}
	s.landing, o.fds = os.NewFile(uintptr(ends[0]), "landing"), append(o.fds, ends[1])
	o.Env = append(o.Env, uarun.EnvLandFD+"="+strconv.Itoa(ends[1]))
	_, err = unix.FcntlInt(uintptr(ends[1]), unix.F_SETFD, 0)
	return s, err
}

// start starts init at a tier, and says so once its namespaces are there: a caller that waits
// for the tier need not wait for the mounts, which hardly any system refuses then. If one does,
// the lower tier is said before the command runs.
func (s *parent) start(tier int) {
	s.init = initprocess.Start(initprocess.Terms{Profile: verdict.Profile(s.o.Profile),
		Owners: s.o.Owners, Files: s.stdio.Files, Fds: s.o.fds, Command: s.command}, tier)
	s.initPID.Store(int32(s.init.PID))
	if s.init.PID != 0 {
		s.log.Begins(tier)
	}
}

// prepare resolves what init will be told. A file that had to be moved first
// can change the policy, which is then resolved again.
func (s *parent) prepare() (p *access.Policy, err error) {
	s.environ = passed(s.env, s.o)
	if s.path, err = lookup(s.command[0], s.environ); err != nil {
		return p, err
	}
	if p, err = resolve(s.o); err != nil {
		return p, err
	}
	if s.log == nil {
		if s.log, err = openLog(p, s.o); err != nil {
			return p, err
		}
	}
	// What was moved aside is gone from where the policy saw it.
	if guard.MakeUp(s.env, s.log, p.Dir) {
		if p, err = resolve(s.o); err != nil {
			return p, err
		}
	}
	if p.Network == access.NetProxy {
		s.server, err = newServer(p, s.o, s.log)
	}
	return p, err
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
