// Package initprocess is init, the first process in the namespaces of a sandbox: how the process
// outside starts it, tells it what to build and waits for the command, and what init does.
package initprocess

import (
	"errors"
	"fmt"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/control"
	"ua/cmd/ua-sandbox/internal/plan"
	"ua/internal/common/verdict"
)

// initName is the name under which this binary runs as init, in argv[0].
const initName = "ua-sandbox: init"

// Terms are what init is started with. Of the policy it needs no more, so that can be worked
// out while init starts.
type Terms struct {
	Profile verdict.Profile
	Owners  access.Owners
	Files   [3]uintptr // the standard descriptors
	Fds     []int      // kept open
	Command []string
}

// A Process is an init that was started at a tier and waits for its plan.
type Process struct {
	Tier   int
	PID    int // 0 if it could not be started
	ctl    control.Socket
	err    error
	answer chan bool
	over   chan struct{} // closed when the command has ended
}

// A Refused is the error of a layer that this system does not allow.
type Refused struct {
	Step string
	Err  error
}

// Error returns the step and its error. Unwrap returns the error.
func (r *Refused) Error() string { return fmt.Sprintf("%s: %v", r.Step, r.Err) }

// Unwrap returns the error of the layer.
func (r *Refused) Unwrap() error { return r.Err }

// Start starts init at a tier. An error is returned by Launch.
func Start(t Terms, tier int) *Process {
	p := &Process{Tier: tier, answer: make(chan bool, 1), over: make(chan struct{})}
	p.PID, p.ctl, p.err = fork(t, tier)
	return p
}

// fork starts init. Its end of the control socket gets the first number from 3 on that no
// kept descriptor has.
func fork(t Terms, tier int) (int, control.Socket, error) {
	mine, its, err := control.Pair()
	if err != nil {
		return 0, -1, err
	}
	defer unix.Close(int(its))
	files, at := inherited(t.Files, t.Fds), 3
	for at < len(files) && files[at] != ^uintptr(0) {
		at++
	}
	if at == len(files) {
		files = append(files, 0)
	}
	files[at] = uintptr(its)
	attr := &syscall.ProcAttr{Files: files, Env: []string{"GOMAXPROCS=1"},
		Sys: namespaces(t.Profile, tier, t.Owners)}
	pid, err := syscall.ForkExec("/proc/self/exe",
		append([]string{initName, strconv.Itoa(at)}, t.Command...), attr)
	if err != nil {
		unix.Close(int(mine))
		return 0, -1, err
	}
	return pid, mine, nil
}

// Drop ends an init that is not needed.
func (p *Process) Drop() {
	if p.err != nil {
		return
	}
	_ = unix.Kill(p.PID, unix.SIGKILL)
	_ = p.Reap()
	unix.Close(int(p.ctl))
}

// Launch sends init its plan and waits until all layers are in place. serve gets the sockets
// that init makes. The error of a layer is a *Refused.
func (p *Process) Launch(pl *plan.Plan, serve func(fds []int) error) error {
	if p.err != nil {
		return &Refused{"namespaces", p.err}
	}
	err := p.ctl.Write(control.Pack(pl))
	if err == nil {
		err = p.ready(serve)
	}
	if err != nil {
		p.Drop()
	}
	return err
}

// ready waits until init reports that it is ready.
func (p *Process) ready(serve func(fds []int) error) error {
	for {
		r, fds, err := p.ctl.Report()
		switch {
		case err != nil:
			return &Refused{"init", errors.New("ended without reporting why")}
		case r.Step != "":
			return &Refused{r.Step, r.Err()}
		case r.Port != 0:
			if err := serve(fds); err != nil {
				return err
			}
		case r.Ready:
			return nil
		}
	}
}

// Ask asks init for something, and reports whether it is so.
func (p *Process) Ask(packet ...byte) bool {
	if p.ctl.Write(packet) != nil {
		return false
	}
	select {
	case so := <-p.answer:
		return so
	case <-p.over:
		return false
	}
}

// Signal has init pass a signal on to the command.
func (p *Process) Signal(sig syscall.Signal) { _ = p.ctl.Write([]byte{byte(sig)}) }

// End has init end everything, as it does when this process ends.
func (p *Process) End() { _ = unix.Shutdown(int(p.ctl), unix.SHUT_WR) }

// Wait waits until the command and everything that it left behind are gone, and returns
// the command's status. With namespaces, the kernel then still removes them.
func (p *Process) Wait() (unix.WaitStatus, error) {
	r, _, err := p.ctl.Report()
	for err == nil && r.Answer {
		p.answer <- r.So
		r, _, err = p.ctl.Report()
	}
	close(p.over)
	switch {
	case err != nil: // it was killed, which stands for the command
		status := p.Reap()
		killTree() // what the command left behind, where no PID namespace ends
		return status, nil
	case r.Step != "":
		return 0, &Refused{r.Step, r.Err()}
	}
	if p.Tier < 3 {
		p.Reap()
	}
	return unix.WaitStatus(r.Status), nil
}

// Reap waits until init is gone, and with it all processes of its namespace. It returns the
// status of init itself.
func (p *Process) Reap() (status unix.WaitStatus) {
	for {
		if _, err := unix.Wait4(p.PID, &status, 0, nil); err != unix.EINTR {
			return status
		}
	}
}
