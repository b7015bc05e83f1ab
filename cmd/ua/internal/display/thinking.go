package display

import (
	"fmt"
	"time"

	"ua/internal/common/style"
)

// A thinking is the one line of the display that is written over: how long the
// model has been asked without a word. It is gone before anything else is shown.
type thinking struct {
	on    bool      // stderr is a terminal that can do so, and no question comes there
	since time.Time // zero while the model is not waited for
	shown bool
}

// quietTime is how long the model may think before it is told.
const quietTime = 2 * time.Second

// Asks notes that the model has been asked.
func (d *Display) Asks() { d.thought.since = time.Now() }

// answers notes that it has said something.
func (d *Display) answers() {
	d.thought.since = time.Time{}
	d.clear()
}

// Tick shows how long it has been.
func (d *Display) Tick() {
	t := &d.thought
	if took := time.Since(t.since); t.on && !t.since.IsZero() && !d.open && took >= quietTime {
		fmt.Fprintf(d.env.Stderr, "\r\x1b[K%s", d.paint.Dim(fmt.Sprintf(style.Mark("… thinking %ds"),
			int(took.Seconds()))))
		t.shown = true
	}
}

// clear takes the line away.
func (d *Display) clear() {
	if d.thought.shown {
		d.thought.shown = false
		fmt.Fprint(d.env.Stderr, "\r\x1b[K")
	}
}
