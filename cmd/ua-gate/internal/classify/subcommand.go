package classify

import (
	"strings"

	"ua/internal/common/verdict"
)

// choose follows a sub-command, word i. It reports false where the word is an operand.
func (a *argv) choose(wd word, i int) bool {
	name := a.name + " " + wd.text
	// Of programs that take operands among their sub-commands an unknown word is one.
	if !wd.known() && (a.row.facts&factMixed != 0 && (len(a.operands) > 0 ||
		a.name == "mill" && wd.plain() && !wd.maybe && !wd.multi) ||
		a.row.facts&factOpen != 0 && strings.ContainsAny(wd.text, "/.")) {
		return false
	}
	if !wd.known() {
		a.subbed = true
		a.p.add(runsHidden, "word:command", "which command of "+a.name+" is not known")
		return true
	}
	r := a.w.row(name)
	// The command may call the program by another name than its row has.
	if r == nil && a.row.name != a.name {
		r = a.w.row(a.row.name + " " + wd.text)
	}
	// Some run NAME-SUB for a sub-command that they lack, as git does.
	if _, listed := a.row.sub(wd.text); r == nil && !listed {
		r = a.w.row(a.name + "-" + wd.text)
	}
	if r != nil {
		a.up = append(a.up, a.row)
		a.row, a.name, a.slots = r, a.name+" "+wd.text, r.slots
		a.base = max(r.level, a.floor())
		a.subbed = r.facts&factSubs == 0 && len(r.subs) == 0
		return true
	}
	// A sub-command of which there is only its level to say has no row of its own.
	if level, ok := a.row.sub(wd.text); ok {
		a.up = append(a.up, a.row)
		a.row = &row{name: name, level: level, alone: noLevel,
			facts: a.row.facts&(factSingle|factLoose|factSecrets) | factListed, flags: a.row.flags}
		if level == buildTest { // it takes a program or a project, whose place counts
			a.row.slots = []slot{{what: isPlug, level: noLevel, star: true}}
			a.row.facts &^= factLoose
		}
		a.name, a.slots, a.base, a.subbed = a.name+" "+wd.text, a.row.slots, max(level, a.floor()), true
		return true
	}
	switch {
	case a.row.facts&factMixed != 0:
		return false
	case a.row.facts&factOpen != 0:
		a.subbed = true
		return false
	case a.ownFile(wd):
		return true
	case a.row.facts&factBins != 0 && a.bin(wd, i):
		a.subbed = true
		return true
	}
	a.subbed = true
	a.odd = wd.text
	return true
}

// floor returns what the program's place on disk makes its least level.
func (a *argv) floor() verdict.Level {
	if a.base == buildTest && len(a.up) <= 1 && a.p.Words[0].Text != a.p.Name {
		return buildTest
	}
	return readOnly
}
