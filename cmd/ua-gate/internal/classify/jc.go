package classify

import "strings"

// jc runs the command behind its own flags, to read what that prints.
func (a *argv) jc() {
	for i, wd := range a.words {
		if !strings.HasPrefix(wd.text, "-") {
			a.rest = a.words[i:]
			return
		}
	}
}
