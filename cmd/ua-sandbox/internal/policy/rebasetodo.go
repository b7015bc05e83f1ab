package policy

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ua/internal/common/regular"
)

// rebaseTodo is where git keeps what an interrupted rebase still has to do (git-rebase(1)).
// It runs the commands of its exec lines when the user goes on with it.
const rebaseTodo = "rebase-merge/git-rebase-todo"

// execsIn returns the exec lines in a rebase of the git folder dir, and the other lines. A file
// that can't be read counts as such a line.
func execsIn(dir string) (execs []string, rest []byte) {
	text, err := regular.Read(filepath.Join(dir, rebaseTodo), maxText)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil, nil
	case err != nil:
		return []string{"can't be read"}, nil
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) > 0 && (words[0] == "exec" || words[0] == "x") {
			execs = append(execs, strings.Join(words, " "))
		} else {
			rest = append(rest, line...)
		}
	}
	return execs, rest
}

// rebase looks for exec lines that a rebase did not have when the command began. A rebase of
// the command's own needs them, so that they leave at the end.
func (h *hunt) rebase(dir string, had []string) {
	execs, rest := execsIn(dir)
	for _, line := range execs {
		if !slices.Contains(had, line) {
			h.found = append(h.found, Plant{Path: filepath.Join(dir, rebaseTodo), Why: line,
				Rest: append(rest, "noop\n"...), Last: true})
			return
		}
	}
}
