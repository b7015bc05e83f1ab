// Package screen shows an agent's turn among the shell's output, in lines that only flow
// forward. The terminal is in raw mode, so every newline needs a carriage return.
package screen

import (
	"fmt"
	"strings"
	"time"

	"ua/internal/common/style"
)

// A Screen prints on the terminal by its function print.
type Screen struct {
	Paint style.Style
	print func([]byte)

	open    bool   // the line that the agent prints on is not ended
	spinner bool   // the spinner stands on the line
	frame   int    // of the spinner
	thought string // the start of what the model thinks, until its first line is whole
	shown   bool   // the line of what it thinks now was printed
}

// New returns a Screen with the style that prints by print.
func New(paint style.Style, print func([]byte)) *Screen {
	return &Screen{Paint: paint,
		print: print}
}

// put prints text, with carriage returns, after the spinner is gone.
func (s *Screen) put(text string) {
	s.Clear()
	if text != "" {
		s.open = !strings.HasSuffix(text, "\n")
		s.print([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
	}
}

// Text shows a piece of the answer as it comes. What could drive the terminal is shown as
// its name.
func (s *Screen) Text(piece string) {
	s.EndThought()
	s.put(style.Printable(piece))
}

// Thinking takes a piece of the model's thoughts, of which one dim line is shown.
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

// EndThought shows a thought that has ended before its first line was whole.
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

// Ask prints the start of a line that the person completes.
func (s *Screen) Ask(text string) {
	s.EndLine()
	s.put(text)
}

// Echo prints what the person types after an Ask.
func (s *Screen) Echo(text string) { s.put(text) }

// EndLine ends the line that is open, if one is.
func (s *Screen) EndLine() {
	s.Clear()
	if s.open {
		s.put("\n")
	}
}

// Spin shows on a line of its own that something is waited for. It does nothing on an
// open line.
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

// Clear removes the spinner.
func (s *Screen) Clear() {
	if s.spinner {
		s.spinner = false
		s.print([]byte("\r\x1b[K"))
	}
}

// Left is called when something else was printed, after which no open line is ours.
func (s *Screen) Left() { s.open = false }
