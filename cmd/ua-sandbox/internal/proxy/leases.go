package proxy

import (
	"crypto/rand"
	"strings"
	"sync"
)

// Leases are passwords that clients have asked for. A lease is valid while the connection
// on which it was asked for is open, and while the password that was used to ask is
// valid. A program that starts commands gives each its own password. A later command that
// finds a stored one can reach nothing with it.
type leases struct {
	mu   sync.Mutex
	held map[string]string // by what stands behind the start, that of who asked, or ""
}

// hold begins a lease for a client with another lease, or "" for the proxy's own
// password.
func (l *leases) hold(above string) (id string) {
	id = rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[string]string{}
	}
	l.held[id] = above
	return id
}

// end ends a lease.
func (l *leases) end(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, id)
}

// holds reports whether a lease and all leases above it are valid.
func (l *leases) holds(id string) (held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if id, held = l.held[id]; id == "" || !held {
			return held
		}
	}
}

// first returns the first lease above the one in these credentials, or "" if they are no
// lease's. Whatever a command leases to others belongs to the same client.
func (l *leases) first(credentials string) string {
	_, id, _ := strings.Cut(credentials, "-")
	l.mu.Lock()
	defer l.mu.Unlock()
	for above := l.held[id]; above != ""; above = l.held[id] {
		id = above
	}
	return id
}
