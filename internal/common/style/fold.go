package style

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Fold returns a line that is shown on f, if that is a terminal, in lines of its width.
func Fold(f *os.File, line string) string {
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns < 20 {
		return line
	}
	return strings.Join(Lines(line, columns), "\n")
}

// Folding returns a writer to f that folds each line, for lines that are written whole.
func Folding(f *os.File) io.Writer { return folding{f} }

type folding struct{ f *os.File }

func (f folding) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		text, end := strings.CutSuffix(line, "\n")
		text = Fold(f.f, text)
		if end {
			text += "\n"
		}
		if _, err := io.WriteString(f.f, text); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Lines returns the lines that a text without newlines takes in that many columns, parted
// between words if they are short enough. All but the first are indented, so that what a model
// has written begins no line: by what stands before the text of the first.
func Lines(text string, columns int) (lines []string) {
	hang := strings.Repeat(" ", hanging(text, columns/3))
	for mark := ""; ; mark = hang {
		n := Fitting(text, columns-len(mark))
		if i := strings.LastIndexByte(text[:n], ' '); n < len(text) && i >= n/2 {
			n = i + 1
		}
		lines = append(lines, mark+text[:n])
		if text = text[n:]; text == "" {
			return lines
		}
	}
}

// hanging returns the column at which the second column of a table's line begins, or else two
// more than its indentation, unless that is above most. It is two at least.
func hanging(line string, most int) int {
	text := strings.TrimLeft(line, " ")
	n := len(line) - len(text) + 2
	if term, rest, ok := strings.Cut(text, "  "); ok {
		n += len(rest) - len(strings.TrimLeft(rest, " "))
		n += utf8.RuneCountInString(term)
		for i := range len(term) { // a change of colours takes no room
			if term[i] == '\x1b' {
				n -= strings.IndexByte(term[i:], 'm') + 1
			}
		}
	}
	if n > most {
		return 2
	}
	return n
}

// Fitting returns how many bytes of a line fit into that many columns. A character that may
// be two columns wide counts as two; those begin at U+1100 (Unicode Standard Annex 11). A change
// of colours takes no room.
func Fitting(line string, columns int) int {
	colour := false
	for i, r := range line {
		switch {
		case r == '\x1b':
			colour = true
		case colour:
			colour = r != 'm'
		default:
			if columns--; r >= 0x1100 {
				columns--
			}
			if columns < 0 {
				return i
			}
		}
	}
	return len(line)
}
