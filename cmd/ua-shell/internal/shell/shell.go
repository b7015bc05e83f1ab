// Package shell starts the user's own shell, in a PTY or in place of ua-shell.
package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ua/cmd/ua-shell/internal/terminal"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// A Shell is the program to start, with its arguments and variables.
type Shell struct {
	Path string
	Args []string // after the program's name
	Env  []string

	Called string     // its name, if Path is a program around it
	Extra  []*os.File // the program's descriptors from 3 on
}

// Find returns the shell with that name or path. For "" it is the user's own: $SHELL, or
// else /bin/sh. If ua-shell is itself the user's shell, bash or the next one that exists
// takes its place.
func Find(name string) (Shell, error) {
	asked := name
	if name == "" {
		name = os.Getenv("SHELL")
	}
	if name == "" {
		name = "/bin/sh"
	}
	path, err := config.LookOutside(name)
	if err == nil && ourselves(path) {
		if asked != "" {
			return Shell{}, prog.Errorf(prog.Trouble, "%q: is ua-shell itself", name)
		}
		for _, name := range []string{"bash", "zsh", "fish", "/bin/sh"} {
			if path, err = config.LookOutside(name); err == nil {
				break
			}
		}
		// Programs inside take $SHELL for the user's shell.
		os.Setenv("SHELL", path)
	}
	if err != nil && asked == "" {
		path, err = "/bin/sh", nil
	}
	if err != nil {
		return Shell{}, prog.Errorf(prog.NotFound, "%q: no such shell", name)
	}
	return Shell{Path: path, Env: os.Environ()}, nil
}

// ourselves reports whether the path is that of this program.
func ourselves(path string) bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	a, errA := os.Stat(self)
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// Name returns bash, zsh, fish or the name of the shell's file.
func (s Shell) Name() string {
	if s.Called != "" {
		return s.Called
	}
	return strings.TrimPrefix(filepath.Base(s.Path), "-")
}

// Exec starts the shell in place of ua-shell, without its start-up files if bare. It
// returns only with an error.
func (s Shell) Exec(bare bool) error {
	argv := []string{filepath.Base(s.Path)}
	if flag := map[string]string{"bash": "--norc", "zsh": "-f", "fish": "-N"}[s.Name()]; bare &&
		flag != "" {
		argv = append(argv, flag)
	}
	err := syscall.Exec(s.Path, append(argv, s.Args...), os.Environ())
	return prog.Errorf(prog.NotConfined, "%s: %v", s.Path, err)
}

// EnvPlain is the variable that names the terminal to a plain shell that was started in
// our place.
const EnvPlain = "UA_SHELL_PLAIN"

// A Child is a shell that runs in a PTY.
type Child struct {
	PID int
	PTY int    // the PTY's descriptor on our side
	TTY string // the name of its other end (terminal.Name)
}

// Start starts the shell as the leader of a session in a new PTY. The PTY gets the modes
// and the size of the terminal of the descriptor.
func (s Shell) Start(tty int) (*Child, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "no PTY: %v", err)
	}
	defer slave.Close()
	defer master.Close()
	if m, err := terminal.Modes(tty); err == nil {
		terminal.SetModes(int(slave.Fd()), m)
	}
	Resize(tty, int(master.Fd()))
	cmd := exec.Cmd{Path: s.Path, Args: append([]string{filepath.Base(s.Path)}, s.Args...)}
	name := terminal.Name(int(slave.Fd()))
	cmd.Env = append(s.Env, run.EnvShellTTY+"="+name)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.ExtraFiles = s.Extra
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return nil, prog.Errorf(prog.NotConfined, "%s: %v", s.Path, err)
	}
	// A descriptor without an os.File around it, since the relay polls it itself.
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "no PTY: %v", err)
	}
	return &Child{PID: cmd.Process.Pid, PTY: fd, TTY: name}, nil
}

// Resize gives the PTY the terminal's size, in cells and pixels.
func Resize(tty, ptyFD int) {
	if size, err := unix.IoctlGetWinsize(tty, unix.TIOCGWINSZ); err == nil {
		unix.IoctlSetWinsize(ptyFD, unix.TIOCSWINSZ, size)
	}
}

// Wait waits until the shell stops or ends.
func (c *Child) Wait() (ws unix.WaitStatus) {
	for {
		if _, err := unix.Wait4(c.PID, &ws, unix.WUNTRACED, nil); err != unix.EINTR {
			return ws
		}
	}
}

// Signal sends the shell a signal.
func (c *Child) Signal(s syscall.Signal) { unix.Kill(c.PID, s) }
