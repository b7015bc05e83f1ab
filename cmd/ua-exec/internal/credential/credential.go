// Package credential holds the rights of commands.
package credential

import (
	"fmt"
	"io"
	"sync"

	"ua/cmd/ua-exec/internal/call"
	"ua/cmd/ua-exec/internal/environ"
	"ua/cmd/ua-exec/internal/outputdir"
	"ua/cmd/ua-exec/internal/process"
	"ua/cmd/ua-exec/internal/statuschannel"
	"ua/internal/common/run"
	"ua/internal/common/verdict"
)

// A Set holds the rights of commands: tokens for the sockets of jobs and of tries,
// and passwords for the proxy. A command can store them. Each is therefore withdrawn once
// its command, and everything that the command has left running, has ended: a later
// command of a narrower profile gains nothing by finding it.
type Set struct {
	Environ  *environ.Environ
	Folder   *outputdir.Folder
	Children *process.Children
	Nested   bool // commands reach the network by the proxy of a sandbox around ua-exec

	mu  sync.Mutex
	all map[string]*Credential // by their IDs
}

// A Credential belongs to one command. That of a command without such rights has no ID.
type Credential struct {
	environ.Credential
	profile verdict.Profile
	proxy   io.Closer // whose end is the password's
	file    string    // by which ua-think serve knows of it
	ended   bool      // the command has, and these go on
	left    []process.Process
}

// Issue makes the credential of a call's command.
func (s *Set) Issue(c *call.Call) (l *Credential, err error) {
	networks := s.Nested && s.Environ.Leases() && !c.Profile.Within(verdict.ProfileWorkspace)
	if !networks && !c.Delegates {
		return &Credential{}, nil
	}
	l = &Credential{Credential: environ.Credential{ID: run.CommandID(c.ID)}, profile: c.Profile}
	if networks {
		if l.Proxy, l.proxy, err = statuschannel.Lease(s.Environ.ProxyURL); err != nil {
			return nil, fmt.Errorf("the sandbox's proxy gives no password: %w", err)
		}
	}
	if c.Delegates && s.Environ.Asks() {
		name := run.LiveName(l.ID)
		if err := s.Folder.Mark(name); err != nil {
			s.withdraw(l)
			return nil, err
		}
		l.file = name
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]*Credential{}
	}
	s.all[l.ID] = l
	return l, nil
}

// withdraw ends a credential, and what stands for it outside of this program: the
// password at the proxy and the file for ua-think.
func (s *Set) withdraw(l *Credential) {
	if l.proxy != nil {
		l.proxy.Close()
	}
	if l.file != "" {
		_ = s.Folder.Root().Remove(l.file)
	}
}

// KeepWhile keeps a credential valid while processes are running that its command, which
// has ended, has left.
func (s *Set) KeepWhile(l *Credential, left []process.Process) {
	if l == nil || l.ID == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.ended, l.left = true, left; len(left) == 0 {
		delete(s.all, l.ID)
		s.withdraw(l)
	}
}

// WithdrawEnded withdraws the credentials of commands of which nothing is running any
// more.
func (s *Set) WithdrawEnded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := sync.OnceValue(s.Children.Descendants)
	for id, l := range s.all {
		if !l.ended {
			continue
		}
		if l.left = process.Remains(l.left, all()); len(l.left) == 0 {
			delete(s.all, id)
			s.withdraw(l)
		}
	}
}

// WithdrawAll withdraws all credentials at the end, when nothing is running any more.
func (s *Set) WithdrawAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.all {
		s.withdraw(l)
	}
	clear(s.all)
}

// Stands reports whether the credential with that ID is valid for the profile: its
// command, or something that it has left, is still running.
func (s *Set) Stands(id string, p verdict.Profile) bool {
	s.WithdrawEnded()
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.all[id]
	return l != nil && l.profile == p
}
