package proxy

import (
	"io"
	"sync"
	"time"
)

// A Server lets the programs of one sandbox out. Its fields are set before the first call
// of a Serve method and not changed afterwards.
type Server struct {
	Policy *Policy
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
