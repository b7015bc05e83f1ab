// Package terminal owns the user's terminal: its modes and its size.
package terminal

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"ua/internal/common/procfs"
	"ua/internal/common/tty"
)

// A Terminal is the terminal that the user sits at.
type Terminal struct {
	in, out *os.File
	saved   *term.State
	raw     bool
}

// Open returns the terminal of both files, or nil if one of them is no terminal.
func Open(in, out *os.File) *Terminal {
	if !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return nil
	}
	saved, err := term.GetState(int(in.Fd()))
	if err != nil {
		return nil
	}
	return &Terminal{in: in, out: out, saved: saved}
}

// In returns the descriptor to read keys from.
func (t *Terminal) In() int { return int(t.in.Fd()) }

// Out returns the descriptor to print on.
func (t *Terminal) Out() int { return int(t.out.Fd()) }

// Raw has the terminal pass on every byte as it comes (cfmakeraw(3)).
func (t *Terminal) Raw() error {
	_, err := term.MakeRaw(t.In())
	t.raw = t.raw || err == nil
	return err
}

// Restore gives the terminal the modes that it had at first.
func (t *Terminal) Restore() {
	if t.raw {
		term.Restore(t.In(), t.saved)
		t.raw = false
	}
}

// Modes returns the terminal's line settings as they are now (termios(3)).
func Modes(fd int) (*unix.Termios, error) { return unix.IoctlGetTermios(fd, tty.GetModes) }

// SetModes sets the line settings of another terminal.
func SetModes(fd int, m *unix.Termios) error { return unix.IoctlSetTermios(fd, tty.SetModes, m) }

// Name returns what tells one terminal from another: the device number of the terminal of
// the descriptor, in hexadecimal, or "" if it is no terminal.
func Name(fd int) string {
	var st unix.Stat_t
	return nameIn(&st, unix.Fstat(fd, &st))
}

// nameIn returns the name that stands in what is known of a file.
func nameIn(st *unix.Stat_t, err error) string {
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFCHR {
		return ""
	}
	return fmt.Sprintf("%x", st.Rdev)
}

// controlling is the name of /dev/tty on Linux (devices.txt).
const controlling = "500"

// Awaited reports whether a program in the foreground of the PTY whose other end has that name
// waits in read(2) for a line, as one does that asks for a yes (proc(5), /proc/PID/syscall).
func Awaited(pty int, name string) bool {
	group, err := unix.IoctlGetInt(pty, unix.TIOCGPGRP)
	if err != nil {
		return false
	}
	for pid, p := range procfs.All() {
		if p.Group != group {
			continue
		}
		fd, _ := procfs.Reading(pid)
		var st unix.Stat_t
		reads := nameIn(&st, unix.Stat(fmt.Sprintf("/proc/%d/fd/%s", pid, fd), &st))
		if reads != "" && (reads == name || reads == controlling) {
			return true
		}
	}
	return false
}
