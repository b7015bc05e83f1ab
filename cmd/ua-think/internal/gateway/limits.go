package gateway

import "time"

// Limits of the gateway itself.
const (
	maxBody   = 32 << 20         // of one request, as Anthropic's API has it
	maxBodies = 256 << 20        // of all requests that are answered now
	bodyTime  = 30 * time.Second // for a request to come whole
	writeTime = time.Minute      // for a client to take a piece of an answer
	slotTime  = 10 * time.Second // to wait for one of the requests before to end
)

// share returns how much one client may take of what all have: requests that are answered
// at once, and the bytes of their bodies. So nobody keeps all others out.
func share(all int) int { return max(all*3/4, 1) }

// Limits of connections, which are not trusted before they have said anything.
const (
	maxConns   = 256                   // at once that have not sent a whole request
	young      = 20 * time.Millisecond // the age at which one begins to give way to others
	maxHeader  = 32 << 10              // bytes of a request before its body
	headerTime = 10 * time.Second      // for them to come
	keepTime   = 2 * time.Minute       // for a connection without a request
)

// maxSocketPath is the longest path of a Unix socket (unix(7), sun_path).
const maxSocketPath = 107

// refusalPause is the shortest time between two refusals in the log, so that a client
// that is refused a million times does not fill the disk. The next one says how many were
// left out.
const refusalPause = 50 * time.Millisecond

// maxInput is how many bytes of a call's input its line shows. With escapes it can take
// six times as much.
const maxInput = 500

// longString is the length in bytes from which a string may be a medium in base64.
const longString = 1024
