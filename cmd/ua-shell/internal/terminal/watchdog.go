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

// WatchdogName is the name of the watchdog, which is this program under another name, and
// of its process. Killing every ua-shell by name does not hit it.
const WatchdogName = "ua-watchdog"

// A Watchdog restores the terminal when we cannot, after SIGKILL. It is a process of ours
// in a session of its own: no signal of the terminal reaches it, and nothing stops it
// from setting modes. It acts when its pipe ends.
//
// Whoever started us may look at the terminal as soon as they learn of our end; zsh and
// fish keep what they find there. So where the system allows it, the watchdog traces us: our
// parent learns of our end only when our tracer has ended too (ptrace(2)).
type Watchdog struct {
	keep  kept
	words *os.File
	ready *os.File
	done  chan struct{} // closed when the process has ended
}

// kept is what a watchdog has to know. It is the first line that it is told, as JSON.
type kept struct {
	Watched int           // our process
	Modes   *unix.Termios // that the terminal has to have again
	Folder  string        // is removed
	Run     string        // is removed if it is empty
}

// Words that a Watchdog is told after its first line.
const (
	wordChanged = 'r' // the terminal's modes are ours now
	wordEnd     = 'e' // there is nothing left to restore
)

// StartWatchdog starts a watchdog of the terminal. It also removes the folder, and the
// run's folder if that is empty; "" stands for none. If the watchdog cannot be started
// there is none, and no error.
func (t *Terminal) StartWatchdog(folder, run string) {
	if modes, err := Modes(t.In()); err == nil {
		t.watchdog = startWatchdog(t.in, kept{os.Getpid(), modes, folder, run})
	}
}

// KeepWatched starts a new watchdog whenever one was killed. The goroutine that owns the
// terminal calls it, and post calls a function on that goroutine.
func (t *Terminal) KeepWatched(post func(func())) {
	g := t.watchdog
	if g == nil {
		return
	}
	go func() {
		<-g.done
		post(func() {
			if t.watchdog != g {
				return
			}
			g.close()
			if t.watchdog = startWatchdog(t.in, g.keep); t.raw {
				t.watchdog.changed()
			}
			t.KeepWatched(post)
		})
	}()
}

// StopWatchdog ends the watchdog, which has nothing left to restore.
func (t *Terminal) StopWatchdog() {
	g := t.watchdog
	t.watchdog = nil
	if g != nil {
		g.words.Write([]byte{wordEnd})
		g.close()
		<-g.done
	}
}

// startWatchdog starts the watchdog's process, or returns nil.
func startWatchdog(tty *os.File, keep kept) *Watchdog {
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
	g := &Watchdog{keep: keep, words: words.w, ready: ready.r, done: make(chan struct{})}
	cmd := exec.Cmd{Path: self, Args: []string{WatchdogName}, Env: []string{"GOMAXPROCS=1"}, Dir: "/",
		Stdin: tty, ExtraFiles: []*os.File{words.r, ready.w},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	if err := cmd.Start(); err != nil {
		g.close()
		return nil
	}
	// The watchdog is our child, and Yama lets only ancestors trace.
	allowTrace(cmd.Process.Pid)
	line, _ := json.Marshal(keep)
	g.words.Write(append(line, '\n'))
	go func() {
		cmd.Wait()
		close(g.done)
	}()
	return g
}

// await waits until the watchdog is ready. The modes may change only then.
func (w *Watchdog) await() {
	if w != nil {
		w.ready.Read(make([]byte, 1))
	}
}

// changed tells the watchdog that the modes are ours now.
func (w *Watchdog) changed() {
	if w != nil {
		w.words.Write([]byte{wordChanged})
	}
}

// close closes our ends of the watchdog's pipes.
func (w *Watchdog) close() {
	w.words.Close()
	w.ready.Close()
}

// BeWatchdog is what the watchdog's process runs. The terminal is descriptor 0, the words
// come on 3, and 4 reports that the watchdog is ready. If the words end without the last
// one, we were killed: the watchdog restores the terminal, if its modes are still ours,
// and removes the folders.
func BeWatchdog() {
	os.WriteFile("/proc/self/comm", []byte(WatchdogName), 0)
	words, ready := bufio.NewReader(os.NewFile(3, "words")), os.NewFile(4, "ready")
	var keep kept
	line, _ := words.ReadBytes('\n')
	if json.Unmarshal(line, &keep) != nil || keep.Modes == nil {
		return
	}
	if os.Getppid() == keep.Watched {
		trace(keep.Watched)
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

// listen takes the words up to their end. It returns the terminal's modes when they last
// changed (nil for never) and whether the last word was wordEnd.
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

// reset ends what a line editor may have set in the terminal: bracketed paste and a
// hidden cursor. It does nothing if the terminal takes no output now.
func reset() {
	fd, err := unix.Open("/dev/fd/0", unix.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err == nil {
		unix.Write(fd, []byte("\x1b[?2004l\x1b[?25h"))
		unix.Close(fd)
	}
}
