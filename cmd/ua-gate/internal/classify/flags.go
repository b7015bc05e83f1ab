package classify

import (
	"path"
	"slices"
	"strings"
)

// runs reports whether a flag of the row starts a program or loses something.
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

// flag takes a flag, and reports how many of the next words are its value.
func (a *argv) flag(wd word, next []word) int {
	t := wd.text
	if t[0] == '+' {
		if f := a.plus(t); f != nil {
			return a.take(f, wd.cut(len(f.name)), true, nil)
		}
		return 0
	}
	// One word, one flag: --long, or -long of programs that know no clusters.
	if strings.HasPrefix(t, "--") || a.row.facts&factSingle != 0 && len(t) > 2 {
		return a.long(wd, next)
	}
	// A flag of several letters with one dash goes before a cluster of letters.
	if f, _ := a.lookup(t); f != nil && len(t) > 2 {
		return a.take(f, word{}, false, next)
	}
	if strings.Trim(t[1:], "0123456789") == "" {
		return 0
	}
	// A cluster of letters: the first one that takes a value has the rest of the word.
	sure := true
	for k := 1; k < len(t); k++ {
		f, _ := a.lookup("-" + t[k:k+1])
		if f != nil && f.base && !sure {
			continue
		}
		if f == nil {
			sure = false
			if !a.unknown(wd, k, next) {
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

// plus returns the flag that a word with a plus is: the longest that it begins with.
func (a *argv) plus(t string) (f *flag) {
	for i := range a.row.flags {
		have := &a.row.flags[i]
		if have.name[0] == '+' && strings.HasPrefix(t, have.name) && (f == nil ||
			len(have.name) > len(f.name)) {
			f = have
		}
	}
	return f
}

func (a *argv) long(wd word, next []word) int {
	name, _, eq := strings.Cut(wd.text, "=")
	if i := strings.IndexByte(wd.text, ':'); i > 2 && i < len(name) {
		if f, sure := a.lookup(wd.text[:i]); f != nil && sure && f.value == isCode {
			return a.take(f, wd.cut(i+1), true, next) // --eval:CODE
		}
	}
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
		a.unknown(wd, len(name)-1, next)

		return 0
	}
	if eq {
		val := wd.cut(len(name) + 1)
		if f.value == isNothing && !f.base && inList(" false no off 0 ", val.text) {
			return 0
		}
		return a.take(f, val, true, next)
	}
	// Cut short, it may be another flag, which takes no value.
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
			// A long flag may be cut short as far as it is unique; the gate does not rely
			// on that.
			if r.facts&factExact != 0 {
				continue
			}
			if f == nil && len(name) > 2 && strings.HasPrefix(name, "--") &&
				strings.HasPrefix(have, name) ||
				f != nil && strings.HasPrefix(have, name) && strings.HasPrefix(name, "--") &&
					stricter(&r.flags[k], f) {
				f = &r.flags[k]
			}
		}
	}
	return f, false
}

func stricter(a, b *flag) bool {
	runs := func(f *flag) bool {
		return f.value >= isExec && f.value <= isArgv ||
			f.value == isWrite
	}
	return a.level > b.level && !a.base || runs(a) && !runs(b)
}

// take notes a flag with its value, and reports how many words it took.
func (a *argv) take(f *flag, val word, glued bool, next []word) int {
	n := 0
	if glued && f.value == isArgv {
		a.rest, a.used = append([]word{val}, next...), append(a.used, use{f, word{}})
		return len(next)
	}
	if f.value == isPlug && len(next) > 0 && strings.HasPrefix(next[0].text, "--") {
		next = nil // cmake --build --preset NAME
	}
	if !glued && f.value != isNothing && f.value != isGlued && len(next) > 0 {
		if f.value == isArgv {
			a.rest, a.used = next, append(a.used, use{f, word{}})
			return len(next)
		}
		val, n = next[0], 1
		if f.value == isNamed && len(next) > 1 {
			val, n = next[1], 2
		}
	}
	// The flag stands for an operand: grep -e takes the place of the pattern.
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
	// What follows is seen from that folder: make -C, git -C.
	if f.value == isDir && val.text != "" {
		a.sc = a.sc.sub()
		a.sc.cd(val)
	}
	a.used = append(a.used, use{f, val})
	return n
}

// unknown is the rule for a flag that the row does not know; k is where in the
// word it stands. It reports whether more of a cluster may follow.
func (a *argv) unknown(wd word, k int, next []word) bool {
	if strings.HasPrefix(wd.text, "--no-") && !strings.Contains(wd.text, "=") ||
		inList(" --offline --quiet --silent --verbose ", wd.text) {
		return false // it only takes something away, or says more or less
	}
	a.strange++
	name, text, glued := strings.Cut(wd.text, "=")
	if !glued {
		text = first(next, "").text
	}
	if !a.commandLine(a.name+" "+show(name), text) && a.w.foreign(text, a.sc) &&
		(strings.HasPrefix(name, "--") || a.row.facts&factSingle != 0) {
		a.p.add(runsUnread, a.name+" "+show(name),
			"nobody has read what "+a.name+" does with "+show(text)+" at "+show(name))
	}
	if a.row.facts&factSharp != 0 || slices.ContainsFunc(a.row.slots,
		func(s slot) bool { return s.what == isArgv }) {
		a.p.add(runsHidden, a.name+" "+show(wd.text),
			"the flag "+show(wd.text)+" of "+a.name+" is not in the table")
		return false
	}
	if i := strings.IndexAny(wd.text, "=/~"); i > 0 &&
		(a.row.facts&factLoose == 0 || a.row.facts&factText == 0 &&
			a.row.level == readOnly &&
			a.row.reader == "") {
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
	a.reads(wd)
	if a.base > readOnly {
		a.w.write(a.p, wd, a.sc, false)
	}
}

// commandLine judges a text that the table does not account for as a command if it begins with
// a program that loses something or runs what it is given. It reports whether it does.
func (a *argv) commandLine(label, text string) bool {
	words := strings.Fields(strings.TrimLeft(text, "@ "))
	if len(words) < 2 || !slices.ContainsFunc(words[1:], func(t string) bool {
		return t[0] != '-' || t == "-c" || t == "-e"
	}) {
		return false
	}
	r := a.w.row(path.Base(words[0]))
	if r == nil || r.level <= write && r.facts&(factScript|factCode) == 0 ||
		a.row.facts&factText != 0 {
		return false
	}
	a.script(label, lit(text), stream{})
	return true
}

// defines is the rule for NAME=VALUE that a build tool gets, which may be a command.
func (a *argv) defines(label string, val word) {
	key, text, set := strings.Cut(val.text, "=")
	if key = strings.TrimRight(key, ":+?! "); set {
		a.w.setting(a.p, setting{key, val.cut(len(val.text) - len(text))}, nil)
	}
	switch {
	case substitutes(text) || strings.Contains(text, "$("):
		a.p.add(runsHidden, label, label+" "+show(key)+" runs "+show(text))
	case !a.commandLine(label, text) && strings.HasPrefix(text, "/") && a.w.foreign(text, a.sc):
		a.p.add(runsUnread, label, label+" "+show(key)+" may run what is in "+show(text))
	}
}
