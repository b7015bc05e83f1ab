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

// A thinking is the one line of the display that is written over: how long the
// model has been asked without a word, and the newest line of what it thinks. It is gone
// before anything else is shown.
type thinking struct {
	on    bool      // stderr is a terminal that can do so
	since time.Time // zero while the model is not waited for
	text  string    // the newest line of its thoughts
	shown bool
}

// Asks notes that the model has been asked.
func (d *Display) Asks() { d.thought.since = time.Now() }

// answers notes that it has said something.
func (d *Display) answers() {
	d.thought.since, d.thought.text = time.Time{}, ""
	d.clear()
}

// Tick shows how long it has been.
func (d *Display) Tick() {
	if t := &d.thought; t.text != "" || time.Since(t.since) >= quietTime {
		d.wait()
	}
}

// think shows what a delta says that the model thinks.
func (d *Display) think(line []byte) {
	all := d.thought.text + event.Str(line, "text")
	text := strings.TrimRight(all, " \n")
	all = all[strings.LastIndexByte(text, '\n')+1:]
	d.thought.text = strings.ToValidUTF8(all[max(0, len(all)-thoughtMax):], "")
	d.wait()
}

// wait shows the line.
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
	fmt.Fprintf(d.env.Stderr, "\r\x1b[K%s", d.paint.Dim(text))
	t.shown = true
}

// lastColumns returns the end of a line that fits in so many columns of a terminal, or
// all of it. A wide character is taken for two.
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

// clear takes the line away.
func (d *Display) clear() {
	if d.thought.shown {
		d.thought.shown = false
		fmt.Fprint(d.env.Stderr, "\r\x1b[K")
	}
}
