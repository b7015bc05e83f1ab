package classify

import (
	"slices"
	"strings"
)

// stdinNames is a program that reads the names of its files from its input.
func (a *argv) stdinNames() {
	if a.in.bits&fromNames != 0 {
		a.p.raise(destructive, "path:secret",
			a.name+" reads secrets by the names that another command gives")
	}
	a.readsNames(a.in.text)
}

// readsNames is the rule for the files that a text names, one in each line.
func (a *argv) readsNames(text string) {
	for line := range strings.Lines(text) {
		a.reads(lit(strings.TrimSpace(line)))
	}
}

// lists reports whether the command has put names of secrets into the file.
func (w *walker) lists(file word, sc *scope) bool {
	return len(w.listing) > 0 && file.text != "" &&
		slices.Contains(w.listing, w.at(file.text, sc).abs)
}

// namesIn is the rule for the file with the names of files that a flag has a program read.
func (a *argv) namesIn(flag string, file word) {
	if flag != "-T" && !strings.HasPrefix(flag, "--files") &&
		!inList(" --include-from --file-list --from-list ", flag) {
		return
	}
	if a.w.lists(file, a.sc) {
		a.in.bits |= fromNames
	}
	if file.text == "-" || a.w.lists(file, a.sc) {
		a.stdinNames()
	} else if text, ok := a.w.textOf(file, a.sc); ok {
		a.readsNames(text)
	}
}
