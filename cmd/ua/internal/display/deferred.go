package display

import (
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"ua/internal/common/style"
)

// lastTurn is how long the end of a run waits for the answer to another run's question.
const lastTurn = 2 * time.Second

// mostHeld is how many bytes of progress are kept while a question is open.
const mostHeld = 1 << 20

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
