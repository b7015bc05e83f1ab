package display

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"ua/internal/common/event"
	"ua/internal/common/style"
)

// quietTime is how long the model may be silent before the person sees that it is.
const quietTime = 2 * time.Second

// thoughtMax is how many bytes of a thought are kept for the display.
const thoughtMax = 1000

// Moves reports whether there is a status line; nil has none.
func (d *Display) Moves() bool { return d != nil && d.status.on }

// Asks notes that a request was sent to the model.
func (d *Display) Asks() { d.status.since = time.Now() }

// answers notes that the model has said something, or that a command starts or has ended,
// and clears the line.
func (d *Display) answers() {
	d.status.since, d.status.text = time.Time{}, ""
	if len(d.status.calls) > 0 {
		d.status.since = time.Now()
	}
	d.clear()
}

// runs notes that a command runs from now on, or after those that do.
func (d *Display) runs(id, text string) {
	d.status.calls = append(d.status.calls, running{id: id, text: text})
	d.answers()
}

// ran notes that a command has its result.
func (d *Display) ran(id string) {
	d.status.calls = slices.DeleteFunc(d.status.calls, func(c running) bool { return c.id == id })
	d.answers()
}

// printed notes the newest line of a command's output, for the next Tick.
func (d *Display) printed(line []byte) {
	for i, c := range d.status.calls {
		if c.id == event.Str(line, "call_id") {
			d.status.calls[i].output = strings.ReplaceAll(
				style.FirstLine(event.Str(line, "text"), thoughtMax), "\t", " ")
		}
	}
}

// Tick redraws the line, which appears only after a while, and prints what has waited for an
// answer.
func (d *Display) Tick() {
	d.release()
	if t := &d.status; t.text != "" || time.Since(t.since) >= quietTime {
		d.wait()
	}
}

// think adds a delta of the model's reasoning, of which the newest line is shown.
func (d *Display) think(line []byte) {
	all := d.status.text + event.Str(line, "text")
	text := strings.TrimRight(all, " \n")
	all = all[strings.LastIndexByte(text, '\n')+1:]
	d.status.text = strings.ToValidUTF8(all[max(0, len(all)-thoughtMax):], "")
	d.wait()
}

// wait draws the line, unless streamed text is still open on the terminal.
func (d *Display) wait() {
	t := &d.status
	if !t.on || t.since.IsZero() || d.open {
		return
	}
	text := d.statusText(int(time.Since(t.since).Seconds()))
	t.mutex.Lock()
	defer t.mutex.Unlock()
	// Return to the first column and erase to the end of the line (ECMA-48, EL).
	t.shown = len(d.held.parts) == 0 && d.held.device.Print(func() {
		fmt.Fprintf(d.env.Stderr, "\r\x1b[K%s", text)
	})
}

// statusText returns the line after so many seconds.
func (d *Display) statusText(seconds int) string {
	columns, _, err := term.GetSize(int(d.env.Stderr.Fd()))
	if err != nil || columns < 20 {
		columns = 80
	}
	if len(d.status.calls) > 0 {
		c, took := d.status.calls[0], fmt.Sprintf("  %ds", seconds)
		room := columns - 1 - len(took)
		if c.output == "" {
			return d.paint.Dim(firstColumns(c.text, room) + took)
		}
		text := firstColumns(c.text, room/2) + took + "  "
		return d.paint.Dim(firstColumns(text+c.output, columns-1))
	}
	text := fmt.Sprintf(style.Mark("… thinking %ds"), seconds)
	if thought := strings.TrimSpace(d.status.text); thought != "" {
		text += ": "
		thought = strings.ReplaceAll(style.Printable(thought), "\t", " ")
		text += lastColumns(thought, columns-1-len(text)) // some bytes too few for the mark
	}
	return d.paint.Dim(text)
}

// firstColumns returns the start of a line that fits into so many columns, with a mark, or all
// of it.
func firstColumns(line string, columns int) string {
	if style.Fitting(line, columns) == len(line) {
		return line
	}
	mark := style.Mark(" …")
	return line[:style.Fitting(line, columns-utf8.RuneCountInString(mark))] + mark
}

// lastColumns returns the end of a line that fits into so many columns, with a mark, or all of
// it.
func lastColumns(line string, columns int) string {
	mark := ""
	for line != "" && style.Fitting(line, columns-utf8.RuneCountInString(mark)) < len(line) {
		_, n := utf8.DecodeRuneInString(line)
		mark, line = style.Mark("… "), strings.TrimLeft(line[n:], " ")
	}
	return mark + line
}

// clear erases the line if it is shown.
func (d *Display) clear() {
	d.status.mutex.Lock()
	defer d.status.mutex.Unlock()
	d.erase(func(erase func()) { d.held.device.Print(erase) })
}

// erase erases the line if it is shown.
func (d *Display) erase(by func(erase func())) {
	if d.status.shown {
		d.status.shown = false
		by(func() { fmt.Fprint(d.env.Stderr, "\r\x1b[K") })
	}
}

// Before returns what has to stand around each print of a stage on stderr, nil if nothing
// has to: the line is erased, and is not drawn meanwhile.
func (d *Display) Before() func(print func()) {
	if !d.status.on {
		return nil
	}
	return func(print func()) {
		d.status.mutex.Lock()
		defer d.status.mutex.Unlock()
		d.erase(func(erase func()) { erase() })
		print()
	}
}
