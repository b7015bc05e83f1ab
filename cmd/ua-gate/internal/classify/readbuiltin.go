package classify

import (
	"slices"
	"strings"
)

// sets is read, mapfile, getopts and their like: the variables that their operands name
// get what comes in.
func (a *argv) sets() {
	if array, ok := a.value("-a"); ok {
		a.operands = append(a.operands, array)
	}
	if _, ok := a.value("-C"); ok { // with each line that it reads
		a.p.add(runsHidden, a.name+" -C", a.name+" runs a command")
		a.p.Unread = true
	}
	if a.name == "getopts" && len(a.operands) > 0 {
		a.operands = a.operands[1:min(2, len(a.operands))]
	}
	a.subscript()
	evaluates(a.p, "the input", a.in.text)
	if len(a.operands) == 0 {
		a.operands = []word{lit("REPLY"), lit("MAPFILE")}
	}
	var texts []word // what it may take, as far as it is known
	for text := range strings.FieldsSeq(a.in.text) {
		texts = append(texts, word{text: text, from: a.in.bits})
	}
	for _, o := range a.operands {
		a.fillsWith(o, a.in.bits|fromPipe, texts)
	}
}

// filled is a variable that gets what nobody has read.
func filled(name string) setting {
	name, _, _ = strings.Cut(name, "[")
	return setting{name, word{text: hole, from: fromPipe}}
}

// fillsWith gives a variable one of the texts, or another one.
func (a *argv) fillsWith(into word, from flow, texts []word) {
	a.sc.forget(into.text, from)
	if name, _, _ := strings.Cut(into.text, "["); len(texts) > 0 {
		a.sc.array(name, texts)
		v := a.sc.vars[name]
		v.others = v.list[:min(len(v.list), maxOlder)]
		a.sc.vars[name] = v
	}
	a.w.setting(a.p, filled(into.text), nil)
}

// subscript is the rule for builtins that evaluate the subscripts in names.
func (a *argv) subscript() {
	if a.name == "set" {
		a.setArguments()
		if len(a.words) == 0 {
			a.out |= fromSecret // all variables
		}
	}
	if a.name == "compgen" && (a.flagged("-v", "-e") ||
		slices.ContainsFunc(a.used, func(u use) bool {
			return inList(" variable export arrayvar ", u.val.text)
		})) {
		a.out |= fromNames
	}
	for _, o := range a.operands {
		if substitutes(o.text) {
			a.p.add(runsHidden, "word:subscript", a.name+" runs the commands in a subscript")
			a.p.Unread = a.p.Unread || subscripted(o.text)
		}
	}
	for _, u := range a.used {
		if a.name == "wait" && u.name == "-p" {
			a.w.setting(a.p, filled(u.val.text), nil)
		}
		if substitutes(u.val.text) && u.value != isScript {
			a.p.add(runsHidden, "word:subscript",
				a.name+" "+u.name+" runs the commands in "+show(u.val.text))
			a.p.Unread = a.p.Unread || subscripted(u.val.text) || inList(" compgen complete ", a.name)
		}
	}
}

// printInto is -v of printf and print, which evaluate the subscript in the name behind it.
func (a *argv) printInto() {
	if a.name == "printf" && (len(a.words) == 0 || !strings.HasPrefix(a.words[0].text, "-v")) {
		return
	}
	for i, wd := range a.words {
		if !strings.HasPrefix(wd.text, "-") || wd.text == "--" {
			return
		}
		if !strings.Contains(wd.text, "v") {
			continue
		}
		into, values := wd.cut(min(2, len(wd.text))), a.words[i+1:]
		if into.text == "" && len(values) > 0 {
			into, values = values[0], values[1:]
		}
		if text, ok := printed("printf", "", values); ok {
			values = append(slices.Clip(values), lit(text))
		}
		a.fillsWith(into, fromAll(values)|fromText, values)
		a.operands = []word{into}
		a.subscript()
		return
	}
}
