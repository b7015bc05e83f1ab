package stage

import (
	"slices"
	"strings"
)

// lastWords keeps the end of what a program says on stderr.
type lastWords struct{ tail []byte }

// Write takes more of it.
func (w *lastWords) Write(p []byte) (int, error) {
	w.tail = append(w.tail, p...)
	w.tail = w.tail[max(0, len(w.tail)-500):]
	return len(p), nil
}

// lastLine returns the last line of it that is no hint.
func (w *lastWords) lastLine() string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(w.tail), "\uFFFD")), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, ": hint: ") })
	return strings.TrimSpace(strings.Join(lines[max(0, len(lines)-1):], ""))
}
