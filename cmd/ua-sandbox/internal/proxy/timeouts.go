package proxy

import "time"

// defaultTimeout is how long each step may take until bytes flow.
const defaultTimeout = 30 * time.Second

func (s *Server) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return defaultTimeout
}

// stagger is how long one address may take before the next is tried beside it
// (RFC 8305 §5).
const stagger = 250 * time.Millisecond

// young is how long a new connection gives way to nobody.
const young = 20 * time.Millisecond
