package classify

import "strings"

// tmux starts with each word that ends in a semicolon another command, which is not read.
func (a *argv) tmux() {
	for _, wd := range a.words {
		if strings.HasSuffix(wd.text, ";") {
			a.p.add(runsHidden, "tmux ;", "tmux runs several commands")
			a.p.Unread = true
		}
	}
}
