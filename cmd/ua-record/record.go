//go:build linux

package main

import (
	"cmp"
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/config"
	"ua/internal/common/execwrap"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runtry"
	"ua/internal/common/stage"
	"ua/internal/common/style"
	"ua/internal/common/xdg"
)

// A recording is a command with all that is around it.
type recording struct {
	env *prog.Env
	journal

	serve   []string // options of ua-think serve
	sandbox []string // options of ua-sandbox
	home    string   // the agent's; "" for one in its TMPDIR
	keep    bool     // what has changed is not applied
	command []string
}

// whole runs the command, with all that is around it, and ends as it did.
func (r *recording) whole() error {
	if os.Getenv(run.EnvSandbox) != "" {
		return prog.Errorf(prog.Trouble, "can't make a try inside a sandbox").
			Hintf("run ua-record outside of other runs")
	}
	runtime.LockOSThread() // all that is started here ends with this thread
	if err := r.journal.open(strings.Join(r.command, " ")); err != nil {
		return err
	}
	status, err := r.record()
	if err != nil {
		status = r.env.Report(err)
	}
	t, agent := runtry.Of(r.journal.run), status
	if t != nil && !t.Empty && status == 0 && !r.keep {
		if status = t.Apply(); status != 0 {
			r.env.Warnf("the changes could not be applied: %s", t.Trouble)
		}
	}
	r.journal.close(status, t)
	r.say(t, agent)
	return prog.Exit(status)
}

// say tells the person what it has cost, and what can be done with what an agent that has ended
// with a status has changed.
func (r *recording) say(t *runtry.Try, agent int) {
	s := &r.spent
	r.env.Warnf("%s: %s, %d tokens, $%.4f", r.journal.run.ID, style.Plural(int64(s.Calls),
		"request"), s.TokensIn+s.TokensOut, s.CostUSD)
	if len(r.refused) > 0 {
		r.env.Warnf("requests were refused: %s", strings.Join(r.refused, ", "))
	}
	switch {
	case t == nil || t.Size() == "":
	case t.Applied:
		r.env.Warnf("%s changed: ua undo %s takes that back", t.Size(), r.journal.run.ID)
	case agent != 0:
		r.env.Warnf("%s changed, not applied (status %d): ua try diff | apply | drop", t.Size(), agent)
	default:
		r.env.Warnf("%s changed, not applied: ua try diff | apply | drop", t.Size())
	}
}

// record starts the agent and the gateway, and waits for the agent's end.
func (r *recording) record() (status int, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, prog.Errorf(prog.Status(err), "%v", err)
	}
	socket := os.NewFile(uintptr(fds[0]), "socket")
	defer socket.Close()
	net, err := stage.Pipe()
	agent, err2 := r.floor()
	if err = cmp.Or(err, err2); err != nil {
		return 0, err
	}
	agent.Extra = []*os.File{os.NewFile(uintptr(fds[1]), "socket"), net.W}
	signals := execwrap.Catch()
	s, err := agent.Start(os.Stdin, os.Stdout, nil)
	if err != nil {
		return 0, err
	}
	told := make(chan struct{})
	go func() {
		defer close(told)
		stage.Lines(net.R, "ua-sandbox", r.note)
	}()
	gateway, answered, err := startGateway(socket, r.serve, r.note)
	socket.Close() // an agent that has no gateway does not begin
	for !s.Ended() {
		select {
		case sig := <-signals:
			if !execwrap.FromTerminal(sig) {
				s.Signal(sig.(syscall.Signal))
			}
		case <-s.Done():
		}
	}
	if gateway.Signal(syscall.SIGTERM); !gateway.Wait(stage.Grace) {
		gateway.Signal(syscall.SIGKILL)
	}
	if gateway != nil {
		<-answered
	}
	<-told
	status, _ = s.Failure()
	return status, err
}

// floor returns the command in its sandbox in its try. Neither has the keys of ua.
func (r *recording) floor() (stage.Command, error) {
	self, err := prog.FindSibling("ua-record")
	sandbox, err2 := prog.FindSibling("ua-sandbox")
	if err = cmp.Or(err, err2); err != nil {
		return stage.Command{}, err
	}
	args := []string{"--quiet", "--link", runtry.Link(r.journal.run), "--except",
		r.journal.run.Dir, "--except", xdg.State()}
	inside := append([]string{sandbox, "--quiet", "--fd", "3", "--net-log-fd", "4", "--env",
		envSocket + "=3"}, r.sandbox...)
	if r.home != "" {
		args = append(args, "--dir", r.home)
		inside = append(inside, "--write", r.home, "--env", envHome+"="+r.home)
	}
	args = append(append(append(args, "--"), inside...), "--", self)
	c, err := stage.Builtin("ua-try", append(args, r.command...)...)
	c.Own = false // the terminal's keys are for the agent
	c.Env = append(config.WithoutKeys(os.Environ()), run.EnvTryTitle+"=ua record "+
		style.FirstLine(r.journal.task, 200))
	return c, err
}
