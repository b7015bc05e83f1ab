// Package screen shows an agent's turn among what the shell prints: lines that
// only flow forward. The terminal is in raw mode, so that every newline takes a
// carriage return.
package screen

import (
	"fmt"
	"strings"
	"time"

	"ua/internal/common/style"
)

// A Screen prints on the terminal by print.
type Screen struct {
	Paint style.Style
	print func([]byte)

	open    bool   // the line that the agent prints on is not ended
	spinner bool   // the spinner stands on the line
	frame   int    // of the spinner
	thought string // the start of what the model thinks, until its first line is whole
	shown   bool   // the line of what it thinks now was printed
}

// New returns a Screen in the style.
func New(paint style.Style, print func([]byte)) *Screen {
	return &Screen{Paint: paint,
		print: print}
}

// put prints text as the terminal needs it.
func (s *Screen) put(text string) {
	s.Clear()
	if text != "" {
		s.open = !strings.HasSuffix(text, "\n")
		s.print([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
	}
}

// Text shows a piece of the answer as it comes. What could drive the terminal is
// shown as its name.
func (s *Screen) Text(piece string) {
	s.EndThought()
	s.put(style.Printable(piece))
}

// Thinking takes a piece of what the model thinks, of which one dim line is shown.
func (s *Screen) Thinking(piece string) {
	if s.shown {
		return
	}
	s.thought += piece
	if line := strings.TrimLeft(s.thought, " \n*#"); strings.Contains(line, "\n") ||
		len(line) > 200 {
		s.thought = line
		s.EndThought()
		s.shown = true
	}
}

// EndThought shows what has come of a thought that ends before its first line
// does.
func (s *Screen) EndThought() {
	first, rest, more := strings.Cut(strings.Trim(s.thought, " \n*#"), "\n")
	if first = strings.TrimRight(first, " *"); more { // a heading in asterisks
		first += "\n" + rest
	}
	line := style.FirstLine(first, 100)
	s.thought, s.shown = "", false
	if line != "" {
		s.Say("%s", s.Paint.Dim("# "+line))
	}
}

// Say prints one line.
func (s *Screen) Say(format string, a ...any) {
	s.EndLine()
	s.put(fmt.Sprintf(format, a...) + "\n")
}

// Ask prints the start of a line that the person ends.
func (s *Screen) Ask(text string) {
	s.EndLine()
	s.put(text)
}

// Echo prints what the person types behind an Ask.
func (s *Screen) Echo(text string) { s.put(text) }

// EndLine ends the line that is open, if one is.
func (s *Screen) EndLine() {
	s.Clear()
	if s.open {
		s.put("\n")
	}
}

// Spin shows, on a line of its own, that something is waited for.
func (s *Screen) Spin(what string, since time.Time) {
	if s.open && !s.spinner {
		return
	}
	frames := []rune(style.Mark("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"))
	s.frame = (s.frame + 1) % len(frames)
	s.print([]byte("\r\x1b[K" + s.Paint.Dim(fmt.Sprintf("%c %s %s", frames[s.frame], what,
		style.Seconds(time.Since(since))))))
	s.spinner = true
}

// Clear takes the spinner away.
func (s *Screen) Clear() {
	if s.spinner {
		s.spinner = false
		s.print([]byte("\r\x1b[K"))
	}
}

// Left is told that something else was printed: the line is no longer ours.
func (s *Screen) Left() { s.open = false }
