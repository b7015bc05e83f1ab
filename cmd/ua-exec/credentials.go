package main

import (
	"fmt"
	"io"
	"sync"

	"ua/cmd/ua-exec/internal/environ"
	"ua/cmd/ua-exec/internal/process"
	"ua/cmd/ua-exec/internal/report"
	agent "ua/internal/common/run"
	"ua/internal/common/verdict"
)

// Credentials hold the rights of commands: tokens for the sockets of jobs and of tries,
// and passwords for the proxy. A command can store them. Each is therefore withdrawn once
// its command, and everything that the command has left running, has ended: a later
// command of a narrower profile gains nothing by finding it.
type credentials struct {
	mu  sync.Mutex
	all map[string]*credential // by their IDs
}

// A credential belongs to one command. A nil credential is that of a command without such
// rights.
type credential struct {
	environ.Credential
	profile verdict.Profile
	proxy   io.Closer // whose end is the password's
	file    string    // by which ua-think serve knows of it
	ended   bool      // the command has, and these go on
	left    []process.Process
}

// issue makes the credential of a call's command, or returns nil if it needs none.
func (x *executor) issue(c *call) (l *credential, err error) {
	networks := x.shell.nested && x.environ.Leases() && !c.profile.Within(verdict.ProfileWorkspace)
	if !networks && !c.delegates {
		return nil, nil
	}
	l = &credential{Credential: environ.Credential{ID: agent.CommandID(c.id)}, profile: c.profile}
	if networks {
		if l.Proxy, l.proxy, err = report.Lease(x.environ.ProxyURL); err != nil {
			return nil, fmt.Errorf("the sandbox's proxy gives no password: %w", err)
		}
	}
	if c.delegates && x.environ.Asks() {
		name := agent.LiveName(l.ID)
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

// withdraw ends a credential, and what stands for it outside of this program: the
// password at the proxy and the file for ua-think.
func (x *executor) withdraw(l *credential) {
	if l.proxy != nil {
		l.proxy.Close()
	}
	if l.file != "" {
		_ = x.folder.Root().Remove(l.file)
	}
}

// keepWhile keeps a credential valid while processes are running that its command, which
// has ended, has left.
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

// withdrawEnded withdraws the credentials of commands of which nothing is running any
// more.
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

// withdrawAll withdraws all credentials at the end, when nothing is running any more.
func (x *executor) withdrawAll() {
	x.credentials.mu.Lock()
	defer x.credentials.mu.Unlock()
	for _, l := range x.credentials.all {
		x.withdraw(l)
	}
	clear(x.credentials.all)
}

// stands reports whether the credential with that ID is valid for the profile: its
// command, or something that it has left, is still running.
func (x *executor) stands(id string, p verdict.Profile) bool {
	x.withdrawEnded()
	x.credentials.mu.Lock()
	defer x.credentials.mu.Unlock()
	l := x.credentials.all[id]
	return l != nil && l.profile == p
}
