// Package landsocket has what commands changed in repositories taken by the sandbox.
package landsocket

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/run"
)

// A Socket is that on which the ua-sandbox around this program is asked to take what a
// command has changed in repositories (ua-sandbox(1), --land). A nil one asks nobody.
type Socket struct {
	mu     sync.Mutex
	socket *os.File
	from   *bufio.Reader
	owed   int  // answers that did not come in time
	over   bool // nobody answers: there is no repository, or the sandbox has ended
}

// landTime is how long an answer is waited for. A large pack has to be checked object by
// object.
const landTime = 20 * time.Second

// What is asked for.
const (
	Refresh = 'r' // that the next command sees what the user has changed meanwhile
	Land    = 'l' // that what one has changed lands
)

// FD returns the number of the socket, or -1, and takes it from the environment, so that no
// command gets it.
func FD() int {
	fd, err := strconv.Atoi(os.Getenv(run.EnvLandFD))
	os.Unsetenv(run.EnvLandFD)
	if err != nil || fd < 3 {
		return -1
	}
	return fd
}

// New takes the socket over. It is nil where there is none.
func New() *Socket {
	fd := FD()
	if fd < 0 || unix.SetNonblock(fd, true) != nil {
		return nil
	}
	unix.CloseOnExec(fd)
	f := os.NewFile(uintptr(fd), "landing")
	return &Socket{socket: f, from: bufio.NewReader(f)}
}

// Ask asks for one of these, and returns what was refused, and why.
func (l *Socket) Ask(what byte) (refused []string) {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil
	}
	_ = l.socket.SetDeadline(time.Now().Add(landTime))
	_, _ = l.socket.Write([]byte{what}) // what fails is heard of below
	for l.owed++; l.owed > 0; {
		line, err := l.from.ReadString('\n')
		if err != nil {
			l.over = !errors.Is(err, os.ErrDeadlineExceeded)
			break
		}
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			l.owed--
		} else {
			refused = append(refused, line)
		}
	}
	return refused
}
