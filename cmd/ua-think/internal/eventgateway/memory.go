package eventgateway

import (
	"errors"
	"io"
	"sync/atomic"

	"ua/internal/common/prog"
)

// These end what takes too much memory.
var (
	ErrTooLong error = prog.Errorf(prog.No, "the conversation is too long")
	ErrCrowded       = errors.New("the conversations of all clients are too long")
)

// A Meter reads and counts the bytes of a conversation as they come.
type Meter struct {
	io.Reader
	all    *atomic.Int64 // bytes of all conversations
	most   int64
	n      atomic.Int64
	broken func() // called when the connection breaks off; may be nil
}

// Metered returns a reader of what a client sends, at most that much, within what all may have.
func (s *Service) Metered(r io.Reader, most int64) *Meter {
	return &Meter{Reader: r, all: &s.talks, most: most}
}

// Read reads, unless there is no room for more.
func (c *Meter) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if err != nil && err != io.EOF && c.broken != nil {
		c.broken()
	}
	switch all := c.all.Add(int64(n)); {
	case c.n.Add(int64(n)) > c.most:
		return 0, ErrTooLong
	case all > maxTalks:
		return 0, ErrCrowded
	}
	return n, err
}

// Forget says that what came so far is not kept any more.
func (c *Meter) Forget() {
	c.all.Add(-c.n.Swap(0))
}
