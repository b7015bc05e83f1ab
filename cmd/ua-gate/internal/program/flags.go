package program

import (
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// parse is the one reader of flags: clusters, glued values, =, --, flags after
// operands, and long flags cut short.
func (a *argv) parse() {
	a.unbundle()
	for i := 0; i < len(a.words); i++ {
		wd := a.words[i]
		switch t := wd.Text; {
		case a.made(wd):
			a.p.AddHidden("word:made", "an argument of "+a.name+" that a command makes")
			a.operand(wd, i)
		case a.ended || t == "-" || !a.dash(t):
			if a.operand(wd, i) {
				return
			}
		case t == "--":
			a.ended, a.dashed = a.row.Facts&table.FactThrough == 0, len(a.operands)
		default:
			i += a.flag(wd, a.words[i+1:])
		}
	}
}

// unbundle takes the first word apart if it is letters of flags without a dash, whose values
// follow in the same order: tar cfz FILE.
func (a *argv) unbundle() {
	if a.row.Facts&table.FactBundled == 0 || len(a.words) == 0 ||
		strings.HasPrefix(a.words[0].Text, "-") {
		return
	}
	var words []shell.Word
	values := a.words[1:]
	for _, c := range a.words[0].Text {
		words = append(words, shell.Lit("-"+string(c)))
		if f, _ := a.lookup("-" + string(c)); f != nil && f.Value != table.IsNothing &&
			f.Value != table.IsGlued && len(values) > 0 {
			words, values = append(words, values[0]), values[1:]
		}
	}
	a.words = append(words, values...)
}

// operand takes a word that is no flag. It reports true when the rest of the
// words is a command.
func (a *argv) operand(wd shell.Word, i int) bool {
	behind := a.ended && a.dashed >= 0 && a.coming() == table.IsArgv || // after --, no sub-command
		len(a.slots) < len(a.row.Slots) // a flag has taken its place
	if !behind && !a.subbed && (a.row.Facts&table.FactSubs != 0 || len(a.row.Subs) > 0) {
		if a.choose(wd, i) || len(a.operands) == 0 && a.row.Facts&(table.FactMixed|table.FactOpen) == 0 {
			return a.rest != nil
		}
	}
	what := a.coming()
	if what == table.IsPair && wd.Text == "-" {
		return false // env -, which is env -i
	}
	if what == table.IsArgv || what == table.IsPair && !strings.Contains(wd.Text, "=") {
		a.rest = a.words[i:]
		return true
	}
	a.operands = append(a.operands, wd)
	if a.row.Facts&table.FactFirst != 0 {
		a.ended = true
	}
	return false
}

// choose follows a sub-command, word i. It reports false where the word is an operand.
func (a *argv) choose(wd shell.Word, i int) bool {
	name := a.name + " " + wd.Text
	// Of programs that take operands among their sub-commands an unknown word is one.
	if !wd.Known() && (a.row.Facts&table.FactMixed != 0 && (len(a.operands) > 0 ||
		a.name == "mill" && wd.Plain() && !wd.Maybe && !wd.Multi) ||
		a.row.Facts&table.FactOpen != 0 && strings.ContainsAny(wd.Text, "/.")) {
		return false
	}
	if !wd.Known() {
		a.subbed = true
		a.p.AddHidden("word:command", "which command of "+a.name+" is not known")
		return true
	}
	r := a.s.Row(name)
	// The command may call the program by another name than its row has.
	if r == nil && a.row.Name != a.name {
		r = a.s.Row(a.row.Name + " " + wd.Text)
	}
	// Some run NAME-SUB for a sub-command that they lack, as git does.
	if _, listed := a.row.Sub(wd.Text); r == nil && !listed {
		r = a.s.Row(a.name + "-" + wd.Text)
	}
	if r != nil {
		a.up = append(a.up, a.row)
		a.row, a.name, a.slots = r, a.name+" "+wd.Text, r.Slots
		a.base = max(r.Level, a.floor())
		a.subbed = r.Facts&table.FactSubs == 0 && len(r.Subs) == 0
		return true
	}
	// A sub-command of which there is only its level to say has no row of its own.
	if level, ok := a.row.Sub(wd.Text); ok {
		a.up = append(a.up, a.row)
		a.row = &table.Row{Name: name, Level: level, Alone: table.NoLevel,
			Facts: a.row.Facts&(table.FactSingle|table.FactLoose|table.FactSecrets) | table.FactListed,
			Flags: a.row.Flags}
		if level == verdict.BuildTest { // it takes a program or a project, whose place counts
			a.row.Slots = []table.Slot{{What: table.IsPlug, Level: table.NoLevel, Star: true}}
			a.row.Facts &^= table.FactLoose
		}
		a.name, a.slots, a.base, a.subbed = a.name+" "+wd.Text, a.row.Slots, max(level, a.floor()), true
		return true
	}
	switch {
	case a.row.Facts&table.FactMixed != 0:
		return false
	case a.row.Facts&table.FactOpen != 0:
		a.subbed = true
		return false
	case a.ownFile(wd):
		return true
	case a.row.Facts&table.FactBins != 0 && a.bin(wd, i):
		a.subbed = true
		return true
	}
	a.subbed = true
	a.odd = wd.Text
	return true
}

// bin is the rule for a word by which a package manager starts a script or a tool of the
// project. What the table knows is judged as that; the name of another says what it does.
func (a *argv) bin(name shell.Word, i int) bool {
	if !name.Known() || strings.ContainsAny(name.Text, "/.@") {
		return false
	}
	if r := a.s.Row(name.Text); r != nil && r.Facts&table.FactUa == 0 {
		a.base, a.rest = verdict.BuildTest, a.words[i:]
		return true
	}
	a.row, a.base = table.ProjectTool(name.Text), verdict.BuildTest
	a.slots, a.ended = a.row.Slots, true
	a.name += " " + name.Text
	return true
}

// flag takes a flag, and reports how many of the next words are its value.
func (a *argv) flag(wd shell.Word, next []shell.Word) int {
	t := wd.Text
	if t[0] == '+' {
		if f := a.plus(t); f != nil {
			return a.take(f, wd.Cut(len(f.Name)), true, nil)
		}
		return 0
	}
	// One word, one flag: --long, or -long of programs that know no clusters.
	if strings.HasPrefix(t, "--") || a.row.Facts&table.FactSingle != 0 && len(t) > 2 {
		return a.long(wd, next)
	}
	// A flag of several letters with one dash goes before a cluster of letters.
	if f, _ := a.lookup(t); f != nil && len(t) > 2 {
		return a.take(f, shell.Word{}, false, next)
	}
	if strings.Trim(t[1:], "0123456789") == "" {
		return 0
	}
	// A cluster of letters: the first one that takes a value has the rest of the word.
	sure := true
	for k := 1; k < len(t); k++ {
		f, _ := a.lookup("-" + t[k:k+1])
		if f != nil && f.Base && !sure {
			continue
		}
		if f == nil {
			sure = false
			if !a.unknown(wd, k, next) {
				return 0
			}
			continue
		}
		if f.Value == table.IsNothing {
			a.take(f, shell.Word{}, false, nil)
			continue
		}
		if f.Value == table.IsDigits {
			for k+1 < len(t) && t[k+1] >= '0' && t[k+1] <= '9' {
				k++
			}
			continue
		}
		if k+1 < len(t) {
			return a.take(f, wd.Cut(k+1), true, next)
		}
		return a.take(f, shell.Word{}, false, next)
	}
	return 0
}

// plus returns the flag that a word with a plus is: the longest that it begins with.
func (a *argv) plus(t string) (f *table.Flag) {
	for i := range a.row.Flags {
		have := &a.row.Flags[i]
		if have.Name[0] == '+' && strings.HasPrefix(t, have.Name) && (f == nil ||
			len(have.Name) > len(f.Name)) {
			f = have
		}
	}
	return f
}

func (a *argv) long(wd shell.Word, next []shell.Word) int {
	name, _, eq := strings.Cut(wd.Text, "=")
	if i := strings.IndexByte(wd.Text, ':'); i > 2 && i < len(name) {
		if f, sure := a.lookup(wd.Text[:i]); f != nil && sure && f.Value == table.IsCode {
			return a.take(f, wd.Cut(i+1), true, next) // --eval:CODE
		}
	}
	f, sure := a.lookup(name)
	if f != nil && !sure && f.Base {
		f = nil
	}
	if f == nil && a.row.Facts&table.FactGlued != 0 {
		if f, _ = a.lookup(name[:2]); f != nil && f.Value != table.IsNothing {
			return a.take(f, wd.Cut(2), true, nil)
		}
		f = nil
	}
	if f == nil {
		a.unknown(wd, len(name)-1, next)

		return 0
	}
	if eq {
		val := wd.Cut(len(name) + 1)
		if f.Value == table.IsNothing && !f.Base && match.InList(" false no off 0 ", val.Text) {
			return 0
		}
		return a.take(f, val, true, next)
	}
	// Cut short, it may be another flag, which takes no value.
	if !sure && f.Value != table.IsNothing && len(next) > 0 && a.dash(next[0].Text) {
		next = nil
	}
	return a.take(f, shell.Word{}, false, next)
}

// take notes a flag with its value, and reports how many words it took.
func (a *argv) take(f *table.Flag, val shell.Word, glued bool, next []shell.Word) int {
	n := 0
	if glued && f.Value == table.IsArgv {
		a.rest, a.used = append([]shell.Word{val}, next...), append(a.used, use{f, shell.Word{}})
		return len(next)
	}
	if f.Value == table.IsPlug && len(next) > 0 && strings.HasPrefix(next[0].Text, "--") {
		next = nil // cmake --build --preset NAME
	}
	if !glued && f.Value != table.IsNothing && f.Value != table.IsGlued && len(next) > 0 {
		if f.Value == table.IsArgv {
			a.rest, a.used = next, append(a.used, use{f, shell.Word{}})
			return len(next)
		}
		val, n = next[0], 1
		if f.Value == table.IsNamed && len(next) > 1 {
			val, n = next[1], 2
		}
	}
	// The flag stands for an operand: grep -e takes the place of the pattern.
	switch f.Drop {
	case 1:
		if len(a.slots) > 0 {
			a.slots = a.slots[1:]
		}
	case 2:
		if len(a.slots) > 0 {
			a.slots = a.slots[:len(a.slots)-1]
		}
	}
	// What follows is seen from that folder: make -C, git -C.
	if f.Value == table.IsDir && val.Text != "" {
		a.sc = a.sc.Sub()
		a.sc.Cd(val)
	}
	a.used = append(a.used, use{f, val})
	return n
}

// unknown is the rule for a flag that the row does not know; k is where in the
// word it stands. It reports whether more of a cluster may follow.
func (a *argv) unknown(wd shell.Word, k int, next []shell.Word) bool {
	if strings.HasPrefix(wd.Text, "--no-") && !strings.Contains(wd.Text, "=") ||
		match.InList(" --offline --quiet --silent --verbose ", wd.Text) {
		return false // it only takes something away, or says more or less
	}
	a.strange++
	name, text, glued := strings.Cut(wd.Text, "=")
	if !glued {
		text = shell.First(next, "").Text
	}
	if !a.commandLine(a.name+" "+match.Show(name), text) && a.s.Foreign(text, a.sc) &&
		(strings.HasPrefix(name, "--") || a.row.Facts&table.FactSingle != 0) {
		a.p.Add(judgement.RunsUnread, a.name+" "+match.Show(name),
			"nobody has read what "+a.name+" does with "+match.Show(text)+" at "+match.Show(name))
	}
	if a.row.Facts&table.FactSharp != 0 || slices.ContainsFunc(a.row.Slots,
		func(s table.Slot) bool { return s.What == table.IsArgv }) {
		a.p.AddHidden(a.name+" "+match.Show(wd.Text),
			"the flag "+match.Show(wd.Text)+" of "+a.name+" is not in the table")
		return false
	}
	if i := strings.IndexAny(wd.Text, "=/~"); i > 0 &&
		(a.row.Facts&table.FactLoose == 0 || a.row.Facts&table.FactText == 0 &&
			a.row.Level == verdict.ReadOnly &&
			a.row.Reader == "") {
		if wd.Text[i] == '=' {
			i++
		}
		a.touch(wd.Cut(i))
	}
	c := wd.Text[k]
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// mode turns to what the row says of a flag that is given.
func (a *argv) mode() {
	for _, m := range a.row.Modes {
		if !a.flagged(m.Flag) {
			continue
		}
		a.row, a.slots, a.base = m.Row, m.Row.Slots, max(a.base, m.Row.Level)
		for i := range a.used {
			a.used[i].Flag, _ = a.lookup(a.used[i].Name)
		}
		return
	}
}
