package display

import (
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"ua/internal/common/prog"
	"ua/internal/common/style"
	"ua/internal/common/tty"
)

// A held is what a run would print while a question is open on its terminal. A model chooses
// what runs meanwhile, and its lines would move the question away, or stand below it like the
// command that is asked about.
type held struct {
	device tty.Device
	parts  []part
	bytes  int
	lost   int   // parts for which there was no room
	err    error // of stdout
}

// A part is one piece of text and where it belongs.
type part struct {
	to   io.Writer
	text string
}

// deviceOf returns the terminal that a run prints on.
func deviceOf(env *prog.Env) tty.Device {
	if term.IsTerminal(int(env.Stderr.Fd())) {
		return tty.Of(env.Stderr)
	}
	return tty.Of(env.Stdout)
}

// print prints a text. What goes to a terminal is kept while a question is open there.
func (d *Display) print(file *os.File, to io.Writer, text string) {
	h := &d.held
	if !term.IsTerminal(int(file.Fd())) {
		d.put(to, text)
		return
	}
	if h.bytes += len(text); h.bytes > mostHeld && len(h.parts) > 0 {
		h.lost++
	} else {
		h.parts = append(h.parts, part{to, text})
	}
	h.device.Print(d.flush)
}

// release prints what was kept, if no question is open.
func (d *Display) release() {
	if len(d.held.parts) > 0 {
		d.held.device.Print(d.flush)
	}
}

// lastTurn waits a little for the end of a question, which is another run's: who prints last
// can leave nothing for later.
func (d *Display) lastTurn() {
	for end := time.Now().Add(lastTurn); !d.held.device.Print(d.flush); {
		if time.Now().After(end) {
			return
		}
		time.Sleep(lastTurn / 20)
	}
}

// flush prints what was kept.
func (d *Display) flush() {
	h := &d.held
	for _, p := range h.parts {
		d.put(p.to, p.text)
	}
	if h.lost > 0 {
		d.env.Warnf(style.Mark("… ")+"%d lines from before the answer are only in the journal",
			h.lost)
	}
	h.parts, h.bytes, h.lost = nil, 0, 0
}

// put writes a text, and keeps the error of stdout.
func (d *Display) put(to io.Writer, text string) {
	if _, err := io.WriteString(to, text); err != nil && to != io.Writer(d.env.Stderr) {
		d.held.err = err
	}
}
