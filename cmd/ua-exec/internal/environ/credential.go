package environ

import (
	"strings"

	"ua/internal/common/verdict"
)

// A Credential is what a command proves by that it still goes on, or something that it has left
// running: its rights end with it, though it may have stored what stands for them.
type Credential struct {
	ID    string // the last part of its tokens
	Proxy string // USER:PASSWORD at the proxy; "" where there is none
}

// with returns a variable of the proxy with the password of the command.
func (e *Environ) with(v string, l Credential) string {
	if e.proxyUser == "" || l.Proxy == "" {
		return v
	}
	return strings.ReplaceAll(v, e.proxyUser, l.Proxy)
}

// Leases reports whether the proxy of the sandbox around ua-exec has passwords for commands.
func (e *Environ) Leases() bool { return e.proxyUser != "" }

// JobsToken returns what stands at the socket of jobs for a command of the profile.
func (e *Environ) JobsToken(p verdict.Profile, l Credential) string {
	return e.tokens[p] + "-" + l.ID
}

// Bearer returns the profile and the credential for which a token stands at the socket of jobs, ""
// for none.
func (e *Environ) Bearer(token string) (p verdict.Profile, id string) {
	start, id, _ := strings.Cut(token, "-")
	for p, known := range e.tokens {
		if start == known {
			return p, id
		}
	}
	return "", ""
}
