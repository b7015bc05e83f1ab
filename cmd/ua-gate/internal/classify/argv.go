package classify

import (
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/internal/common/verdict"
)

// An argv is one simple command while it is judged: the row that its words
// have led to, and what they said so far.
type argv struct {
	w    *session
	p    *Part
	sc   *scope
	in   stream
	row  *row
	up   []*row // the rows of the words before a sub-command
	name string // program and sub-commands
	base verdict.Level
	why  string

	words    []word // after the program's name
	used     []use
	operands []word
	slots    []slot
	rest     []word        // a command inside, if there is one
	found    []word        // what it is given behind its own words
	subbed   bool          // a sub-command was found
	ended    bool          // no more flags
	dashed   int           // how many operands stand before --; -1 without it
	began    int           // how many files had been written before
	fixed    bool          // a flag has set the base level
	odd      string        // a sub-command that is not in the table
	strange  int           // how many flags the row does not know
	module   *argv         // of Python, which is judged in its place
	least    verdict.Level // the least level of that

	out     flow
	printed string
	known   bool
}

// A use is one flag of the command.
type use struct {
	*flag
	val word
}

// do judges the command by its row.
func (a *argv) do() {
	a.dashed, a.began = -1, len(a.w.written)
	a.slots = a.row.slots
	if a.help() {
		a.base = readOnly
		return
	}
	// Such a reader takes all words: they follow no row, as those of sh or find.
	if read, whole := readerOf(a.row.reader); whole {
		read(a)
		a.variables()
		a.settle()
		return
	}
	a.parse()
	a.mode()
	var text word // in another language
	var label string
	for _, u := range a.used {
		// The first flag that says what is done sets the level for good: tar -t, tar -x.
		if u.base && !a.fixed {
			a.base, a.fixed = u.level, true
		} else if u.level > readOnly &&
			!(u.level == write && inList(" --fmt --fix --format ", u.name) && a.onlyChecks()) {
			a.p.add(judgement.Of(u.level), a.name+" "+u.name, a.name+" "+u.name+" "+does(u.level))
		}
		if u.all {
			a.p.hold(a.name+" "+u.name, a.name+" "+u.name+" loses history that nobody gets back")
		}
		// Code in several flags, -e A -e B, is one text.
		if u.value == isCode {
			text.text += codeText(a.row.reader, u)
			text.from |= u.val.from
			label = a.name + " " + u.name
			continue
		}
		a.effect(u.value, u.val, u.name)
	}
	a.patterns()
	if text.text != "" {
		text.text = strings.TrimSuffix(text.text, "\n")
		a.code(label, text)
	}
	// A sub-command that the table lacks may do anything.
	if a.odd != "" && (!a.fixed || a.base > readOnly) {
		why := "is not in the table"
		if a.row.level > destructive {
			why = does(a.row.level)
		}
		a.p.add(judgement.Of(max(destructive, a.row.level)), a.name, a.name+" "+show(a.odd)+" "+why)
	}
	a.files()
	// Without operands many programs do something else: they print, or start a shell.
	if len(a.operands) == 0 && a.rest == nil && a.row.alone != noLevel && !a.fixed &&
		(a.strange == 0 || a.row.level < destructive) {
		a.base = a.row.alone
	}
	// The reader of git sees the words of git push, too.
	for _, r := range append(a.up, a.row) {
		if read, _ := readerOf(r.reader); read != nil {
			read(a)
		}
	}
	if b := a.module; b != nil {
		b.do()
		a.row, a.name, a.base = b.row, b.name, max(b.base, a.least)
		a.out |= b.out
	}
	if a.fixed && a.base == readOnly {
		a.rest = nil
	}
	// Each word is judged now. What follows are rules for the command as a whole.
	a.variables()
	a.input()
	a.through()
	// The other words are a command that this program starts.
	if a.rest != nil {
		a.inner(slices.Concat(a.rest, a.found))
		if a.row.reader == "inside" && printsVariables(a.p) {
			a.p.add(readsSecrets, a.name, a.name+" prints the variables of the container")
			a.out |= fromSecret
		}
	}
	a.settle()
}

// mode turns to what the row says of a flag that is given.
func (a *argv) mode() {
	for _, m := range a.row.modes {
		if !a.flagged(m.flag) {
			continue
		}
		a.row, a.slots, a.base = m.row, m.row.slots, max(a.base, m.row.level)
		for i := range a.used {
			a.used[i].flag, _ = a.lookup(a.used[i].name)
		}
		return
	}
}

// patterns judges the words that a pattern of the row matches, as ?*=* does what sysctl sets.
func (a *argv) patterns() {
	for i := range a.row.flags {
		f := &a.row.flags[i]
		if f.name[0] != '?' {
			continue
		}
		for _, wd := range a.words[:len(a.words)-len(a.rest)] {
			if !glob(f.name[1:], wd.text) {
				continue
			}
			if f.value != isNothing { // of=FILE
				i := strings.IndexByte(f.name, '*') - 1
				if i == 0 {
					i = strings.IndexByte(wd.text, '=') + 1
				}
				a.effect(f.value, wd.cut(i), wd.text[:i])
			}
			switch {
			case f.base:
				a.base, a.fixed = f.level, true
			case f.all:
				if !a.fixed {
					a.p.hold(a.name, a.name+" loses history that nobody gets back")
				}
			case f.level > readOnly:
				a.p.add(judgement.Of(f.level), a.name+" "+f.name[1:],
					a.name+" "+show(wd.text)+" "+does(f.level))
			}
		}
	}
}

// files judges the operands by the row's slots.
func (a *argv) files() {
	edits := a.edits()
	for i, o := range a.operands {
		s := a.row.slot(a.slots, i, len(a.operands))
		if a.row.facts&factCode != 0 && a.stdinFile(o.text) {
			continue // standard input, which input judges
		}
		if a.fixed && (s.what == isWrite && a.base < write ||
			s.what == isDelete && a.base == readOnly) {
			s.what = isRead
		}
		if s.what == isRead && a.row.name == "vi" && slices.ContainsFunc(a.used,
			func(u use) bool { return u.value == isCode }) {
			s.what = isWrite // its commands save what they have changed
		}
		if s.what == isProgram && a.w.projectDir(path.Dir(o.text)) {
			a.base = max(a.base, buildTest) // a tool that the project's package manager put there
			continue
		}
		if s.level > readOnly {
			a.p.add(judgement.Of(s.level), a.name, a.name+" "+show(o.text)+" "+does(s.level))
		}
		if _, val, ok := strings.Cut(o.text, "="); ok && a.row.facts&factLoose == 0 &&
			s.what != isAny && rooted(val) {
			a.w.overwrites(a.p, o.with(val), a.sc) // out=FILE
		}
		if edits && (s.what == isRead || s.what == isList) {
			a.editsInPlace(o)
		}
		a.effect(s.what, o, "")
	}
	if len(a.operands) == 2 && a.row.name == "ln" && a.flagged("-s", "--symbolic") {
		name, target := a.w.at(a.operands[1].text, a.sc), a.w.at(a.operands[0].text, a.sc)
		a.w.links = append(a.w.links, link{name.abs, target.abs})
	}
}

// edits reports whether a flag makes a program that only looks at files write them:
// the -w of gofmt, the --fix of a linter.
func (a *argv) edits() bool {
	return a.row.level <= write && (a.row.reader == "" || inList(" sed perl ruby ", a.row.reader)) &&
		slices.ContainsFunc(a.used, func(u use) bool {
			return u.level == write && (u.value == isNothing || u.value == isText ||
				u.value == isGlued) && !u.base || inList(" inplace in-place ", u.val.text)
		})
}

// settle gives the part its row's level, if nothing else gave it a higher one.
func (a *argv) settle() {
	a.p.Name = a.name
	if a.base == write && a.row.level == write && a.onlyChecks() {
		a.base = buildTest
	}
	// Told to fetch nothing it gets no network, whatever it does then.
	if a.base == network && a.row.level == network && a.row.facts&factRemote == 0 &&
		slices.ContainsFunc(a.words, func(wd word) bool {
			return inList(" --offline --offline-scan --no-network ", wd.text)
		}) {
		a.base = write
	}
	if a.module == nil {
		a.justWritten()
	}
	why := a.why
	if why == "" && a.row.why != "" && a.base == a.row.level {
		why = a.row.why
	}
	if why == "" {
		why = does(a.base)
	}
	a.takes()
	a.out |= a.filtered()
	act := judgement.Of(a.base)
	if act == judgement.LosesFiles && a.row.facts&factEnds != 0 {
		act = judgement.EndsProcesses // of the sandbox, which sees no others
	}
	a.p.add(act, a.name, a.name+" "+why)
	a.prints()
	if a.row.facts&factDecode != 0 {
		a.out |= fromDecode
	}
	if a.row.facts&factText != 0 {
		a.out |= fromText
	}
	if a.row.facts&factSecret != 0 && len(a.operands) == 0 && a.rest == nil ||
		a.row.facts&factSecrets != 0 {
		a.out |= fromSecret
	}
}

// checkFlags have a program that writes say what it would do.
const checkFlags = " --check --check-only --dry-run --dryrun --just-print --list-different " +
	"--verify-no-changes --syntax-check --validate-only --no-act -mode=check --mode=check " +
	"-mode=diff --mode=diff --verify --info --identify --show-info --print-info --validate "

// onlyChecks reports whether a flag has a program that writes say what it would do.
func (a *argv) onlyChecks() bool {
	for _, wd := range a.words {
		if wd.text == "--" {
			return false
		}
		if strings.HasPrefix(wd.text, "-") && inList(checkFlags, wd.text) {
			return true
		}
	}
	return false
}

// has reports whether the row knows the flag.
func (a *argv) has(name string) bool { f, _ := a.lookup(name); return f != nil }

// parse is the one reader of flags: clusters, glued values, =, --, flags after
// operands, and long flags cut short.
func (a *argv) parse() {
	a.unbundle()
	for i := 0; i < len(a.words); i++ {
		wd := a.words[i]
		switch t := wd.text; {
		case a.made(wd):
			a.p.add(runsHidden, "word:made", "an argument of "+a.name+" that a command makes")
			a.operand(wd, i)
		case a.ended || t == "-" || !a.dash(t):
			if a.operand(wd, i) {
				return
			}
		case t == "--":
			a.ended, a.dashed = a.row.facts&factThrough == 0, len(a.operands)
		default:
			i += a.flag(wd, a.words[i+1:])
		}
	}
}

// unbundle takes the first word apart if it is letters of flags without a dash, whose values
// follow in the same order: tar cfz FILE.
func (a *argv) unbundle() {
	if a.row.facts&factBundled == 0 || len(a.words) == 0 ||
		strings.HasPrefix(a.words[0].text, "-") {
		return
	}
	var words []word
	values := a.words[1:]
	for _, c := range a.words[0].text {
		words = append(words, lit("-"+string(c)))
		if f, _ := a.lookup("-" + string(c)); f != nil && f.value != isNothing &&
			f.value != isGlued && len(values) > 0 {
			words, values = append(words, values[0]), values[1:]
		}
	}
	a.words = append(words, values...)
}

// made reports whether the word may be any flags: it holds what a command wrote
// out of its arguments.
func (a *argv) made(wd word) bool {
	return wd.multi && wd.subst && wd.from&(fromText|fromDecode|fromNet) != 0 &&
		strings.HasPrefix(wd.text, hole) && a.row.runs()
}

// operand takes a word that is no flag. It reports true when the rest of the
// words is a command.
func (a *argv) operand(wd word, i int) bool {
	behind := a.ended && a.dashed >= 0 && a.coming() == isArgv || // after --, no sub-command
		len(a.slots) < len(a.row.slots) // a flag has taken its place
	if !behind && !a.subbed && (a.row.facts&factSubs != 0 || len(a.row.subs) > 0) {
		if a.choose(wd, i) || len(a.operands) == 0 && a.row.facts&(factMixed|factOpen) == 0 {
			return a.rest != nil
		}
	}
	what := a.coming()
	if what == isPair && wd.text == "-" {
		return false // env -, which is env -i
	}
	if what == isArgv || what == isPair && !strings.Contains(wd.text, "=") {
		a.rest = a.words[i:]
		return true
	}
	a.operands = append(a.operands, wd)
	if a.row.facts&factFirst != 0 {
		a.ended = true
	}
	return false
}

// coming returns what the next operand will be, as far as that hangs on those
// before it.
func (a *argv) coming() effect {
	n := len(a.operands)
	for i, s := range a.slots {
		if i == n || s.star {
			return s.what
		}
	}
	return isNothing
}
