package classify

import "strings"

// mv loses what it moves onto a device, and the device if it moves that.
func (a *argv) mv() {
	target, _ := a.value("-t", "--target-directory")
	for _, o := range a.operands[:max(0, len(a.operands)-1)] {
		if at := a.w.at(o.text, a.sc); a.wipes(at) || a.w.history(at) {
			a.p.hold("path:root", "mv takes away "+show(o.text))
		}
		a.w.overwrites(a.p, word{text: strings.TrimSuffix(o.text, "/"), from: o.from}, a.sc)
	}
	to, from := target, a.operands
	if target.text == "" && len(from) > 0 {
		to, from = from[len(from)-1], from[:len(from)-1]
	}
	for _, o := range from {
		a.movesAway(o, to)
	}
	for _, o := range append(a.operands, target) {
		if at := a.w.at(o.text, a.sc); strings.HasPrefix(at.abs, "/dev/") &&
			!at.within("/dev/shm") {
			a.p.add(losesFiles, "mv DEVICE", "mv loses what it moves to or from "+show(o.text))
		}
	}
}

// movesAway is the rule for a file of the project that is moved out of the workspace.
func (a *argv) movesAway(from, to word) {
	away := a.w.at(to.text, a.sc)
	ours := from.unknownName() && from.from&fromTemp == 0 ||
		from.plain() && a.w.inWorkspace(a.w.at(from.text, a.sc))
	if ours && !a.w.inWorkspace(away) && !a.madeHere(from) &&
		(away.within("/tmp") || away.within("/dev/shm") || away.within("/var/tmp")) {
		a.p.hold("path:vanishes", a.name+" moves "+show(from.text)+" to "+show(to.text)+
			", which goes with the run: keep it in the workspace")
	}
}
