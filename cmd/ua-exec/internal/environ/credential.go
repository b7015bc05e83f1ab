package environ

import (
	"strings"

	"ua/internal/common/verdict"
)

// A Credential proves that its command, or something that the command has left, is still
// running. A command could store its tokens, but they end with it.
type Credential struct {
	ID    string // the last part of its tokens
	Proxy string // USER:PASSWORD at the proxy; "" where there is none
}

// with returns a variable of the proxy in which the password is that of the command.
func (e *Environ) with(v string, l Credential) string {
	if e.proxyUser == "" || l.Proxy == "" {
		return v
	}
	return strings.ReplaceAll(v, e.proxyUser, l.Proxy)
}

// Leases reports whether the proxy around ua-exec gives each command its own password.
func (e *Environ) Leases() bool { return e.proxyUser != "" }

// JobsToken returns the token for the socket of jobs, for a command of the profile.
func (e *Environ) JobsToken(p verdict.Profile, l Credential) string {
	return e.tokens[p] + "-" + l.ID
}

// Bearer returns the profile and the credential's ID that a token for the socket of jobs
// stands for, or "" for an unknown token.
func (e *Environ) Bearer(token string) (p verdict.Profile, id string) {
	start, id, _ := strings.Cut(token, "-")
	for p, known := range e.tokens {
		if start == known {
			return p, id
		}
	}
	return "", ""
}
