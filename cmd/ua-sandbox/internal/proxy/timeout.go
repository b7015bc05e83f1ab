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
