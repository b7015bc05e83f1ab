package classify

import "strings"

// inPlace is perl and ruby, whose operands are written with -i.
func (a *argv) inPlace() {
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
			if dir := strings.Trim(piece, "()qw "); a.w.foreignPlace(dir, a.sc) {
				a.p.add(runsHidden, a.name+" -Mlib", a.name+" runs code from "+show(dir))
			}
		}
	}
	if !a.flagged("-i") {
		return
	}
	for _, o := range a.operands {
		a.writes(a.name+" -i", o)
		a.w.overwrites(a.p, o, a.sc)
	}
}
