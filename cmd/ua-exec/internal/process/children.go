package process

import (
	"cmp"
	"errors"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// An Ended tells how a command ended.
type Ended struct {
	Status syscall.WaitStatus
	Usage  syscall.Rusage
}

// Code returns the exit status that a shell would give, and the name of the signal
// that ended the command, as "SIGTERM", if one did.
func (e Ended) Code() (code int, signal string) {
	if !e.Status.Signaled() {
		return e.Status.ExitStatus(), ""
	}
	sig := e.Status.Signal()
	return 128 + int(sig), cmp.Or(unix.SignalName(sig), sig.String())
}

// Children starts commands and reaps them, and with them every process that
// they leave behind.
type Children struct {
	mu       sync.Mutex
	direct   map[int]child
	starters map[string]*starter // by the name of the lock
	uses     int                 // of starters
	wake     chan struct{}       // tells the reaper that there is a child again
}

// A child is a program that was started and has not ended.
type child struct {
	end chan<- Ended
	by  *starter
}

// A starter is a thread behind a lock, for good. It ends when another lock needs
// its place and nothing that it started is left: its end would kill that
// (PR_SET_PDEATHSIG).
type starter struct {
	work chan func(error)
	live int // programs that it has started or is to start
	used int // when it was needed last
}

// MaxStarters bounds the threads: each folder that takes the place of another one
// needs a lock, and so a thread, of its own.
const MaxStarters = 16

// NewChildren begins to reap, also what this process adopts.
func NewChildren() *Children {
	c := &Children{
		direct:   map[int]child{},
		starters: map[string]*starter{},
		wake:     make(chan struct{}, 1),
	}
	Adopt()
	go c.reap()
	return c
}

// A Program is what children start, in a session of its own.
type Program struct {
	Argv, Env []string
	Files     []uintptr // its descriptors from 0 up; ^0 is none
	Lock      Lock
}

// A Lock confines a thread for good, and what the thread starts. Locks of one
// name do the same. The zero lock does nothing.
type Lock struct {
	Name  string
	Apply func() error
}

// Start starts the program. The channel gets one value, when it has ended.
func (c *Children) Start(p Program) (pid int, end <-chan Ended, err error) {
	by, err := c.starter(p.Lock)
	if err != nil {
		return 0, nil, err
	}
	reaped, done := make(chan Ended, 1), make(chan struct{})
	by.work <- func(refused error) {
		defer close(done)
		c.mu.Lock()
		defer c.mu.Unlock()
		if err = refused; err == nil {
			pid, err = p.fork()
		}
		if err == nil {
			c.direct[pid] = child{reaped, by}
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

// fork starts the program from the calling thread.
func (p Program) fork() (pid int, err error) {
	if !Childless() {
		defer watchNewborn()()
	}
	attr := &syscall.ProcAttr{Env: p.Env, Files: p.Files, Sys: sysAttr()}
	return syscall.ForkExec(p.Argv[0], p.Argv, attr)
}

// starter returns the thread behind the lock, for one more program.
func (c *Children) starter(l Lock) (*starter, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.starters[l.Name]
	if s == nil {
		if len(c.starters) >= MaxStarters && !c.retire() {
			return nil, errors.New("too many commands in the background hold folders that were replaced")
		}
		s = &starter{work: make(chan func(error))}
		c.starters[l.Name] = s
		startThread(func() { s.run(l.Apply) })
	}
	c.uses++
	s.used = c.uses
	s.live++
	return s, nil
}

// retire ends the thread that was needed least lately, of those that have nothing
// running.
func (c *Children) retire() bool {
	oldest := ""
	var s *starter
	for name, other := range c.starters {
		if other.live == 0 && (s == nil || other.used < s.used) {
			oldest, s = name, other
		}
	}
	if s == nil {
		return false
	}
	close(s.work)
	delete(c.starters, oldest)
	return true
}

// run does the work on the calling thread, behind the lock. The work is told when that
// could not be put on.
func (s *starter) run(apply func() error) {
	for do := range s.work {
		var err error
		if apply != nil {
			err = apply()
		}
		if err == nil {
			apply = nil
		}
		do(err)
	}
}

// reap waits for children, our own and adopted ones, for as long as we live.
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
		c.mu.Lock()
		if ch, ok := c.direct[pid]; ok {
			delete(c.direct, pid)
			ch.by.live--
			ch.end <- e
		}
		c.mu.Unlock()
	}
}

// SignalGroup sends a signal to every process of the command's group, stopped
// ones included, and says whether there was one.
func SignalGroup(pid int, sig syscall.Signal) bool {
	err := syscall.Kill(-pid, sig)
	if err == nil && sig != 0 {
		syscall.Kill(-pid, syscall.SIGCONT)
	}
	return err != syscall.ESRCH
}
