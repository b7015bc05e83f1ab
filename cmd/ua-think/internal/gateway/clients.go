package gateway

import (
	"context"
	"strconv"
	"sync"
)

// clientName returns the name of a client, whose requests together have one share: the
// command that asks, or else the process. It is "" where neither can be told.
func clientName(command string, pid int) string {
	switch {
	case command != "":
		return "command " + command
	case pid > 0:
		return "process " + strconv.Itoa(pid)
	}
	return ""
}

// await waits until a request that has come whole may be answered. It does not wait for
// long: a client can ask again.
func (g *Gateway) await(x *exchange) *refusal {
	c := connOf(x.r)
	if c == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), slotTime)
	defer cancel()
	switch {
	case c.place.Hold(ctx, x.client):
		return nil
	case x.r.Context().Err() != nil:
		return refuse(reasonGone, "the client has gone")
	}
	// The connection has lost its place.
	x.w.Header().Set("Connection", "close")
	return refuse(reasonBusy, "already answering %d requests", g.places.Most)
}

// bodies counts the bytes of requests in memory.
type bodies struct {
	mu      sync.Mutex
	all     int
	clients map[string]int
}

// add adds n to a client's bytes. It reports whether they are within the client's share
// and those of all within their limit; a client without a name has no share.
func (b *bodies) add(client string, n int) (fits bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all += n
	if client == "" {
		return b.all <= maxBodies
	}
	if b.clients == nil {
		b.clients = map[string]int{}
	}
	own := b.clients[client] + n
	if b.clients[client] = own; own == 0 {
		delete(b.clients, client)
	}
	return b.all <= maxBodies && own <= share(maxBodies)
}
