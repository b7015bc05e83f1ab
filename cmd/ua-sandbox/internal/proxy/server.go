package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"ua/internal/common/connlimit"
)

// A Server lets the programs of one sandbox out. Its fields are set before the first call
// of a Serve method and not changed afterwards.
type Server struct {
	Allowlist *Allowlist
	// Secret is the password of user "ua" that a client must give. It must not
	// be empty: other commands of the same sandbox reach the listener too.
	Secret string
	// Log gets one event of type "net" for each request, without its newline:
	// host port method decision(allow|deny) reason addr inject bytes_up bytes_down
	// duration_ms; of many to one host, some that stand for count requests. Calls
	// don't overlap. It may be nil.
	Log func(line []byte)
	// Inject is the headers that are added outside.
	Inject []Inject
	// Timeout bounds each step until bytes flow: a request's head, a TLS client
	// hello, a lookup and a dial. It is defaultTimeout when zero, as it is but in
	// tests, for which half a minute is too long, or too short.
	Timeout time.Duration

	mu      sync.Mutex
	open    []io.Closer // what is served on
	closed  bool
	serving sync.WaitGroup
	logging sync.Mutex
	sums    netSums // with logging
	refused refusals
	leases  leases
}

// Close closes everything that the Server serves on, and waits until the events of open
// connections are logged. The owner of the log calls it before closing that.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for _, l := range s.open {
		l.Close()
	}
	s.mu.Unlock()
	s.serving.Wait()
	s.logging.Lock()
	defer s.logging.Unlock()
	for _, e := range s.sums.end() {
		s.Log(e.line())
	}
}

// begin reports whether l may be served. If so, the caller must call s.serving.Done at
// the end.
func (s *Server) begin(l io.Closer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		l.Close()
		return false
	}
	s.open = append(s.open, l)
	s.serving.Add(1)
	return true
}

// defaultTimeout is how long each step may take before bytes flow.
const defaultTimeout = 30 * time.Second

// timeout returns how long each step may take, by the server's setting or the default.
func (s *Server) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return defaultTimeout
}

// Serve serves HTTP (absolute form and CONNECT) on l until l is closed. It then closes all
// open connections, logs them and returns nil.
func (s *Server) Serve(l net.Listener) error {
	if s.Secret == "" {
		return errors.New("proxy: no secret")
	}
	return s.each(l, func(c *client) { c.serveHTTP(nil) })
}

// young is the age at which a connection begins to give way to others.
const young = 20 * time.Millisecond

// maxConns is how many requests a listener serves at once. It is also how many
// connections it has that have not sent a whole request, or not the secret; the oldest of
// those gives way. More requests wait, in the end in the kernel's queue.
const maxConns = 512

// maxShare is how many of these requests one command may have. Another maxConns requests
// of all commands can wait, and the oldest of those gives way, too.
const maxShare = maxConns * 3 / 4

// each calls serve for each connection of l, and closes the connection afterwards.
func (s *Server) each(l net.Listener, serve func(*client)) error {
	ctx, cancel := context.WithCancel(context.Background())
	if !s.begin(ending{l, cancel}) {
		return nil
	}
	defer s.serving.Done()
	var running sync.WaitGroup
	var open sync.Map
	set := &connlimit.Set{Most: maxConns, Open: maxConns, Young: young, Share: maxShare,
		Wait: maxConns}
	defer running.Wait()
	defer cancel()
	// Deferred last, so that connections are closed before their ends are waited for.
	defer open.Range(func(c, _ any) bool { c.(net.Conn).Close(); return true })
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			if !passing(err) {
				return err
			}
			time.Sleep(50 * time.Millisecond)
			continue
		}
		place := set.Take(ctx, func() { conn.Close() })
		if place == nil {
			conn.Close()
			return nil
		}
		open.Store(conn, nil)
		running.Go(func() {
			defer func() { place.Leave(); conn.Close(); open.Delete(conn) }()
			c := newClient(ctx, s, conn, place)
			serve(c)
			place.Yield()
			c.linger()
		})
	}
}

// An ending is a listener whose Close also ends what waits for a place.
type ending struct {
	net.Listener
	cancel context.CancelFunc
}

// Close closes the listener and ends the context.
func (e ending) Close() error {
	e.cancel()
	return e.Listener.Close()
}

// passing reports whether Accept may succeed later, because the system is short of
// descriptors or memory.
func passing(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM)
}
