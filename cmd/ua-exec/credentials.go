package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"sync"

	"ua/cmd/ua-exec/internal/environ"
	"ua/cmd/ua-exec/internal/process"
	"ua/cmd/ua-exec/internal/report"
	agent "ua/internal/common/run"
	"ua/internal/common/verdict"
)

// Lives are those of the commands that have rights by something which can be stored: what
// stands for them at the sockets of jobs and of tries, and the password of the proxy. A life
// ends with the command and what it has left running, so that a later command, of a narrower
// profile, gains nothing by what it finds stored.
type lives struct {
	mu  sync.Mutex
	all map[string]*life // by their IDs
}

// A life is one of them. The nil one is that of a command without such rights.
type life struct {
	environ.Life
	profile verdict.Profile
	proxy   io.Closer // whose end is the password's
	file    string    // by which ua-try serve knows of it
	ended   bool      // the command has, and these go on
	left    []process.Process
}

// live begins the life of a command of the call.
func (x *executor) live(c *call) (l *life, err error) {
	networks := x.shell.nested && x.environ.Leases() && !c.profile.Within(verdict.ProfileWorkspace)
	if !networks && !c.delegates {
		return nil, nil
	}
	l = &life{Life: environ.Life{ID: rand.Text()}, profile: c.profile}
	if networks {
		if l.Proxy, l.proxy, err = report.Lease(x.environ.ProxyURL); err != nil {
			return nil, fmt.Errorf("the sandbox's proxy gives no password: %w", err)
		}
	}
	if c.delegates && x.environ.Tries() {
		name := agent.LiveName(string(c.profile), l.ID)
		if err := x.folder.Mark(name); err != nil {
			x.die(l)
			return nil, err
		}
		l.file = name
	}
	x.lives.mu.Lock()
	defer x.lives.mu.Unlock()
	if x.lives.all == nil {
		x.lives.all = map[string]*life{}
	}
	x.lives.all[l.ID] = l
	return l, nil
}

// die ends a life, and with it what stands for it outside of this program.
func (x *executor) die(l *life) {
	if l.proxy != nil {
		l.proxy.Close()
	}
	if l.file != "" {
		_ = x.folder.Root().Remove(l.file)
	}
}

// outlives has a life go on with what its command, which has ended, has left running.
func (x *executor) outlives(l *life, left []process.Process) {
	if l == nil {
		return
	}
	x.lives.mu.Lock()
	defer x.lives.mu.Unlock()
	if l.ended, l.left = true, left; len(left) == 0 {
		delete(x.lives.all, l.ID)
		x.die(l)
	}
}

// endLives ends the lives of which nothing goes on.
func (x *executor) endLives() {
	x.lives.mu.Lock()
	defer x.lives.mu.Unlock()
	var all []process.Process
	looked := false
	for id, l := range x.lives.all {
		if !l.ended {
			continue
		}
		if !looked {
			all, looked = x.processes.Descendants(), true
		}
		if l.left = process.Remains(l.left, all); len(l.left) == 0 {
			delete(x.lives.all, id)
			x.die(l)
		}
	}
}

// endAllLives ends all, as nothing goes on.
func (x *executor) endAllLives() {
	x.lives.mu.Lock()
	defer x.lives.mu.Unlock()
	for _, l := range x.lives.all {
		x.die(l)
	}
	clear(x.lives.all)
}

// goesOn reports whether the command with the ID, which has the profile, or something that it
// has left running goes on.
func (x *executor) goesOn(id string, p verdict.Profile) bool {
	x.endLives()
	x.lives.mu.Lock()
	defer x.lives.mu.Unlock()
	l := x.lives.all[id]
	return l != nil && l.profile == p
}
