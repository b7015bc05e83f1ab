package service

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// speaksEvents reports whether the first byte that comes is that of an event. It stays there
// to be read.
func speaksEvents(conn net.Conn) (is bool) {
	conn.SetReadDeadline(time.Now().Add(helloTime))
	defer conn.SetReadDeadline(time.Time{})
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return false
	}
	raw.Read(func(fd uintptr) bool {
		var first [1]byte
		n, _, err := unix.Recvfrom(int(fd), first[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		is = n == 1 && first[0] == '{'
		return err != unix.EAGAIN && err != unix.EINTR
	})
	return is
}

// These end what takes too much memory.
var (
	ErrTooLong = errors.New("the conversation is too long")
	ErrCrowded = errors.New("the conversations of all clients are too long")
)

// A Counted reader counts the bytes of a conversation as they come.
type Counted struct {
	io.Reader
	all  *atomic.Int64 // bytes of all conversations
	most int64
	n    atomic.Int64
}

// Bounded returns a reader of what a client sends, at most that much, within what all may have.
func (s *Service) Bounded(r io.Reader, most int64) *Counted {
	return &Counted{Reader: r, all: &s.talks, most: most}
}

// Read reads, unless there is no room for more.
func (c *Counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	switch all := c.all.Add(int64(n)); {
	case c.n.Add(int64(n)) > c.most:
		return 0, ErrTooLong
	case all > maxTalks:
		return 0, ErrCrowded
	}
	return n, err
}

// Forget says that what came so far is not kept any more.
func (c *Counted) Forget() {
	c.all.Add(-c.n.Swap(0))
}
