package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/proxy"
	"ua/internal/common/prog"
)

// forwarded are the signals that the parent passes on to the command.
var forwarded = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH}

// A parent is the stage outside: it keeps the proxy, passes signals in and the
// status out.
type parent struct {
	ctl    control
	init   int // process number
	caller int
	server *proxy.Server // nil without a proxy
	serve  []*os.File    // what the proxy serves on
}

// launch starts init for the plan and waits until all layers stand. An error of
// a layer is a *refused.
func (s *parent) launch(pl *plan, argv, environ []string) error {
	mine, its, err := controls()
	if err != nil {
		return err
	}
	s.ctl = mine
	at := freeFd(pl.Fds)
	files := inherited(pl.Fds)
	for len(files) <= at {
		files = append(files, ^uintptr(0))
	}
	files[at] = uintptr(its)
	attr := &syscall.ProcAttr{Env: environ, Files: files, Sys: namespaces(pl)}
	s.init, err = syscall.ForkExec("/proc/self/exe", append([]string{initName, strconv.Itoa(at)}, argv...), attr)
	unix.Close(int(its))
	if err != nil {
		unix.Close(int(mine))
		return &refused{Step: "namespaces", Err: err}
	}
	if err := s.ctl.send(pl); err == nil {
		err = s.ready()
		if err == nil {
			return nil
		}
		s.drop()
		return err
	} else if !errors.Is(err, unix.EPIPE) {
		s.drop()
		return err
	}
	return s.died()
}

// freeFd is the first number that no kept descriptor has.
func freeFd(kept []int) int {
	taken := map[int]bool{}
	for _, fd := range kept {
		taken[fd] = true
	}
	at := 3
	for taken[at] {
		at++
	}
	return at
}

// ready waits for init to say that it stands, and starts to serve the sockets
// that it hands out.
func (s *parent) ready() error {
	buf := make([]byte, 64<<10)
	for {
		r, fds, err := s.ctl.report(buf)
		switch {
		case err != nil:
			return s.died()
		case r.Step != "":
			return &refused{Step: r.Step, Err: r.err()}
		case r.Port != 0:
			if err := s.proxy(fds); err != nil {
				return err
			}
		case r.Ready:
			return nil
		}
	}
}

func (r report) err() error {
	if r.Errno != 0 {
		return fmt.Errorf("%s%w", cutSuffix(r.Error, r.Errno.Error()), r.Errno)
	}
	return errors.New(r.Error)
}

func cutSuffix(s, end string) string {
	if len(s) >= len(end) && s[len(s)-len(end):] == end {
		return s[:len(s)-len(end)]
	}
	return s + ": "
}

// died is the error of an init that ended without a word.
func (s *parent) died() error {
	var status unix.WaitStatus
	_, _ = unix.Wait4(s.init, &status, 0, nil)
	unix.Close(int(s.ctl))
	if status.Signaled() {
		reraise(status.Signal())
	}
	return &refused{Step: "init", Err: fmt.Errorf("ended with status %d", status.ExitStatus())}
}

// drop ends an init that is of no use.
func (s *parent) drop() {
	_ = unix.Kill(s.init, unix.SIGKILL)
	_, _ = unix.Wait4(s.init, nil, 0, nil)
	unix.Close(int(s.ctl))
	for _, f := range s.serve {
		f.Close()
	}
}

// proxy serves the sockets that init made in its network namespace.
func (s *parent) proxy(fds []int) error {
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "listener")
		s.serve = append(s.serve, f)
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

// wait passes signals on until the command and all it left are gone, and
// returns its status. An init that was killed stands for its command.
func (s *parent) wait(signals <-chan os.Signal) (unix.WaitStatus, error) {
	type end struct {
		report
		err error
	}
	ended := make(chan end, 1)
	go func() {
		r, _, err := s.ctl.report(make([]byte, 4096))
		ended <- end{r, err}
	}()
	for {
		select {
		case sig := <-signals:
			s.pass(sig.(syscall.Signal))
		case e := <-ended:
			var status unix.WaitStatus
			for {
				if _, err := unix.Wait4(s.init, &status, 0, nil); err != unix.EINTR {
					break
				}
			}
			switch {
			case e.err != nil:
				return status, nil
			case e.Step != "":
				return 0, &refused{Step: e.Step, Err: e.report.err()}
			}
			return unix.WaitStatus(e.Status), nil
		}
	}
}

// pass passes a signal on. One that the terminal sent has reached the command
// already; a SIGTERM that the caller's death brought ends everything.
func (s *parent) pass(sig syscall.Signal) {
	if sig == unix.SIGTERM && os.Getppid() != s.caller {
		_ = unix.Kill(s.init, unix.SIGTERM)
		unix.Shutdown(int(s.ctl), unix.SHUT_WR)
		return
	}
	switch sig {
	case unix.SIGINT, unix.SIGQUIT, unix.SIGWINCH:
		if inForeground() {
			return
		}
	}
	_ = s.ctl.write([]byte{byte(sig)})
}

// inForeground says whether this process's group has the terminal, so that its
// keys signal the whole group.
func inForeground() bool {
	fd, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// watch has the kernel end this process with its caller, and collects signals.
func (s *parent) watch() <-chan os.Signal {
	runtime.LockOSThread()
	signals := make(chan os.Signal, 16)
	for _, sig := range forwarded {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	s.caller = os.Getppid()
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGTERM), 0, 0, 0)
	// An init that is killed leaves its orphans here when there is no pid namespace.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	return signals
}

// exit is how this process ends as the command did.
func exit(status unix.WaitStatus) error {
	if status.Signaled() {
		reraise(status.Signal())
	}
	if status.ExitStatus() == 0 {
		return nil
	}
	return prog.Exit(status.ExitStatus())
}

// reraise ends this process by a signal, as the kernel would and without a core
// of this one; or with 128+n when the signal does not end a process.
func reraise(sig syscall.Signal) {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	var byDefault [4]uint64 // struct sigaction of zeros: SIG_DFL
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
	_ = unix.Kill(os.Getpid(), sig)
	os.Exit(128 + int(sig))
}

// A refused is a layer that this system does not let be put on.
type refused struct {
	Step string
	Err  error
}

func (r *refused) Error() string { return r.Step + ": " + r.Err.Error() }
func (r *refused) Unwrap() error { return r.Err }
