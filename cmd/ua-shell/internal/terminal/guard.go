package terminal

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// GuardName is the name under which this program is its own guard.
const GuardName = "ua-shell-guard"

// A Guard restores the terminal when we can't: after SIGKILL. It is a process of
// ours in a session of its own, where no signal of the terminal reaches it and
// nothing stops it from setting modes. It acts at the end of a pipe, which comes as
// our parent hears of our end: a zsh or fish there may read our modes first and keep
// them (stty sane mends that), bash restores its own.
type Guard struct {
	cmd   *exec.Cmd
	words *os.File
	kept  *os.File
}

// What a Guard is told.
const (
	wordChanged = 'r' // the terminal's modes are ours now
	wordEnd     = 'e' // there is nothing left to restore
)

// NewGuard starts a guard of the terminal, of a folder, which it removes, and of a
// run's folder, which it removes if that is empty; "" for none. When it can't be
// started there is no guard, and no error.
func (t *Terminal) NewGuard(folder, run string) *Guard {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close()
	kr, kw, err := os.Pipe()
	if err != nil {
		w.Close()
		return nil
	}
	defer kw.Close()
	g := &Guard{cmd: exec.Command(self, folder, run), words: w, kept: kr}
	g.cmd.Args[0] = GuardName
	g.cmd.Stdin, g.cmd.Stdout, g.cmd.ExtraFiles = t.in, kw, []*os.File{r}
	g.cmd.Env = []string{"GOMAXPROCS=1"}
	g.cmd.Dir = "/"
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := g.cmd.Start(); err != nil {
		w.Close()
		kr.Close()
		return nil
	}
	return g
}

// Ready waits until the guard has kept the terminal's modes: only then may they
// change.
func (g *Guard) Ready() {
	if g != nil {
		g.kept.Read(make([]byte, 1))
		g.kept.Close()
	}
}

// Changed tells the guard that the modes are ours now.
func (g *Guard) Changed() {
	if g != nil {
		g.words.Write([]byte{wordChanged})
	}
}

// End ends the guard: there is nothing left to restore.
func (g *Guard) End() {
	if g != nil {
		g.words.Write([]byte{wordEnd})
		g.words.Close()
		g.cmd.Wait()
	}
}

// BeGuard is the guard's part: the terminal is descriptor 0, the words come on 3.
// When they end without the last one we were killed: if the modes are still ours it
// restores the terminal, and it removes the folders.
func BeGuard(folder, run string) {
	saved, err := Modes(0)
	if err != nil {
		return
	}
	os.Stdout.Write([]byte{wordChanged})
	os.Stdout.Close()
	ours := saved
	for w := word(); w != 0; w = word() {
		if w == wordEnd {
			return
		}
		if now, err := Modes(0); err == nil {
			ours = now
		}
	}
	if now, err := Modes(0); err == nil && *now == *ours {
		SetModes(0, saved)
		unix.Write(0, []byte("\x1b[?2004l\x1b[?25h"))
	}
	if folder != "" {
		os.RemoveAll(folder)
	}
	if run != "" {
		os.Remove(filepath.Join(run, "sub"))
		os.Remove(run)
	}
}

// word returns the next word, 0 at their end.
func word() byte {
	var b [1]byte
	for {
		n, err := unix.Read(3, b[:])
		if err == unix.EINTR {
			continue
		}
		if n <= 0 {
			return 0
		}
		return b[0]
	}
}
