package classify

import (
	"path"
	"slices"
	"strings"
)

// editorInput is the rule for an editor whose commands come from its input.
func (a *argv) editorInput() {
	for _, u := range a.used {
		if (u.name == "-u" || u.name == "-U") && !inList(" NONE NORC DEFAULTS ", u.val.text) {
			a.p.add(runsHidden, a.name+" "+u.name,
				a.name+" runs the commands in "+show(u.val.text))
		}
	}
	for _, u := range a.used {
		if u.name != "-S" && u.name != "-l" {
			continue
		}
		switch end := path.Ext(u.val.text); {
		case a.w.hasWritten(u.val, a.sc):
			a.scriptFile(u.val)
		case (end == ".vim" || end == ".lua") && a.ownProgram(u.val):
			a.p.add(runsOwn, a.name+" "+u.name, a.name+" runs "+show(u.val.text))
		default:
			a.p.add(runsHidden, a.name+" "+u.name, a.name+" runs the commands in "+show(u.val.text))
		}
	}
	if a.p.Level >= write && slices.ContainsFunc(a.used,
		func(u use) bool { return u.value == isCode }) {
		for _, o := range a.operands { // its commands save what they have changed
			a.w.write(a.p, o, a.sc)
			a.w.overwrites(a.p, o, a.sc)
		}
	}
	if a.base == write && len(a.operands) == 0 && a.flagged("--headless", "-es", "-Es") &&
		!a.in.open {
		a.base = buildTest // it has no file to save, and its commands are judged
	}
	if a.in.open && (a.row.reader == "ed" || a.name == "ex" || a.flagged("-es", "-Es")) {
		a.stdinCode()
	} else if a.in.open && strings.Contains(a.in.text, "!") && a.row.name == "vi" {
		a.p.add(runsHidden, a.name, a.name+" may run what is typed into it")
	}
}
