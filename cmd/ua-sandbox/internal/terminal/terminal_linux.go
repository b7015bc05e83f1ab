// Package terminal keeps a command off the terminal of who runs it, unless it is the command's
// standard input.
package terminal

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// A Stdio is what init and the command get as standard descriptors. They get the caller's
// terminal only if it is standard input, as when a person runs an editor. Otherwise
// output goes to the terminal through a pipe and an Escaper: no byte of the command
// controls the terminal, and the command cannot read what is typed.
type Stdio struct {
	Files  [3]uintptr
	Handed bool // standard input is a terminal
	relays []*relay
}

// A relay prints on a terminal what comes out of a pipe.
type relay struct {
	from, into *os.File
	done       chan struct{}
}

// New returns the stdio for the caller of this process. A terminal among the
// descriptors that stay open for the command is an error.
func New(kept []int) (*Stdio, error) {
	s := &Stdio{Files: [3]uintptr{0, 1, 2}}
	var in uint64
	in, s.Handed = terminal(0)
	for _, fd := range kept {
		if at, is := terminal(fd); is && !(s.Handed && at == in) {
			return nil, prog.Errorf(prog.LoaderUsage, "--fd %d is a terminal",
				fd).Hintf("a command gets one as its standard input only")
		}
	}
	pipes := map[uint64]*relay{}
	for fd := 1; fd <= 2; fd++ {
		at, is := terminal(fd)
		if !is || s.Handed && at == in {
			continue
		}
		r := pipes[at] // one for both keeps their order
		if r == nil {
			var err error
			if r, err = newRelay(fd); err != nil {
				return nil, prog.Errorf(prog.NotConfined, "%w", err)
			}
			pipes[at], s.relays = r, append(s.relays, r)
		}
		s.Files[fd] = r.into.Fd()
	}
	return s, nil
}

// terminal reports whether the descriptor is a terminal, and its device number.
func terminal(fd int) (device uint64, is bool) {
	var stat unix.Stat_t
	if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err != nil || unix.Fstat(fd, &stat) != nil {
		return 0, false
	}
	return stat.Rdev, true
}

// newRelay starts a relay to the terminal that is descriptor fd.
func newRelay(fd int) (*relay, error) {
	r := &relay{done: make(chan struct{})}
	var err error
	if r.from, r.into, err = os.Pipe(); err != nil {
		return nil, err
	}
	to := style.NewEscaper([]*os.File{os.Stdin, os.Stdout, os.Stderr}[fd])
	go func() {
		defer close(r.done)
		if _, err := io.Copy(to, r.from); err == nil || os.IsTimeout(err) {
			_ = to.Flush()
		}
		r.from.Close() // when the terminal is gone, the command learns it
	}()
	return r, nil
}

// Started closes this process's ends once init has its own.
func (s *Stdio) Started() {
	for _, r := range s.relays {
		r.into.Close()
	}
}

// Drain prints what is left once every process of the sandbox has ended. An end of the
// pipe that was passed out of the sandbox is not waited for.
func (s *Stdio) Drain() {
	for _, r := range s.relays {
		_ = r.from.SetReadDeadline(time.Now().Add(time.Second))
		<-r.done
	}
}

// OfUser returns the terminals, other than pseudo terminals, that this user may
// write to: those of the console that a login has given to them.
func OfUser() []string {
	list := []string{"/dev/console"}
	names, _ := filepath.Glob("/dev/tty[0-9A-Z]*")
	for _, path := range names {
		var stat unix.Stat_t
		if unix.Stat(path, &stat) == nil && int(stat.Uid) == os.Getuid() {
			list = append(list, path)
		}
	}
	return list
}

// Leave gives up this process's controlling terminal, and thus that of everything
// it starts: /dev/tty then leads nowhere. Session and process group stay the same, so
// keys of the terminal still signal the command (tty_ioctl(4), TIOCNOTTY).
func Leave() error {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	switch err {
	case nil:
	case unix.ENXIO, unix.ENOENT, unix.ENODEV:
		return nil // there is none
	default:
		return fmt.Errorf("/dev/tty: %w", err)
	}
	defer unix.Close(fd)
	if err := unix.IoctlSetInt(fd, unix.TIOCNOTTY, 0); err != nil {
		return fmt.Errorf("TIOCNOTTY: %w", err)
	}
	return nil
}

// Relayed reports whether output goes to a terminal through a pipe.
func (s *Stdio) Relayed() bool { return len(s.relays) > 0 }
