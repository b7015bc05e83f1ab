package classify

import (
	"strings"
)

// vanishes reports whether a place is where nothing stays after a run: its /tmp is a folder of
// its own, as /dev/shm is.
func (w *walker) vanishes(target word, sc *scope) bool {
	at := w.at(target.text, sc)
	if w.inWorkspace(at) {
		return false
	}
	return at.within("/tmp") || at.within("/dev/shm") || at.within("/var/tmp")
}

// movesAway is the rule for a file or folder of the project that is moved where it is gone
// after the run, with no word of it. What the command has made itself and noted more than so many
// times is not.
func (a *argv) movesAway(from, to word, noted int) {
	a.takesWhole(from, to)
	at := a.w.at(from.text, a.sc)
	if a.w.o.Cwd != "" && at.abs == a.w.folder(a.w.o.Cwd).abs+"/.git" {
		a.p.hold("path:history", a.name+" takes the history away, "+show(from.text))
	}
	for _, file := range a.w.written {
		if file == at.abs {
			noted--
		}
	}
	if strings.Contains(from.text, hole) || !a.w.vanishes(to, a.sc) || !a.w.inWorkspace(at) ||
		noted < 0 {
		return
	}
	a.p.hold("path:vanishes", a.name+" moves "+show(from.text)+" to "+show(to.text)+
		", which goes with the run: keep it in the workspace")
}
