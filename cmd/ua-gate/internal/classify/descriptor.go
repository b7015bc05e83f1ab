package classify

import (
	"path"
	"strings"
)

// ownDescriptor reports whether the file is one by which a program opens its own descriptors
// again, whatever way leads there: /dev/stdin, /dev/fd/3, /proc/self/fd/0 (proc(5)).
func (a *argv) ownDescriptor(text string) bool {
	text = a.full(text)
	if strings.HasPrefix(text, "/dev/") {
		return true
	}
	process, ok := strings.CutPrefix(text, "/proc/")
	return ok && strings.Contains(process, "/fd/")
}

// stdinFile reports whether the operand stands for standard input: -, or a path to
// descriptor 0.
func (a *argv) stdinFile(text string) bool {
	if text == "-" {
		return true
	}
	text = a.full(text)
	return text == "/dev/stdin" || a.ownDescriptor(text) && path.Base(text) == "0"
}

// full returns a path as seen from the root, if the folder is known.
func (a *argv) full(text string) string {
	if !strings.HasPrefix(text, "/") && a.sc.cwd != "" {
		text = a.sc.cwd + "/" + text
	}
	return path.Clean(text)
}
