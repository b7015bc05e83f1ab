package display

import (
	"fmt"
	"strings"

	"ua/internal/common/descriptor"
	"ua/internal/common/event"
	"ua/internal/common/style"
)

// write writes to stdout. After the first error it writes no more and returns nil, so
// that a closed stdout is reported once.
func (d *Display) write(b []byte) error {
	if d.closed || len(b) == 0 {
		return nil
	}
	to := d.env.Out()
	if d.live {
		to = descriptor.Writer(d.env.Stdout) // all that comes is printable, and has colours
	}
	d.print(d.env.Stdout, to, string(b))
	d.closed = d.held.err != nil
	return d.held.err
}

// delta streams text to the terminal. Control characters could drive the terminal, so
// they are shown in caret notation.
func (d *Display) delta(line []byte) error {
	if !d.live || event.Str(line, "kind") != "text" {
		return nil
	}
	text := event.Str(line, "text")
	if text == "" {
		return nil
	}
	d.streamed = true
	d.open = !strings.HasSuffix(text, "\n")
	return d.write([]byte(d.answer.Write(style.Printable(text))))
}

// endLine ends the line of streamed text, if one is open.
func (d *Display) endLine() {
	if d.open {
		d.open = false
		d.write([]byte(d.answer.End() + "\n"))
	}
}

// Answer prints the final text, unless it has been streamed to the terminal already.
func (d *Display) Answer(line []byte) error {
	if d.o.JSON || d.streamed {
		return nil
	}
	text, _ := event.ResponseText(line)
	if text == "" {
		if !event.Calls(line) { // a limit has ended one that calls
			d.env.Warnf("the model ended without an answer")
		}
		return nil
	}
	if d.live {
		text = d.answer.Write(style.Printable(text)) + d.answer.End()
	}
	text = strings.TrimSuffix(text, "\n") + "\n"
	if d.o.ToFile {
		d.Saved = []byte(text)
		return nil
	}
	return d.write([]byte(text))
}

// Say prints one line of progress on stderr, unless the run is quiet or prints JSON.
func (d *Display) Say(format string, a ...any) {
	if !d.o.Quiet && !d.o.JSON {
		d.clear()
		d.endLine()
		d.print(d.env.Stderr, d.env.Stderr, style.Fold(d.env.Stderr, fmt.Sprintf(format, a...))+"\n")
	}
}

// Warn prints a line of progress that needs a person's attention.
func (d *Display) Warn(text string) { d.Say("%s %s", d.paint.Yellow(style.Mark("⚠")), text) }
