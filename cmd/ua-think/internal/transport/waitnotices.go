package transport

import (
	"context"
	"time"

	"ua/cmd/ua-think/internal/provider"
)

// reassure tells the user that the model has not begun to answer: after the time Quiet,
// and again each time the wait has doubled.
func (c *Client) reassure(ctx context.Context, m provider.Model, stream *patient) {
	for waited, wait := time.Duration(0), c.Limits.Quiet; ; wait = waited {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if waited += wait; stream.begun.Load() {
			return
		}
		c.Note("no answer from %s for %v, waiting", m.Spec(), waited)
	}
}
