package terminal

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// GuardName is the name under which this program is its own guard, and that of its
// process: who kills every ua-shell by its name does not hit it.
const GuardName = "ua-guard"

// A Guard restores the terminal when we can't: after SIGKILL. It is a process of
// ours in a session of its own, where no signal of the terminal reaches it and
// nothing stops it from setting modes. It acts at the end of a pipe. Whoever started us
// may look at the terminal as soon as they hear of our end (zsh and fish keep what they
// find there), so that where the system allows it the guard traces us: our parent hears
// of our end only when our tracer has ended too (ptrace(2)).
type Guard struct {
	keep  kept
	words *os.File
	ready *os.File
	done  chan struct{} // closed when the process has ended
}

// kept is what a guard has to know, the first line that it is told.
type kept struct {
	Guarded int           // our process
	Modes   *unix.Termios // that the terminal has to have again
	Folder  string        // is removed
	Run     string        // is removed if it is empty
}

// What a Guard is told behind that.
const (
	wordChanged = 'r' // the terminal's modes are ours now
	wordEnd     = 'e' // there is nothing left to restore
)

// Guard starts a guard of the terminal, of a folder, which it removes, and of a
// run's folder, which it removes if that is empty; "" for none. Where it can't be
// started there is no guard, and no error.
func (t *Terminal) Guard(folder, run string) {
	if modes, err := Modes(t.In()); err == nil {
		t.guard = startGuard(t.in, kept{os.Getpid(), modes, folder, run})
	}
}

// KeepGuarded starts another guard whenever one has been killed. It is called by the
// goroutine that the terminal belongs to, and post has that one call a function.
func (t *Terminal) KeepGuarded(post func(func())) {
	g := t.guard
	if g == nil {
		return
	}
	go func() {
		<-g.done
		post(func() {
			if t.guard != g {
				return
			}
			g.close()
			if t.guard = startGuard(t.in, g.keep); t.raw {
				t.guard.changed()
			}
			t.KeepGuarded(post)
		})
	}()
}

// Unguard ends the guard: there is nothing left to restore.
func (t *Terminal) Unguard() {
	g := t.guard
	t.guard = nil
	if g != nil {
		g.words.Write([]byte{wordEnd})
		g.close()
		<-g.done
	}
}

// startGuard starts the process, or returns nil.
func startGuard(tty *os.File, keep kept) *Guard {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	var pipes [2]struct{ r, w *os.File }
	for i := range pipes {
		p := &pipes[i]
		if p.r, p.w, err = os.Pipe(); err != nil {
			return nil
		}
	}
	words, ready := pipes[0], pipes[1]
	defer words.r.Close()
	defer ready.w.Close()
	g := &Guard{keep: keep, words: words.w, ready: ready.r, done: make(chan struct{})}
	cmd := exec.Cmd{Path: self, Args: []string{GuardName}, Env: []string{"GOMAXPROCS=1"}, Dir: "/",
		Stdin: tty, ExtraFiles: []*os.File{words.r, ready.w},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	if err := cmd.Start(); err != nil {
		g.close()
		return nil
	}
	allowTrace(cmd.Process.Pid)
	line, _ := json.Marshal(keep)
	g.words.Write(append(line, '\n'))
	go func() {
		cmd.Wait()
		close(g.done)
	}()
	return g
}

// await waits until the guard is ready: only then may the modes change.
func (g *Guard) await() {
	if g != nil {
		g.ready.Read(make([]byte, 1))
	}
}

// changed tells the guard that the modes are ours now.
func (g *Guard) changed() {
	if g != nil {
		g.words.Write([]byte{wordChanged})
	}
}

func (g *Guard) close() {
	g.words.Close()
	g.ready.Close()
}

// BeGuard is the guard's part: the terminal is descriptor 0, the words come on 3, and 4
// is told when the guard is ready. When the words end without the last one we were
// killed: if the modes are still ours it restores the terminal, and it removes the
// folders.
func BeGuard() {
	os.WriteFile("/proc/self/comm", []byte(GuardName), 0)
	words, ready := bufio.NewReader(os.NewFile(3, "words")), os.NewFile(4, "ready")
	var keep kept
	line, _ := words.ReadBytes('\n')
	if json.Unmarshal(line, &keep) != nil || keep.Modes == nil {
		return
	}
	if os.Getppid() == keep.Guarded {
		trace(keep.Guarded)
	}
	ready.Write([]byte{wordChanged}) // not on stdout, where a closed pipe would be our end
	ready.Close()
	ours, ended := listen(words)
	if ended {
		return
	}
	if now, err := Modes(0); err == nil && ours != nil && *now == *ours {
		SetModes(0, keep.Modes)
		reset()
	}
	if keep.Folder != "" {
		os.RemoveAll(keep.Folder)
	}
	if keep.Run != "" {
		os.Remove(filepath.Join(keep.Run, "sub"))
		os.Remove(keep.Run)
	}
}

// listen takes the words up to their end. It returns the modes of the terminal at the
// last time that they were changed, nil for never, and whether the last word was that
// of the end.
func listen(words *bufio.Reader) (ours *unix.Termios, ended bool) {
	for {
		w, err := words.ReadByte()
		if err != nil || w == wordEnd {
			return ours, err == nil
		}
		if now, err := Modes(0); err == nil {
			ours = now
		}
	}
}

// reset ends what a line editor may have asked of the terminal, bracketed paste and a
// hidden cursor, unless the terminal takes nothing now.
func reset() {
	fd, err := unix.Open("/dev/fd/0", unix.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err == nil {
		unix.Write(fd, []byte("\x1b[?2004l\x1b[?25h"))
		unix.Close(fd)
	}
}
