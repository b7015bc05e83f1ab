package gateway

// A Peer is the process at the other end of a connection.
type Peer struct {
	Own bool // of the same user
	PID int  // 0 where it can't be told
}
