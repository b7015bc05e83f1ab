package proxy

import (
	"crypto/rand"
	"crypto/subtle"
	"strings"
	"sync"
	"time"

	"ua/internal/common/chain"
)

// Leases are the passwords that clients have asked for. Each holds as long as the connection
// by which it was asked for, and as the password that it was asked with: who starts commands
// gives each a password of its own, and a later command that finds it stored reaches nothing
// by it.
type leases struct {
	mu   sync.Mutex
	held map[string]string // by what stands behind the start, that of who asked, or ""
}

// hold begins a lease for who has another one, or the proxy's own password.
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

// holds reports whether a lease holds, and all above it.
func (l *leases) holds(id string) (held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if id, held = l.held[id]; id == "" || !held {
			return held
		}
	}
}

// first returns the lease by which those credentials came that are a lease's, or "". What one
// command leases on is the same client's.
func (l *leases) first(credentials string) string {
	_, id, _ := strings.Cut(credentials, "-")
	l.mu.Lock()
	defer l.mu.Unlock()
	for above := l.held[id]; above != ""; above = l.held[id] {
		id = above
	}
	return id
}

// permitted reports whether the credentials are the secret's or those of a lease (RFC 7617).
// The comparison takes the same time whatever they are.
func (s *Server) permitted(credentials string) bool {
	if subtle.ConstantTimeCompare([]byte(credentials), []byte("ua:"+s.Secret)) == 1 {
		return true
	}
	start, id, _ := strings.Cut(credentials, "-")
	return subtle.ConstantTimeCompare([]byte(start), []byte("ua:"+chain.LeaseStart(s.Secret))) == 1 &&
		s.leases.holds(id)
}

// lease answers with new credentials, which hold until the client closes the connection or
// sends anything more.
func (t *trip) lease(credentials string) {
	_, above, _ := strings.Cut(credentials, "-")
	id := t.s.leases.hold(above)
	defer t.s.leases.end(id)
	t.logged = true // it is no request of the network
	t.answer(200, "OK", "ua:"+chain.LeaseStart(t.s.Secret)+"-"+id+"\n")
	t.conn.SetDeadline(time.Time{})
	_, _ = t.r.ReadByte()
}
