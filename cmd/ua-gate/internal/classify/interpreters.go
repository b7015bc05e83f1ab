package classify

import (
	"path"
	"slices"
	"strings"
)

// runsModule runs a module, by its row "python -m NAME" or as the program of that name, which a
// file of the project may be as well.
func (a *argv) runsModule(rest []word) {
	name := first(rest, "")
	label := "python -m " + name.text
	r := a.w.row(label)
	least := readOnly
	if r == nil {
		label, least = strings.ReplaceAll(name.text, "_", "-"), buildTest
		r = a.w.row(label)
	}
	if a.shadowed() {
		a.p.add(runsUnread, a.name+" -m",
			"the module "+show(name.text)+" loads what this command has just written")
	}
	if r == nil {
		a.p.add(runsUnread, a.name+" -m", "the module "+show(name.text)+" is not in the table")
		return
	}
	a.module = &argv{w: a.w, p: a.p, sc: a.sc, in: a.in, row: r, name: label,
		base: r.level, words: rest[1:]}
	a.least = least
}

// pythonRun is what runs a file of Python, which a slot may have said already, or behind -m a
// module.
func (a *argv) pythonRun() {
	switch {
	case a.rest != nil:
		rest := a.rest
		a.rest = nil
		a.runsModule(rest)
	case len(a.operands) > 0 && len(a.slots) > 0 && a.slots[0].what != isProgram:
		a.scriptFile(a.operands[0])
	}
	for i, o := range a.operands[:max(0, len(a.operands)-1)] { // manage.py shell -c CODE
		if code := a.operands[i+1]; inList(" -c --command ", o.text) &&
			strings.Contains(code.text, "(") {
			a.code(a.name+" FILE "+o.text, code)
		}
	}
}

// shadowed reports whether the command has written a module, which Python may find before its own.
func (a *argv) shadowed() bool {
	return slices.ContainsFunc(a.w.written, func(f written) bool {
		return path.Ext(f.file) == ".py"
	})
}

// perlFlags is what -F, -c and -M of perl and ruby run.
func (a *argv) perlFlags() {
	// Between quotes or slashes the pattern is a part of the program, and so what is behind them.
	if split, ok := a.value("-F"); ok && split.text != "" && (strings.Contains(split.text, "(?") ||
		strings.IndexByte("/'\"", split.text[0]) >= 0) {
		a.code(a.name+" -F", split.with("split("+split.text+")"))
	}
	if a.flagged("-c") && len(a.operands) > 0 {
		a.plug(a.name+" -c", a.operands[0]) // its BEGIN blocks run
	}
	for _, u := range a.used {
		if u.name != "-M" && u.name != "-m" || !strings.Contains(u.val.text, "lib") {
			continue
		}
		for piece := range strings.FieldsFuncSeq(u.val.text, partsPlaces) {
			if dir := strings.Trim(piece, "()qw "); a.w.foreign(dir, a.sc) {
				a.p.add(runsHidden, a.name+" -Mlib", a.name+" runs code from "+show(dir))
			}
		}
	}
}
