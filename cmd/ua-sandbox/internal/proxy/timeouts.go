package proxy

import "time"

// defaultTimeout is how long each step may take before bytes flow.
const defaultTimeout = 30 * time.Second

// timeout returns how long each step may take, by the server's setting or the default.
func (s *Server) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return defaultTimeout
}

// young is the age at which a connection begins to give way to others.
const young = 20 * time.Millisecond
