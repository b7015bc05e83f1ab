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

// Credentials are what commands have their rights by: tokens for the sockets of jobs and of
// tries, and the password of the proxy. A command can store them, so each is withdrawn once the
// command and what it has left running have ended: a later command, of a narrower profile,
// gains nothing by what it finds.
type credentials struct {
	mu  sync.Mutex
	all map[string]*credential // by their IDs
}

// A credential is that of one command. The nil one is that of a command without such rights.
type credential struct {
	environ.Credential
	profile verdict.Profile
	proxy   io.Closer // whose end is the password's
	file    string    // by which ua-try serve knows of it
	ended   bool      // the command has, and these go on
	left    []process.Process
}

// issue gives a command of the call its credential.
func (x *executor) issue(c *call) (l *credential, err error) {
	networks := x.shell.nested && x.environ.Leases() && !c.profile.Within(verdict.ProfileWorkspace)
	if !networks && !c.delegates {
		return nil, nil
	}
	l = &credential{Credential: environ.Credential{ID: rand.Text()}, profile: c.profile}
	if networks {
		if l.Proxy, l.proxy, err = report.Lease(x.environ.ProxyURL); err != nil {
			return nil, fmt.Errorf("the sandbox's proxy gives no password: %w", err)
		}
	}
	if c.delegates && x.environ.Tries() {
		name := agent.LiveName(string(c.profile), l.ID)
		if err := x.folder.Mark(name); err != nil {
			x.withdraw(l)
			return nil, err
		}
		l.file = name
	}
	x.credentials.mu.Lock()
	defer x.credentials.mu.Unlock()
	if x.credentials.all == nil {
		x.credentials.all = map[string]*credential{}
	}
	x.credentials.all[l.ID] = l
	return l, nil
}

// withdraw ends a credential, and with it what stands for it outside of this program.
func (x *executor) withdraw(l *credential) {
	if l.proxy != nil {
		l.proxy.Close()
	}
	if l.file != "" {
		_ = x.folder.Root().Remove(l.file)
	}
}

// keepWhile has a credential hold for as long as what its command, which has ended, has left
// running.
func (x *executor) keepWhile(l *credential, left []process.Process) {
	if l == nil {
		return
	}
	x.credentials.mu.Lock()
	defer x.credentials.mu.Unlock()
	if l.ended, l.left = true, left; len(left) == 0 {
		delete(x.credentials.all, l.ID)
		x.withdraw(l)
	}
}

// withdrawEnded withdraws the credentials of commands of which nothing runs any more.
func (x *executor) withdrawEnded() {
	x.credentials.mu.Lock()
	defer x.credentials.mu.Unlock()
	var all []process.Process
	looked := false
	for id, l := range x.credentials.all {
		if !l.ended {
			continue
		}
		if !looked {
			all, looked = x.processes.Descendants(), true
		}
		if l.left = process.Remains(l.left, all); len(l.left) == 0 {
			delete(x.credentials.all, id)
			x.withdraw(l)
		}
	}
}

// withdrawAll withdraws all, as nothing runs any more.
func (x *executor) withdrawAll() {
	x.credentials.mu.Lock()
	defer x.credentials.mu.Unlock()
	for _, l := range x.credentials.all {
		x.withdraw(l)
	}
	clear(x.credentials.all)
}

// stands reports whether the command with the ID, which has the profile, or something that it
// has left running goes on.
func (x *executor) stands(id string, p verdict.Profile) bool {
	x.withdrawEnded()
	x.credentials.mu.Lock()
	defer x.credentials.mu.Unlock()
	l := x.credentials.all[id]
	return l != nil && l.profile == p
}
