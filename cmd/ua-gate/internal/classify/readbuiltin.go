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
	for i, o := range a.operands {
		if a.name != "read" && a.name != "getopts" {
			a.w.notInEachSh(a.sc, o.text)
		}
		a.sc.forget(o.text, line)
		a.w.fills(a.p, o.text)
		if a.name == "read" && a.in.known && !a.flagged("-a", "-d", "-N", "-n", "-u") {
			a.fill(o.text, i)
		}
	}
	if len(a.operands) == 0 {
		a.sc.forget("REPLY", line)
		a.sc.forget("MAPFILE", a.in.bits|fromPipe)
	}
}

// fill gives variable i of read its part of the known line. What it holds in later
// rounds of a loop stays possible.
func (a *argv) fill(name string, i int) {
	line, rest, _ := strings.Cut(a.in.text, "\n")
	fields := strings.Fields(line)
	v := value{from: a.in.bits}
	if a.w.loops > 0 {
		v.from |= fromDoubt // behind the last line it is empty
	}
	switch {
	case i < len(a.operands)-1 && i < len(fields):
		v.text = fields[i]
	case i < len(fields):
		v.text = strings.Join(fields[i:], " ")
	}
	if ifs, ok := a.sc.vars["IFS"]; ok && ifs.text != " \t\n" && len(a.operands) > 1 {
		v.text = hole
	}
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); len(v.older) < maxOlder && line != "" {
			v.older = append(v.older, line)
		}
	}
	if strings.Contains(a.in.text, `\`) && !a.flagged("-r") {
		return // of which it takes the backslashes away
	}
	if strings.Contains(v.text, hole) || a.sc.doubts(name) || a.sc.vars[name].fixed {
		return
	}
	a.sc.vars[name] = v
}

// subscript is the rule for builtins that evaluate the subscripts in names.
func (a *argv) subscript() {
	if a.name == "set" {
		a.setArguments()
	}
	if a.name == "unset" && !a.flagged("-f") {
		a.sc.unset(a.operands)
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
