package main

import (
	"os"
	"sync"
	"syscall"
)

// An ended tells how a command ended.
type ended struct {
	status syscall.WaitStatus
	usage  syscall.Rusage
}

// A children starts commands and reaps them, and with them every process that
// they leave behind.
type children struct {
	mu     sync.Mutex
	direct map[int]chan ended
	starts map[string]chan func(error) // by the name of the lock
	wake   chan struct{}               // tells the reaper that there is a child again
}

func newChildren() *children {
	c := &children{
		direct: map[int]chan ended{},
		starts: map[string]chan func(error){},
		wake:   make(chan struct{}, 1),
	}
	adopt()
	go c.reap()
	return c
}

// A program is what children start, in a session of its own.
type program struct {
	argv, env []string
	files     []uintptr // its descriptors from 0 up
	lock      lock
}

// A lock confines a thread for good, and what the thread starts. Locks of one
// name do the same. The zero lock does nothing.
type lock struct {
	name  string
	apply func() error
}

// start starts the program. The channel gets one value, when it has ended.
func (c *children) start(p program) (pid int, end <-chan ended, err error) {
	reaped, done := make(chan ended, 1), make(chan struct{})
	c.thread(p.lock) <- func(refused error) {
		defer close(done)
		if err = refused; err != nil {
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		pid, err = syscall.ForkExec(p.argv[0], p.argv, &syscall.ProcAttr{Env: p.env, Files: p.files, Sys: sysAttr()})
		if err == nil {
			c.direct[pid] = reaped
		}
	}
	<-done
	if err != nil {
		close(reaped)
		return 0, nil, &os.PathError{Op: "exec", Path: p.argv[0], Err: err}
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return pid, reaped, nil
}

// thread gives work to a thread behind the lock, which lives as long as we do:
// its end would kill what it has started (PR_SET_PDEATHSIG). The work is told
// when the lock could not be put on.
func (c *children) thread(l lock) chan<- func(error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	work := c.starts[l.name]
	if work == nil {
		work = make(chan func(error))
		c.starts[l.name] = work
		go func() {
			pinThread()
			for do := range work {
				var err error
				if l.apply != nil {
					err = l.apply()
				}
				if err == nil {
					l.apply = nil
				}
				do(err)
			}
		}()
	}
	return work
}

// reap waits for children, our own and adopted ones, for as long as we live.
func (c *children) reap() {
	for {
		var e ended
		pid, err := syscall.Wait4(-1, &e.status, 0, &e.usage)
		switch {
		case err == syscall.ECHILD:
			<-c.wake
			continue
		case err != nil || pid <= 0 || e.status.Stopped(): // one that has itself traced (PTRACE_TRACEME) stops, and lives
			continue
		}
		c.mu.Lock()
		if ch := c.direct[pid]; ch != nil {
			delete(c.direct, pid)
			ch <- e
		}
		c.mu.Unlock()
	}
}

// signalGroup sends a signal to every process of the command's group, stopped
// ones included, and says whether there was one.
func signalGroup(pid int, sig syscall.Signal) bool {
	err := syscall.Kill(-pid, sig)
	if err == nil && sig != 0 {
		syscall.Kill(-pid, syscall.SIGCONT)
	}
	return err != syscall.ESRCH
}
