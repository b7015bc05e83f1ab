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

// start starts a program in a session of its own. files are its descriptors
// from 0 up. The channel gets one value, when the program has ended.
func (c *children) start(argv, env []string, files []uintptr) (pid int, end <-chan ended, err error) {
	ch := make(chan ended, 1)
	done := make(chan struct{})
	c.starts <- func() {
		defer close(done)
		c.mu.Lock()
		defer c.mu.Unlock()
		pid, err = syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{Env: env, Files: files, Sys: sysAttr()})
		if err == nil {
			c.direct[pid] = ch
		}
	}
	<-done
	if err != nil {
		return 0, nil, &os.PathError{Op: "exec", Path: argv[0], Err: err}
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return pid, ch, nil
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
		case err != nil || pid <= 0:
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
