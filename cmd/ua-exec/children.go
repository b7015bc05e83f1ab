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
	starts chan func()
	wake   chan struct{} // tells the reaper that there is a child again
}

func newChildren() *children {
	c := &children{
		direct: map[int]chan ended{},
		starts: make(chan func()),
		wake:   make(chan struct{}, 1),
	}
	adopt()
	go func() {
		pinThread()
		for start := range c.starts {
			start()
		}
	}()
	go c.reap()
	return c
}

// A program is what children start, in a session of its own.
type program struct {
	argv, env []string
	files     []uintptr    // its descriptors from 0 up
	narrow    func() error // confines the thread that starts it; nil: none
}

// start starts the program. The channel gets one value, when it has ended.
func (c *children) start(p program) (pid int, end <-chan ended, err error) {
	reaped, done := make(chan ended, 1), make(chan struct{})
	fork := func() {
		defer close(done)
		if p.narrow != nil {
			if err = p.narrow(); err != nil {
				return
			}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		pid, err = syscall.ForkExec(p.argv[0], p.argv, &syscall.ProcAttr{Env: p.env, Files: p.files, Sys: sysAttr()})
		if err == nil {
			c.direct[pid] = reaped
		}
	}
	end = reaped
	if p.narrow == nil {
		c.starts <- fork
	} else {
		end = c.onThread(fork, reaped)
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
	return pid, end, nil
}

// onThread has a thread of its own call fork. What confines the thread is for
// good, and its end would kill the program (PR_SET_PDEATHSIG): it waits for the
// program's and is gone with its goroutine.
func (c *children) onThread(fork func(), reaped <-chan ended) <-chan ended {
	end := make(chan ended, 1)
	go func() {
		pinThread()
		fork()
		end <- <-reaped
	}()
	return end
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
