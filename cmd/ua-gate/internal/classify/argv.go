package classify

import (
	"slices"
	"strings"

	"ua/internal/common/verdict"
)

// An argv is one simple command while it is judged: the row that its words
// have led to, and what they said so far.
type argv struct {
	w    *walker
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
	rest     []word // a command inside, if there is one
	subbed   bool   // a sub-command was found
	ended    bool   // no more flags
	dashed   int    // how many operands stand before --; -1 without it
	fixed    bool   // a flag has set the base level

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
	a.dashed = -1
	a.slots = a.row.slots
	if a.help() {
		return
	}
	if whole := wholeReader(a.row.reader); whole != nil {
		whole(a)
		a.settle()
		return
	}
	a.parse()
	var code word
	var label string
	for _, u := range a.used {
		if u.base && !a.fixed {
			a.base, a.fixed = u.level, true
		} else if u.level > readOnly {
			a.p.raise(u.level, a.name+" "+u.name, a.name+" "+u.name+" "+does(u.level))
		}
		if u.value == isCode {
			code.text += u.val.text + "\n"
			code.from |= u.val.from
			label = a.name + " " + u.name
			continue
		}
		a.effect(u.value, u.val, u.name)
	}
	if code.text != "" {
		code.text = strings.TrimSuffix(code.text, "\n")
		a.code(label, code)
	}
	for i, o := range a.operands {
		s := a.row.slot(a.slots, i, len(a.operands))
		if s.what == isWrite && a.fixed && a.base == readOnly {
			s.what = isRead
		}
		if s.level > readOnly {
			a.p.raise(s.level, a.name, a.name+" "+show(o.text)+" "+does(s.level))
		}
		a.effect(s.what, o, "")
	}
	if len(a.operands) == 0 && a.rest == nil && a.row.alone != noLevel && !a.fixed {
		a.base = a.row.alone
	}
	for _, r := range append(a.up, a.row) {
		if after := afterReader(r.reader); after != nil {
			after(a)
		}
	}
	if a.fixed && a.base == readOnly {
		a.rest = nil
	}
	a.input()
	if a.rest != nil {
		a.inner(a.rest)
	}
	a.settle()
}

// settle gives the part its row's level, if nothing else gave it a higher one.
func (a *argv) settle() {
	a.p.Name = a.name
	why := a.why
	if why == "" && a.row.why != "" && a.base == a.row.level {
		why = a.row.why
	}
	if why == "" {
		why = does(a.base)
	}
	a.p.raise(a.base, a.name, a.name+" "+why)
	if a.row.facts&factDecode != 0 {
		a.out |= fromDecode
	}
	if a.row.facts&factText != 0 {
		a.out |= fromText
	}
	if a.row.facts&factSecret != 0 && len(a.operands) == 0 && a.rest == nil {
		a.out |= fromSecret
	}
}

// does is what a level means, after a program's name.
func does(l verdict.Level) string {
	switch l {
	case readOnly:
		return "only reads"
	case buildTest:
		return "builds or tests"
	case write:
		return "writes files"
	case destructive:
		return "may lose what can't be made again, or run what can't be seen"
	case network:
		return "talks to other machines"
	case privileged:
		return "needs or changes rights"
	}
	return "never runs"
}

// help is the rule for a command that only asks what a program can do.
func (a *argv) help() bool {
	n := len(a.words)
	if n == 0 || n > 4 || !versionFlag(a.words[n-1].text) && !(n == 1 && a.words[0].text == "-V") {
		return false
	}
	for _, wd := range a.words[:n-1] {
		if strings.Trim(wd.text, "abcdefghijklmnopqrstuvwxyz-") != "" || strings.HasPrefix(wd.text, "-") || !wd.known() {
			return false
		}
	}
	if n > 1 && a.row.facts&factSubs == 0 && len(a.row.subs) == 0 {
		return false
	}
	if a.w.o.Overlay.find(a.name) != nil {
		return false
	}
	if a.words[n-1].text == "-V" && !a.has("-V") && a.row.level > buildTest {
		return false
	}
	a.p.raise(readOnly, a.name+" "+a.words[n-1].text, "prints a version or help")
	return true
}

// has says whether the row knows the flag.
func (a *argv) has(name string) bool { f, _ := a.lookup(name); return f != nil }

// parse is the one reader of flags: clusters, glued values, =, --, flags after
// operands, and long flags cut short.
func (a *argv) parse() {
	for i := 0; i < len(a.words); i++ {
		wd := a.words[i]
		switch t := wd.text; {
		case a.made(wd):
			a.p.raise(destructive, "word:made", "an argument of "+a.name+" that a command makes")
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

// made says whether the word may be any flags: it holds what a command wrote
// out of its arguments.
func (a *argv) made(wd word) bool {
	return wd.multi && wd.subst && wd.from&(fromText|fromDecode|fromNet) != 0 && strings.HasPrefix(wd.text, hole) && a.row.runs()
}

// runs says whether a flag of the row starts a program or loses something.
func (r *row) runs() bool {
	for i := range r.flags {
		if f := &r.flags[i]; f.value >= isExec && f.value <= isArgv || f.level >= destructive {
			return true
		}
	}
	return false
}

func (a *argv) dash(t string) bool {
	if strings.HasPrefix(t, "+") && len(t) > 1 {
		for i := range a.row.flags {
			if a.row.flags[i].name[0] == '+' {
				return true
			}
		}
	}
	return strings.HasPrefix(t, "-")
}

// operand takes a word that is no flag. It reports true when the rest of the
// words is a command.
func (a *argv) operand(wd word, i int) bool {
	if !a.subbed && (a.row.facts&factSubs != 0 || len(a.row.subs) > 0) {
		if a.choose(wd) || len(a.operands) == 0 && a.row.facts&factMixed == 0 {
			return false
		}
	}
	if what := a.coming(); what == isArgv || what == isPair && !strings.Contains(wd.text, "=") {
		a.rest = a.words[i:]
		return true
	}
	a.operands = append(a.operands, wd)
	if a.row.facts&factFirst != 0 {
		a.ended = true
	}
	return false
}

// coming is what the next operand will be, as far as that hangs on those
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

// choose follows a sub-command.
func (a *argv) choose(wd word) bool {
	name := a.name + " " + wd.text
	if !wd.known() {
		a.subbed = true
		a.p.raise(destructive, "word:command", "which command of "+a.name+" is not known")
		return true
	}
	r := a.w.row(name)
	if r == nil && a.row.name != a.name {
		r = a.w.row(a.row.name + " " + wd.text)
	}
	if r != nil {
		a.up = append(a.up, a.row)
		a.row, a.name, a.slots = r, a.name+" "+wd.text, r.slots
		a.base = max(r.level, a.floor())
		a.subbed = r.facts&factSubs == 0 && len(r.subs) == 0
		return true
	}
	if level, ok := a.row.sub(wd.text); ok {
		a.up = append(a.up, a.row)
		a.row = &row{name: name, level: level, alone: noLevel, facts: a.row.facts&(factSingle|factLoose) | factListed, flags: a.row.flags}
		a.name, a.slots, a.base, a.subbed = a.name+" "+wd.text, nil, max(level, a.floor()), true
		return true
	}
	if a.row.facts&factMixed != 0 {
		return false
	}
	a.subbed = true
	a.p.raise(max(destructive, a.row.level), a.name, a.name+" "+show(wd.text)+" is not in the table")
	return true
}

// floor is what the program's place on disk makes its least level.
func (a *argv) floor() verdict.Level {
	if a.base == buildTest && len(a.up) <= 1 && a.p.Words[0].Text != a.p.Name {
		return buildTest
	}
	return readOnly
}

// flag takes a flag, and reports how many of the next words are its value.
func (a *argv) flag(wd word, next []word) int {
	t := wd.text
	if t[0] == '+' {
		if f := a.plus(t); f != nil {
			return a.take(f, wd.cut(len(f.name)), true, nil)
		}
		return 0
	}
	if strings.HasPrefix(t, "--") || a.row.facts&factSingle != 0 && len(t) > 2 {
		return a.long(wd, next)
	}
	if f, _ := a.lookup(t); f != nil && len(t) > 2 {
		return a.take(f, word{}, false, next)
	}
	if strings.Trim(t[1:], "0123456789") == "" {
		return 0
	}
	sure := true
	for k := 1; k < len(t); k++ {
		f, _ := a.lookup("-" + t[k:k+1])
		if f != nil && f.base && !sure {
			continue
		}
		if f == nil {
			sure = false
			if !a.unknown(wd, k) {
				return 0
			}
			continue
		}
		if f.value == isNothing {
			a.take(f, word{}, false, nil)
			continue
		}
		if f.value == isDigits {
			for k+1 < len(t) && t[k+1] >= '0' && t[k+1] <= '9' {
				k++
			}
			continue
		}
		if k+1 < len(t) {
			return a.take(f, wd.cut(k+1), true, next)
		}
		return a.take(f, word{}, false, next)
	}
	return 0
}

// plus is the flag that a word with a plus is: the longest that it begins with.
func (a *argv) plus(t string) (f *flag) {
	for i := range a.row.flags {
		have := &a.row.flags[i]
		if have.name[0] == '+' && strings.HasPrefix(t, have.name) && (f == nil || len(have.name) > len(f.name)) {
			f = have
		}
	}
	return f
}

func (a *argv) long(wd word, next []word) int {
	name, _, eq := strings.Cut(wd.text, "=")
	f, sure := a.lookup(name)
	if f != nil && !sure && f.base {
		f = nil
	}
	if f == nil && a.row.facts&factGlued != 0 {
		if f, _ = a.lookup(name[:2]); f != nil && f.value != isNothing {
			return a.take(f, wd.cut(2), true, nil)
		}
		f = nil
	}
	if f == nil {
		a.unknown(wd, len(name)-1)
		return 0
	}
	if eq {
		return a.take(f, wd.cut(len(name)+1), true, next)
	}
	if !sure && f.value != isNothing && len(next) > 0 && a.dash(next[0].text) {
		next = nil
	}
	return a.take(f, word{}, false, next)
}

// lookup finds a flag among those of the row and of the rows above it. One that
// is cut short is the strictest that it may be; sure is false then.
func (a *argv) lookup(name string) (f *flag, sure bool) {
	for i := -1; i < len(a.up); i++ {
		r := a.row
		if i >= 0 {
			if r = a.up[len(a.up)-1-i]; r.facts&factPersist == 0 {
				continue
			}
		}
		for k := range r.flags {
			have := r.flags[k].name
			if r.flags[k].base && (i >= 0 || r.facts&factListed != 0) {
				continue
			}
			if have == name || r.facts&factSingle != 0 && strings.TrimPrefix(name, "-") == have {
				return &r.flags[k], true
			}
			if f == nil && len(name) > 2 && strings.HasPrefix(name, "--") && strings.HasPrefix(have, name) ||
				f != nil && strings.HasPrefix(have, name) && strings.HasPrefix(name, "--") && stricter(&r.flags[k], f) {
				f = &r.flags[k]
			}
		}
	}
	return f, false
}

func stricter(a, b *flag) bool {
	runs := func(f *flag) bool { return f.value >= isExec && f.value <= isArgv || f.value == isWrite }
	return a.level > b.level && !a.base || runs(a) && !runs(b)
}

// take notes a flag with its value, and reports how many words it took.
func (a *argv) take(f *flag, val word, glued bool, next []word) int {
	n := 0
	if glued && f.value == isArgv {
		a.rest = append([]word{val}, next...)
		return len(next)
	}
	if !glued && f.value != isNothing && f.value != isGlued && len(next) > 0 {
		if f.value == isArgv {
			a.rest = next
			return len(next)
		}
		val, n = next[0], 1
	}
	switch f.drop {
	case 1:
		if len(a.slots) > 0 {
			a.slots = a.slots[1:]
		}
	case 2:
		if len(a.slots) > 0 {
			a.slots = a.slots[:len(a.slots)-1]
		}
	}
	if f.value == isDir && val.text != "" {
		a.sc = a.sc.sub()
		a.sc.cd(val)
	}
	a.used = append(a.used, use{f, val})
	return n
}

// unknown is the rule for a flag that the row does not know; k is where in the
// word it stands. It reports whether more of a cluster may follow.
func (a *argv) unknown(wd word, k int) bool {
	if a.row.facts&factSharp != 0 || slices.ContainsFunc(a.row.slots, func(s slot) bool { return s.what == isArgv }) {
		a.p.raise(destructive, a.name+" "+show(wd.text), "the flag "+show(wd.text)+" of "+a.name+" is not in the table")
		return false
	}
	if i := strings.IndexAny(wd.text, "=/~"); i > 0 && a.row.facts&factLoose == 0 {
		if wd.text[i] == '=' {
			i++
		}
		a.touch(wd.cut(i))
	}
	c := wd.text[k]
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// touch is the rule for a word of which nobody knows what the program does
// with it.
func (a *argv) touch(wd word) {
	if a.w.read(a.p, wd, a.sc) {
		a.out |= fromSecret
	}
	if a.base > readOnly {
		a.w.write(a.p, wd, a.sc)
	}
}
