package classify

import "slices"

// gdb without -batch takes further commands from a person, and with --args or a
// process it runs one.
func (a *argv) gdb() {
	if !a.flagged("-batch", "--batch", "-b") || a.flagged("-p", "--pid", "-pid", "-x", "-command") {
		a.p.add(runsHidden, "gdb", "gdb runs a program, and what it is told")
		return
	}
	i := slices.IndexFunc(a.words, func(wd word) bool { return wd.text == "--args" })
	if i >= 0 && i+1 < len(a.words) {
		a.w.run(a.words[i+1:], a.in, a.sc.sub(), &a.p.Parts)
	}
}
