package display

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"ua/internal/common/event"
	"ua/internal/common/style"
)

// A thinking is the only line of the display that is overwritten. It shows how long the
// model has been silent and the newest line of its reasoning. It is cleared before
// anything else is printed.
type thinking struct {
	on    bool      // stderr is a terminal that can do so
	since time.Time // zero while the model is not waited for
	text  string    // the newest line of its thoughts
	shown bool
}

// Asks notes that a request was sent to the model.
func (d *Display) Asks() { d.thought.since = time.Now() }

// answers notes that the model has said something, and clears the line.
func (d *Display) answers() {
	d.thought.since, d.thought.text = time.Time{}, ""
	d.clear()
}

// Tick redraws the line, which appears only once the model has been silent for a while,
// and prints what has waited for an answer.
func (d *Display) Tick() {
	d.release()
	if t := &d.thought; t.text != "" || time.Since(t.since) >= quietTime {
		d.wait()
	}
}

// think adds a delta of the model's reasoning, of which the newest line is shown.
func (d *Display) think(line []byte) {
	all := d.thought.text + event.Str(line, "text")
	text := strings.TrimRight(all, " \n")
	all = all[strings.LastIndexByte(text, '\n')+1:]
	d.thought.text = strings.ToValidUTF8(all[max(0, len(all)-thoughtMax):], "")
	d.wait()
}

// wait draws the line, unless streamed text is still open on the terminal.
func (d *Display) wait() {
	t := &d.thought
	if !t.on || t.since.IsZero() || d.open {
		return
	}
	text := fmt.Sprintf(style.Mark("… thinking %ds"), int(time.Since(t.since).Seconds()))
	if thought := strings.TrimSpace(t.text); thought != "" {
		columns, _, err := term.GetSize(int(d.env.Stderr.Fd()))
		if err != nil || columns < 20 {
			columns = 80
		}
		text += ": "
		thought = strings.ReplaceAll(style.Printable(thought), "\t", " ")
		text += lastColumns(thought, columns-1-len(text)) // some bytes too few for the mark
	}
	// Return to the first column and erase to the end of the line (ECMA-48, EL).
	t.shown = len(d.held.parts) == 0 && d.held.device.Print(func() {
		fmt.Fprintf(d.env.Stderr, "\r\x1b[K%s", d.paint.Dim(text))
	})
}

// lastColumns returns the end of a line that fits into so many columns, or all of it.
// Characters from U+1100 on count as two columns: some of them are
// narrower, none is wider.
func lastColumns(line string, columns int) string {
	mark := style.Mark("… ")
	room := columns - utf8.RuneCountInString(mark)
	runes, width := []rune(line), 0
	keep := len(runes)
	for i := len(runes) - 1; i >= 0; i-- {
		if width++; runes[i] >= 0x1100 {
			width++
		}
		if width > columns {
			return mark + strings.TrimLeft(string(runes[keep:]), " ")
		}
		if width <= room {
			keep = i
		}
	}
	return line
}

// clear erases the line if it is shown.
func (d *Display) clear() {
	if d.thought.shown {
		d.thought.shown = false
		d.held.device.Print(func() { fmt.Fprint(d.env.Stderr, "\r\x1b[K") })
	}
}
