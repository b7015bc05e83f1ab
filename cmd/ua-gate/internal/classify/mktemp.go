package classify

import (
	"slices"
	"strings"
)

// temporary reports whether the word is the very name that mktemp has given.
func temporary(wd word) bool {
	return wd.from&fromTemp != 0 && !wd.maybe && wd.text == "/tmp/"+hole
}

// removes is rm of what mktemp has made: nothing else is lost.
func (a *argv) removes() {
	made := false
	for _, o := range a.operands {
		made = made || a.madeHere(o)
		if !temporary(o) && (o.text != "" || !o.known()) && !a.madeHere(o) {
			return
		}
	}
	switch {
	case made:
		a.base, a.why = write, "deletes what this command has made"
	case len(a.operands) > 0:
		a.base, a.why = write, "deletes what mktemp has made"
	}
}

// madeHere reports whether the word names a file that this command has written anew,
// so that nothing else is lost with it.
func (a *argv) madeHere(file word) bool {
	if !file.plain() || file.maybe || file.glob || a.sc.maybe > 0 {
		return false
	}
	made := a.w.writtenAt(file, a.sc)
	return made != nil && made.sure
}

// inTemp reports whether a template of mktemp's makes a name in the temporary folder, where it
// stands as a path or, short, behind a flag that says so.
func inTemp(template word, short bool) bool {
	name, rooted := strings.CutPrefix(template.text, "/tmp/")
	return template.plain() && !template.glob && !strings.Contains(name, "/") &&
		(rooted && strings.Contains(name, "XXX") || short)
}

// mktemp says where the new file is, if nothing tells it otherwise.
func (a *argv) mktemp() {
	val, _ := a.value("-p", "--tmpdir")
	if !inList(" /tmp /var/tmp ", val.text) && (val.text != "" || val.from != 0) {
		return
	}
	if !slices.ContainsFunc(a.operands, func(o word) bool {
		return !inTemp(o, a.flagged("-t", "-p", "--tmpdir"))
	}) {
		a.printed, a.known = "/tmp/"+hole, true
		a.out |= fromTemp
	}
}
