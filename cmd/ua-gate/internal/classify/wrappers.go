package classify

import (
	"strings"

	"ua/internal/common/verdict"
)

// highest returns the level of the parts with all that is in them.
func highest(parts []Part) (l verdict.Level) {
	for i := range parts {
		l = max(l, parts[i].Level, highest(parts[i].Parts))
	}
	return l
}

// xargs gives its command words that nobody has seen.
func (a *argv) xargs() {
	if file, ok := a.value("-a", "--arg-file"); ok {
		text, known := a.w.textOf(file, a.sc)
		a.in = stream{bits: file.from, open: true, text: text, known: known}
	}
	unseen := word{text: hole, from: a.in.bits, multi: true}
	mark, replace := a.value("-I", "-i", "--replace", "-J")
	if replace && mark.text == "" {
		mark.text = "{}"
	}
	if len(a.rest) == 0 {
		return
	}
	if most, ok := a.value("-P", "--max-procs"); ok && most.text != "1" {
		a.base = max(a.base, buildTest)
	}
	words := append([]word(nil), a.rest...)
	a.rest = nil
	// Input that is known, and that no quote joins, is so many words.
	given := strings.Fields(strings.ReplaceAll(a.in.text, "\x00", " "))
	if !replace && len(given) <= maxBraces && !strings.ContainsAny(a.in.text, `"'\`) &&
		(a.in.known || len(given) > 0) {
		for _, text := range given {
			words = append(words, word{text: text, from: a.in.bits})
		}
		if !a.in.known {
			words = append(words, unseen)
		}
		a.out |= a.w.runWords(words, stream{}, a.sc.sub(), &a.p.Parts).bits
		return
	}
	if replace {
		for i := range words {
			if strings.Contains(words[i].text, mark.text) {
				words[i].text = strings.ReplaceAll(words[i].text, mark.text, hole)
				words[i].from |= unseen.from
				words[i].src = nil
			}
		}
	} else {
		words = append(words, unseen)
	}
	a.out |= a.w.runWords(words, stream{bits: a.in.bits}, a.sc.sub(), &a.p.Parts).bits
}

// argument is the variable that has what parallel puts in for {}.
const argument = "PARALLEL_ARGUMENT"

// parallel is GNU parallel, which makes shell text of its words: what follows ::: or a line of
// its input goes where {} and its like stand, or behind them.
func (a *argv) parallel() {
	var line []string
	for i, wd := range a.rest {
		if strings.HasPrefix(wd.text, ":::") {
			if a.inFolders(a.rest[i+1:]) {
				a.in.bits |= fromFilter
			}
			for _, given := range a.rest[i+1:] {
				a.reads(given)
				a.w.write(a.p, given, a.sc, false)
			}
			break
		}
		line = append(line, wd.text)
	}
	a.rest = nil
	if a.flagged("--dry-run", "--dryrun") {
		a.base, a.fixed = readOnly, true // the commands are printed
		return
	}
	text := strings.Join(line, " ")
	if text == "" || strings.Contains(text, hole) || strings.ContainsAny(text[:1], "{") ||
		strings.Contains(text, "{=") {
		a.p.add(runsHidden, a.name, a.name+" runs commands that are not known")
		a.p.Unread = true
		return
	}
	filled := parallelMark.replace(text, `"$$`+argument+`"`)
	if filled == text {
		filled += ` "$` + argument + `"`
	}
	sc := a.sc.sub()
	sc.set(argument, value{text: hole, from: a.in.bits | fromPipe})
	a.out |= a.w.runScript(filled, stream{bits: a.in.bits, open: true}, sc, &a.p.Parts).bits
}

// parallelMark is where parallel puts an argument: {} and {.}, {/}, {2}, {#} and their like.
var parallelMark = regex{text: `'?\{[0-9+./#%-]*\}'?`}

// through looks at the words of a tool that builds or tests: behind exec, and
// behind --, may stand a command of its own.
func (a *argv) through() {
	if a.row.level != buildTest || a.rest != nil {
		return
	}
	for i, o := range a.operands {
		if strings.HasPrefix(o.text, "eval ") {
			a.p.add(runsHidden, a.name+" eval", a.name+" runs "+show(o.text))
		}
		if strings.Contains(" exec cmd x execute shell ", " "+o.text+" ") || i+1 == a.dashed {
			a.command(a.operands[i+1:])
		}
	}
	last := a.name[strings.LastIndexByte(a.name, ' ')+1:]
	if a.dashed == 0 || strings.Contains(" exec cmd x execute shell ", " "+last+" ") {
		a.command(a.operands)
	}
}

// command judges words as a command if the table knows their program: another is
// the project's own.
func (a *argv) command(words []word) {
	if len(words) == 0 || strings.HasSuffix(a.name, " run") { // words of the project's own program
		return
	}
	if r, _ := a.w.program(words[0].text); r != nil && r.level > buildTest ||
		words[0].text == "sh" || words[0].text == "bash" {
		a.out |= a.w.runWords(words, a.in, a.sc.sub(), &a.p.Parts).bits
	}
}

// printsVariables reports whether a command prints all variables, which in a container
// are secrets more often than not: nobody has filtered them.
func printsVariables(p *Part) bool {
	if (p.Row == "env" || p.Row == "printenv" || p.Row == "export" || p.Row == "set" ||
		p.Row == "declare") && len(p.Words) == 1 {
		return true
	}
	for i := range p.Parts {
		if printsVariables(&p.Parts[i]) {
			return true
		}
	}
	return false
}

// editsInPlace is the rule for a file that a program writes which it reads.
func (a *argv) editsInPlace(file word) {
	a.p.add(writesHere, a.name, a.name+" writes what it reads")
	if fromAll(a.words)&fromVar != 0 { // sed -i "s/KEY/$TOKEN/"
		a.p.add(readsSecrets, "env:secret", a.name+" stores a secret variable")
	}
	a.w.write(a.p, file, a.sc, true)
	a.w.wroteFile(file.text, a.sc)
}
