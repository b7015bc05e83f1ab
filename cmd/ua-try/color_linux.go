package main

import (
	"bytes"
	"io"
	"os"

	"golang.org/x/term"

	"ua/internal/common/style"
)

// isTerminal reports whether the file is a terminal.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// A painter passes a diff on. Without a terminal it changes no byte. On one, lines have
// the usual colours, and nothing in a file can drive the terminal.
type painter struct {
	w     io.Writer
	style style.Style
	tty   bool
	line  []byte
}

// Write paints and writes each line that is whole.
func (p *painter) Write(text []byte) (int, error) {
	if !p.tty {
		return p.w.Write(text)
	}
	p.line = append(p.line, text...)
	for {
		end := bytes.IndexByte(p.line, '\n')
		if end < 0 {
			return len(text), nil
		}
		line := string(p.line[:end])
		p.line = p.line[end+1:]
		if _, err := io.WriteString(p.w, p.paint(line)+"\n"); err != nil {
			return 0, err
		}
	}
}

// flush writes the rest, a line without a newline.
func (p *painter) flush() error {
	if len(p.line) == 0 {
		return nil
	}
	_, err := io.WriteString(p.w, p.paint(string(p.line)))
	p.line = nil
	return err
}

// paint returns a line in the colour that its first byte stands for in a diff.
func (p *painter) paint(line string) string {
	text := style.Printable(line)
	if line == "" {
		return ""
	}
	switch line[0] {
	case '+':
		return p.style.Green(text)
	case '-':
		return p.style.Red(text)
	case '@':
		return p.style.Cyan(text)
	case 'd':
		return p.style.Bold(text)
	}
	return text
}
