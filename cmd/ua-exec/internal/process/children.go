package process

import (
	"cmp"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// An Ended says how a command has ended and what it used.
type Ended struct {
	Status syscall.WaitStatus
	Usage  syscall.Rusage
}

// Code returns the exit status that a shell would report, 128+n for signal n, and the
// name of that signal, such as "SIGTERM", or "".
func (e Ended) Code() (code int, signal string) {
	if !e.Status.Signaled() {
		return e.Status.ExitStatus(), ""
	}
	sig := e.Status.Signal()
	return 128 + int(sig), cmp.Or(unix.SignalName(sig), sig.String())
}

// Children starts commands and reaps them, together with all processes that they leave
// behind, of which the table knows.
type Children struct {
	Table
	forks    sync.Mutex
	direct   map[int]child
	starters map[string]*starter // by the name of the lock
	uses     int                 // of starters
	wake     chan struct{}       // tells the reaper that there is a child again
}

// A child is a program that was started and has not been reaped yet.
type child struct {
	end chan<- Ended
	by  *starter
}

// NewChildren begins to reap the children of this process, including those that it adopts
// (Adopt).
func NewChildren() *Children {
	c := &Children{
		Table:    newTable(),
		direct:   map[int]child{},
		starters: map[string]*starter{},
		wake:     make(chan struct{}, 1),
	}
	Adopt()
	go c.reap()
	return c
}

// A Program is what Children start, each in a new session.
type Program struct {
	Argv, Env []string
	Files     []uintptr // its descriptors from 0 up; ^0 is none
	Lock      Lock
}

// Start starts the program on the thread behind its lock. The channel end gets one value
// when the program has ended. The lock c.forks is held during the fork, so that the child is
// known before it can be reaped.
func (c *Children) Start(p Program) (pid int, end <-chan Ended, err error) {
	by, err := c.starter(p.Lock)
	if err != nil {
		return 0, nil, err
	}
	reaped, done := make(chan Ended, 1), make(chan struct{})
	by.work <- func(refused error) {
		defer close(done)
		c.forks.Lock()
		defer c.forks.Unlock()
		if err = refused; err == nil {
			over := func() {}
			if !Childless() { // other commands can stop a child before its exec
				over = watchNewborn()
			}
			attr := &syscall.ProcAttr{Env: p.Env, Files: p.Files, Sys: sysAttr()}
			pid, err = syscall.ForkExec(p.Argv[0], p.Argv, attr)
			over()
		}
		if err == nil {
			c.direct[pid] = child{reaped, by}
			c.begin(pid)
		} else {
			by.live--
		}
	}
	<-done
	if err != nil {
		close(reaped)
		return 0, nil, &os.PathError{Op: "exec", Path: p.Argv[0], Err: err}
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return pid, reaped, nil
}

// reap reaps children, started and adopted ones, until this process ends.
func (c *Children) reap() {
	for {
		var e Ended
		pid, err := syscall.Wait4(-1, &e.Status, 0, &e.Usage)
		switch {
		case err == syscall.ECHILD:
			<-c.wake
			continue
		case err != nil || pid <= 0:
			continue
		case e.Status.Stopped(): // one that has itself traced (PTRACE_TRACEME) stops, and lives
			continue
		}
		c.forks.Lock()
		if ch, ok := c.direct[pid]; ok {
			delete(c.direct, pid)
			ch.by.live--
			ch.end <- e
		}
		c.forks.Unlock()
	}
}
