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
	a.calledBack()
	if a.name == "getopts" && len(a.operands) > 0 {
		a.operands = a.operands[1:min(2, len(a.operands))]
	}
	a.subscript()
	if a.in.known && subscripted(a.in.text) {
		a.p.add(runsHidden, "word:subscript", a.name+" gets a subscript that runs a command")
		a.w.inSubscript(a.p, a.in.text)
	}
	line := a.in.bits | fromPipe
	if len(a.operands) == 0 {
		a.operands = []word{lit("REPLY"), lit("MAPFILE")}
	}
	var texts []word // what read may take, as far as it is known
	if a.in.known {
		for text := range strings.FieldsSeq(a.in.text) {
			texts = append(texts, lit(text))
		}
	}
	for _, o := range a.operands {
		a.sc.forget(o.text, line)
		if name, _, _ := strings.Cut(o.text, "["); len(texts) > 0 {
			a.sc.array(name, texts)
			v := a.sc.vars[name]
			v.others = v.list[:min(len(v.list), maxOlder)]
			a.sc.vars[name] = v
		}
		a.w.fills(a.p, o.text)
	}
}

// subscript is the rule for builtins that evaluate the subscripts in names.
func (a *argv) subscript() {
	if a.name == "set" {
		a.setArguments()
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
			a.w.fills(a.p, u.val.text)
		}
		if substitutes(u.val.text) && u.value != isScript {
			a.p.add(runsHidden, "word:subscript",
				a.name+" "+u.name+" runs the commands in "+show(u.val.text))
			a.p.Unread = a.p.Unread || subscripted(u.val.text) || inList(" compgen complete ", a.name)
		}
	}
}

// calledBack is the rule for readarray -C: the shell runs the words with a number and the line
// that was read behind them.
func (a *argv) calledBack() {
	back, ok := a.value("-C")
	if !ok {
		return
	}
	name, _, _ := strings.Cut(back.text, " ")
	if !back.known() || strings.ContainsAny(back.text, ";|&$`(){}<>\n") ||
		!inList(" echo printf : true test [ ", name) {
		a.p.add(runsHidden, a.name+" -C", a.name+" runs "+show(back.text)+
			" with each line that it reads")
	}
}

// printInto is print -v of zsh, which evaluates the subscript in the name behind it.
func (a *argv) printInto() {
	for i, wd := range a.words {
		switch {
		case !strings.HasPrefix(wd.text, "-") || wd.text == "--":
			return
		case strings.Contains(wd.text, "v") && i+1 < len(a.words) && substitutes(a.words[i+1].text):
			a.p.add(runsHidden, "word:subscript", a.name+" -v runs the commands in a subscript")
		case strings.Contains(wd.text, "v") && i+1 < len(a.words):
			a.sc.forget(a.words[i+1].text, fromText)
			a.w.fills(a.p, a.words[i+1].text)
		}
	}
}
