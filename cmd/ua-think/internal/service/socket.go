package service

import (
	"errors"
	"io"
	"net"
	"sync"
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

// talks counts the bytes of conversations in memory.
type talks struct {
	mu       sync.Mutex
	all      int
	commands map[string]int
}

// add adds n to what a command's conversations have. It reports whether that is within the
// command's share, and all within the limit.
func (t *talks) add(command string, n int) (fits bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.commands == nil {
		t.commands = map[string]int{}
	}
	t.all += n
	t.commands[command] += n
	own := t.commands[command]
	if own == 0 {
		delete(t.commands, command)
	}
	return t.all <= maxTalks && (command == "" || own <= share(maxTalks))
}

// These end what takes too much memory.
var (
	ErrTooLong = errors.New("the conversation is too long")
	ErrCrowded = errors.New("the conversations of all clients are too long")
)

// A Counted reader counts the bytes of a conversation as they come.
type Counted struct {
	io.Reader
	talks   *talks
	command string
	most    int64
	n       atomic.Int64
}

// Bounded returns a reader of what a command sends, at most that much, within its share and
// what all may have.
func (s *Service) Bounded(r io.Reader, command string, most int64) *Counted {
	return &Counted{Reader: r, talks: &s.talks, command: command, most: most}
}

// Read reads, unless there is no room for more.
func (c *Counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	switch fits := c.talks.add(c.command, n); {
	case c.n.Add(int64(n)) > c.most:
		return 0, ErrTooLong
	case !fits:
		return 0, ErrCrowded
	}
	return n, err
}

// Forget says that what came so far is not kept any more.
func (c *Counted) Forget() {
	c.talks.add(c.command, -int(c.n.Swap(0)))
}
