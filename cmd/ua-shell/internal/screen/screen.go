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
	Paint  style.Style
	Size   func() (columns, rows int) // of the terminal
	print  func([]byte)
	answer *style.Markdown
	prompt string // the line that Ask left open

	open    bool   // the line that the agent prints on is not ended
	spinner bool   // the spinner stands on the line
	frame   int    // of the spinner
	thought string // the start of what the model thinks, until its first line is whole
	shown   bool   // the line of what it thinks now was printed
}

// New returns a Screen with the style and the size, which prints by print.
func New(paint style.Style, size func() (columns, rows int), print func([]byte)) *Screen {
	return &Screen{Paint: paint, Size: size, print: print, answer: style.NewMarkdown(paint)}
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
	s.put(s.answer.Write(style.Printable(piece)))
}

// EndAnswer ends what Text and Thinking have shown.
func (s *Screen) EndAnswer() {
	s.EndThought()
	s.EndLine()
	s.answer.Reset()
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

// Say prints lines, which are folded at words where the terminal is narrow.
func (s *Screen) Say(format string, a ...any) {
	s.EndLine()
	columns, _ := s.Size()
	for line := range strings.SplitSeq(fmt.Sprintf(format, a...), "\n") {
		s.put(strings.Join(style.Lines(line, max(columns, 20)), "\n") + "\n")
	}
}

// Fresh begins a line at its first column, with nothing below it, on a terminal that shows all
// that comes: a command can leave it so that it scrolls two lines alone, under a question of
// the command's own, or shows other letters or none. CAN ends a sequence that is not whole; the
// rest sets colours, letters, inserting, wrapping and margins (xterm's ctlseqs). The blanks
// wrap unless they begin at the first column.
func (s *Screen) Fresh() {
	s.EndLine()
	columns, _ := s.Size()
	s.put("\x18\x1b[0m\x1b(B\x0f\x1b[4l\x1b[?7h\x1b[?69l\x1b7\x1b[r\x1b8" +
		strings.Repeat(" ", max(columns, 1)-1) + "\r\x1b[J")
	s.open = false
}

// Ask prints the start of a line that the person completes.
func (s *Screen) Ask(text string) {
	s.EndLine()
	s.put(text)
	s.prompt = text[strings.LastIndexByte(text, '\n')+1:]
}

// Echo prints what the person types after an Ask.
func (s *Screen) Echo(text string) { s.put(text) }

// Retype prints the line of an Ask anew, with what is left of what the person has typed.
func (s *Screen) Retype(text string) { s.put("\r\x1b[K" + s.prompt + text) }

// EndLine ends the line that is open, if one is.
func (s *Screen) EndLine() {
	s.put(s.answer.End())
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
