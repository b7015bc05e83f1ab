package stage

import (
	"bufio"
	"io"
	"slices"
	"strings"
)

// lastWords keeps the last 500 bytes that a program writes to stderr.
type lastWords struct{ tail []byte }

// Write adds p and drops what is older. It never fails.
func (w *lastWords) Write(p []byte) (int, error) {
	w.tail = append(w.tail, p...)
	w.tail = w.tail[max(0, len(w.tail)-500):]
	return len(p), nil
}

// lastLine returns the last line that is not a hint.
func (w *lastWords) lastLine() string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(w.tail), "\uFFFD")), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, ": hint: ") })
	return strings.TrimSpace(strings.Join(lines[max(0, len(lines)-1):], ""))
}

// tell calls said for every line that r gives. A very long line comes in several pieces.
func tell(r io.Reader, said func(string)) {
	lines := bufio.NewReaderSize(r, 4<<10)
	for {
		text, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		said(string(text))
	}
}
