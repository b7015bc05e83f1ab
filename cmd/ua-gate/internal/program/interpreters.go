package program

import (
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// runsModule runs a module, by its row "python -m NAME" or as the program of that name, which a
// file of the project may be as well.
func (a *argv) runsModule(rest []shell.Word) {
	name := shell.First(rest, "")
	label := "python -m " + name.Text
	r := a.s.Row(label)
	least := verdict.ReadOnly
	if r == nil {
		label, least = strings.ReplaceAll(name.Text, "_", "-"), verdict.BuildTest
		r = a.s.Row(label)
	}
	if a.shadowed() {
		a.p.Add(judgement.RunsUnread, a.name+" -m",
			"the module "+match.Show(name.Text)+" loads what this command has just written")
	}
	if r == nil {
		a.p.Add(judgement.RunsUnread, a.name+" -m", "the module "+match.Show(
			name.Text)+" is not in the table")
		return
	}
	a.module = &argv{s: a.s, p: a.p, sc: a.sc, in: a.in, row: r, name: label,
		base: r.Level, words: rest[1:]}
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
	case len(a.operands) > 0 && len(a.slots) > 0 && a.slots[0].What != table.IsProgram:
		a.scriptFile(a.operands[0])
	}
	for i, o := range a.operands[:max(0, len(a.operands)-1)] { // manage.py shell -c CODE
		if code := a.operands[i+1]; match.InList(" -c --command ", o.Text) &&
			strings.Contains(code.Text, "(") {
			a.code(a.name+" FILE "+o.Text, code)
		}
	}
}

// perlFlags is what -F, -c and -M of perl and ruby run.
func (a *argv) perlFlags() {
	// Between quotes or slashes the pattern is a part of the program, and so what is behind them.
	if split, ok := a.value("-F"); ok && split.Text != "" && (strings.Contains(split.Text, "(?") ||
		strings.IndexByte("/'\"", split.Text[0]) >= 0) {
		a.code(a.name+" -F", split.With("split("+split.Text+")"))
	}
	if a.flagged("-c") && len(a.operands) > 0 {
		a.plug(a.name+" -c", a.operands[0]) // its BEGIN blocks run
	}
	for _, u := range a.used {
		if u.Name != "-M" && u.Name != "-m" || !strings.Contains(u.val.Text, "lib") {
			continue
		}
		for piece := range strings.FieldsFuncSeq(u.val.Text, partsPlaces) {
			if dir := strings.Trim(piece, "()qw "); a.s.Foreign(dir, a.sc) {
				a.p.AddHidden(a.name+" -Mlib", a.name+" runs code from "+match.Show(dir))
			}
		}
	}
}
