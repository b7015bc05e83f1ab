package agent

import (
	"bytes"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-shell/internal/keys"
	"ua/cmd/ua-shell/internal/terminal"
)

// twice is the time within which a second Ctrl-C ends the turn.
const twice = time.Second

// Input takes what the user types. Without a turn all of it goes to the shell. In a turn
// Ctrl-C acts, an open question takes its answer, a program that reads keys gets them,
// and the rest is kept for the prompt.
func (a *Agent) Input(p []byte) {
	t := a.turn
	a.typedAt = time.Now()
	answers, pressed := keys.Part(p)
	characters := a.stream.Typed(pressed, a.typedAt)
	if t == nil && len(a.held) == 0 {
		a.relay.Type(p)
		return
	}
	p = pressed
	if t != nil && t.ask != nil && t.ask.shown && !t.ask.answered {
		p = characters // a command can have the terminal answer, and a piece of that is no yes
	}
	a.relay.Type(answers)
	switch {
	case len(p) == 0:
	case t == nil:
		a.keep(p)
	case t.ask != nil && t.ask.open && !t.ask.answered:
		t.key(p)
	case t.phase == executing || t.phase == typed:
		t.toCommand(p)
	default:
		if bytes.IndexByte(p, 3) >= 0 {
			a.keep(bytes.ReplaceAll(p, []byte{3}, nil))
			t.cancel()
			return
		}
		if t.ask != nil && t.ask.answered || t.phase == judging || t.phase == typing {
			if len(p) == 1 && p[0] == '\r' { // an Enter behind a letter
				return
			}
		}
		a.keep(p)
	}
}

// maxHeld is how many bytes that are typed during a turn are kept for the prompt: more
// than anybody types or pastes.
const maxHeld = 4 << 20

// keep holds keys until the prompt, up to maxHeld bytes.
func (a *Agent) keep(p []byte) {
	if len(a.held)+len(p) <= maxHeld {
		a.held = append(a.held, p...)
	}
}

// settles is how long after its mark a shell may take to set the terminal's modes for a
// command.
const settles = 100 * time.Millisecond

// toCommand gives keys to a command of the model's: all of them if the command reads keys
// or a password, else only those that the terminal turns into signals. Other keys would
// wait in the terminal and be taken as input at the next prompt.
func (t *turn) toCommand(p []byte) {
	// A program needs a moment to set the terminal's modes, which reads judges by.
	if early := settles - time.Since(t.ran); t.phase == executing && early > 0 {
		p, c := bytes.Clone(p), t.call
		t.relay.After(early, func() {
			if t.turn == t && t.call == c {
				t.toCommand(p)
			} else {
				t.Input(p)
			}
		})
		return
	}
	if t.reads() {
		t.relay.Type(p)
		return
	}
	for i, c := range p {
		switch c {
		case 3:
			// The first Ctrl-C is the command's, and the second one ends the turn.
			second := time.Since(t.stopped) < twice
			t.stopped = time.Now()
			if t.interrupt(); second {
				t.cancel()
				return
			}
		case 4, 0x1a, 0x1c:
			if t.call == nil || t.call.read == nil {
				t.relay.Type([]byte{c})
			}
		default:
			t.keep(p[i : i+1])
		}
	}
}

// interrupt passes Ctrl-C on to the command.
func (t *turn) interrupt() {
	if t.call != nil {
		t.call.interrupted = true
	}
	if t.call != nil && t.call.read != nil {
		t.call.read.Stop()
		return
	}
	t.relay.Type([]byte{keys.CtrlC})
}

// reads reports whether the program that runs takes keys now: it has switched line mode
// off, or the echo (as for a password), or it waits for a line.
func (t *turn) reads() bool {
	if t.phase != executing || t.call != nil && t.call.read != nil {
		return false
	}
	m, err := terminal.Modes(t.PTY)
	return err == nil && (t.tracker.Alt || m.Lflag&unix.ICANON == 0 || m.Lflag&unix.ECHO == 0 ||
		terminal.Awaited(t.PTY, t.TTY))
}
