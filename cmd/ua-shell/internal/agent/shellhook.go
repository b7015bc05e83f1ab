package agent

import (
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-shell/internal/terminal"
	"ua/internal/common/style"
)

// hookAsked is called when a mark says that the shell's hook waits before the prompt. Any
// program can print that. So the hook is asked only once the shell itself is seen to wait.
// The mark can come a moment before the read(2) that it tells of, so a shell that does not
// wait yet is looked at again until toWait has passed.
func (a *Agent) hookAsked() {
	if a.poked = time.Now(); !a.looking {
		a.look()
	}
}

// toWait is how long after its mark a shell may take until it waits for an answer.
const toWait = 2 * time.Second

// look asks the hook what the shell is at, if it waits and was not asked yet. A hook that
// is known to wait may have been ended by a signal, and this is the next one.
func (a *Agent) look() {
	switch a.looking = false; {
	case a.meet.Token() != "" && !a.waiting:
	case a.meet.Waits():
		a.askHook()
	case time.Since(a.poked) < toWait:
		a.looking = true
		a.relay.After(time.Millisecond, a.look)
	default:
		a.meet.Restore() // it may wait at something else, which was put there
	}
}

// askHook asks the hook that waits. One that still waits after a while was not heard, since
// a program has printed into the middle of its mark, or is the next one after Ctrl-C.
func (a *Agent) askHook() {
	token := a.meet.Tell()
	a.relay.After(toWait, func() { a.askHookAgain(token) })
}

// askHookAgain asks once more unless the hook has told.
func (a *Agent) askHookAgain(token string) {
	switch {
	case !a.meet.Told(token) || a.waiting:
	case a.meet.Waits() && !a.relay.Unread():
		a.askHook()
	default:
		a.relay.After(toWait, func() { a.askHookAgain(token) })
	}
}

// letGo is called when the hook has its answer. One that waits on has not got it, since a
// program has read it at the FIFO: it is asked again.
func (a *Agent) letGo() {
	a.relay.After(toWait, a.look)
}

// unproven is called when a mark is not known to be the shell's own. A # line of the user's is
// among them where Ctrl-C has ended the hook that would have got the key to it.
func (a *Agent) unproven(token, line string) {
	a.unsure = a.unsure || strings.HasPrefix(line, "#")
	a.doubted = a.doubted || token != "" && !a.meet.Known(token)
}

// warn shows what the person has to know.
func (a *Agent) warn(text string) {
	a.screen.Say("%s", a.screen.Paint.Yellow(style.Mark("⚠ ")+text))
}

// editing reports whether the shell's line editor reads: nothing else of the shell's takes
// single keys, and a program would have a process group of its own.
func (a *Agent) editing() bool {
	group, err := unix.IoctlGetInt(a.PTY, unix.TIOCGPGRP)
	own, err2 := unix.Getpgid(a.meet.PID)
	m, err3 := terminal.Modes(a.PTY)
	return err == nil && err2 == nil && err3 == nil && a.meet.PID != 0 && group == own &&
		m.Lflag&unix.ICANON == 0 && !a.meet.Waits()
}
