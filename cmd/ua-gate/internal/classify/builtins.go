package classify

import (
	"slices"
	"strings"
)

// echo is echo and printf: what they write is known if their words are.
func (a *argv) echo() {
	a.printed, a.known = printed(a.name, a.words)
	for _, wd := range a.words {
		a.out |= wd.from &^ passing
		a.lists(wd)
	}
	a.known = a.known && !strings.Contains(a.printed, hole)
	if a.name != "printf" || len(a.words) == 0 || !strings.HasPrefix(a.words[0].text, "-v") {
		return
	}
	into := a.words[0].cut(2)
	if into.text == "" && len(a.words) > 1 {
		into = a.words[1]
	}
	var from flow
	for _, wd := range a.words {
		from |= wd.from
	}
	a.sc.forget(into.text, from|fromText)
	if text, ok := printed("printf", after(a.words, into)); ok {
		a.sc.set(into.text, value{text: text})
	}
	a.w.fills(a.p, into.text)
	a.operands = []word{into}
	a.subscript()
}

// after returns the words behind one of them.
func after(words []word, one word) []word {
	for i, wd := range words {
		if wd.text == one.text || wd.text == "-v"+one.text {
			return words[i+1:]
		}
	}
	return nil
}

// cat passes its input on, if it has no other.
func (a *argv) cat() {
	if len(a.operands) == 0 && a.in.known && len(a.used) == 0 {
		a.printed, a.known = a.in.text, true
	}
}

// eval runs its words as one script.
func (a *argv) eval() {
	var script word
	var text strings.Builder
	for i, o := range a.operands {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(o.text)
		script.from |= o.from
	}
	script.text = text.String()
	if script.text == "" {
		return
	}
	if script.plain() {
		a.w.text(script.text, a.in, a.sc, &a.p.Parts)
		return
	}
	a.script(a.name, script, a.in)
}

// trap runs its first operand later.
func (a *argv) trap() {
	if len(a.operands) > 1 && a.operands[0].from&fromTemp != 0 {
		text := strings.NewReplacer(`"`, "", "'", "").Replace(a.operands[0].text)
		if flags, ok := strings.CutSuffix(text, " /tmp/"+hole); ok &&
			inList(" rm rm-rf rm-r rm-f rm-fr ", strings.ReplaceAll(flags, " ", "")) {
			a.p.raise(write, "trap", "deletes what mktemp has made")
			return // the name stands in it, and not the variable
		}
	}
	if len(a.operands) > 1 && a.operands[0].text != "-" {
		a.traps(a.operands[0])
	}
}

// source runs a file as part of the shell.
func (a *argv) source() {
	file := first(a.operands, "")
	if a.w.shell() == "fish" && (len(a.operands) == 0 || file.text == "-") {
		a.w.scriptInput(a.p, a.in, a.name)
		return
	}
	a.w.read(a.p, file, a.sc)
	if a.w.hasWritten(file, a.sc) {
		a.p.raise(destructive, a.name, a.name+" runs what this command has just written")
		return
	}
	switch name := file.text; {
	case name == "" || a.fetched(file):
	case file.from&(fromNet|fromDecode) != 0 || a.in.bits&(fromNet|fromDecode) != 0 &&
		strings.HasPrefix(name, "/dev/"):
		a.w.scriptFrom(a.p, file.from|a.in.bits, a.name)
	case strings.HasSuffix(name, "/bin/activate") && below(name), name == "bin/activate",
		strings.HasSuffix(name, "/nvm.sh"), strings.HasPrefix(name, "~/.") &&
			strings.HasSuffix(name, "rc"), name == "~/.profile", name == "~/.bash_profile",
		name == "~/.cargo/env":
		a.base = buildTest
	default:
		a.p.raise(destructive, a.name, a.name+" runs the commands in "+show(name))
	}
}

// alias gives words a new meaning. What it is counts when the word is used: a
// shell that takes aliases reads it in its place.
func (a *argv) alias() {
	for _, wd := range a.words {
		if strings.HasPrefix(wd.text, "-") && strings.ContainsAny(wd.text, "gs") {
			a.p.raise(destructive, "alias "+wd.text,
				"the alias takes effect in other words than a command's first")
		}
	}
	for _, o := range a.operands {
		name, text, set := strings.Cut(o.text, "=")
		if !set {
			continue
		}
		if !o.plain() {
			a.script("alias", o.cut(len(name)+1), stream{})
		}
		if a.sc.aliases == nil {
			a.sc.aliases = map[string]string{}
		}
		a.sc.aliases[name] = text
	}
}

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
		a.p.raise(destructive, "word:subscript", a.name+" gets a subscript that runs a command")
	}
	for i, o := range a.operands {
		a.sc.forget(o.text, a.in.bits|fromPipe)
		a.w.fills(a.p, o.text)
		if a.name == "read" && a.in.known && !a.flagged("-a", "-d", "-N", "-n", "-u") {
			a.fill(o.text, i)
		}
	}
	if len(a.operands) == 0 {
		a.sc.forget("REPLY", a.in.bits|fromPipe)
		a.sc.forget("MAPFILE", a.in.bits|fromPipe)
	}
}

// fill gives variable i of read its part of the known line. What it holds in later
// rounds of a loop stays possible.
func (a *argv) fill(name string, i int) {
	line, rest, _ := strings.Cut(a.in.text, "\n")
	fields := strings.Fields(line)
	v := value{from: a.in.bits}
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
	if strings.Contains(v.text, hole) {
		return
	}
	a.sc.vars[name] = v
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
		if a.name == "set" && o.text == "history" || a.name == "unset" && o.text == "HISTFILE" {
			a.p.raise(destructive, a.name+" "+o.text, "the shell forgets what it runs")
		}
		if substitutes(o.text) {
			a.p.raise(destructive, "word:subscript", a.name+" runs the commands in a subscript")
		}
	}
	for _, u := range a.used {
		if a.name == "wait" && u.name == "-p" {
			a.w.fills(a.p, u.val.text)
		}
		if substitutes(u.val.text) && u.value != isScript {
			a.p.raise(destructive, "word:subscript",
				a.name+" "+u.name+" runs the commands in "+show(u.val.text))
		}
	}
}

// setArguments is set with words behind its flags, which become $1 and so on.
func (a *argv) setArguments() {
	for i, wd := range a.words {
		if wd.text == "--" || !strings.HasPrefix(wd.text, "-") && !strings.HasPrefix(wd.text, "+") {
			if wd.text == "--" {
				i++
			} else if i > 0 && strings.HasSuffix(a.words[i-1].text, "o") {
				continue // the name of an option: set -o pipefail
			}
			a.sc.positions(a.words[i:], a.sc.maybe > 0)
			return
		}
	}
}

// bashOptions are bash's long options (bash(1), OPTIONS).
const bashOptions = " debug debugger dump-po-strings dump-strings help init-file login " +
	"noediting noprofile norc posix " +
	"pretty-print rcfile restricted verbose version wordexp "

// shell reads the words of sh and its kind.
func (a *argv) shell() {
	var operands []word
	command, check, stdin, plain := false, false, false, true
	for i := 0; i < len(a.words); i++ {
		wd := a.words[i]
		t := wd.text
		if name, one := strings.CutPrefix(t, "-"); one && len(operands) == 0 &&
			inList(bashOptions, name) {
			t = "-" + t // bash takes those with one dash, too
		}
		switch {
		case len(operands) > 0 || t == "-" || !strings.HasPrefix(t, "-") &&
			!strings.HasPrefix(t, "+"):
			operands = append(operands, wd)
		case t == "--":
			operands = append(operands, a.words[i+1:]...)
			i = len(a.words)
		case t == "--rcfile" || t == "--init-file" || strings.HasPrefix(t, "--rcfile=") ||
			strings.HasPrefix(t, "--init-file="):
			a.p.raise(destructive, a.name+" --rcfile", a.name+" runs a start-up file")
			i++
		case strings.HasPrefix(t, "--"):
			if t == "--version" || t == "--help" {
				a.base, a.why = readOnly, "prints a version or help"
				return
			}
			if !inList(bashOptions, t[2:]) && !inList(" no-rcs no-global-rcs ", t[2:]) {
				a.p.raise(destructive, a.name+" "+t, a.name+" does not know "+show(t))
			}
			plain = plain && inList(" --norc --noprofile --posix ", t)
		default:
			command = command || strings.Contains(t, "c")
			check = check || strings.Contains(t, "n") && t[0] == '-'
			plain = plain && strings.Trim(t, "nevxuc") == "-"
			stdin = stdin || strings.Contains(t, "s")
			if strings.ContainsAny(t, "oO") && i+1 < len(a.words) {
				i++
			}
		}
	}
	a.base = readOnly
	switch {
	case check && plain:
		a.why = "only checks"
	case command && len(operands) > 0:
		a.positional(operands[1:])
		a.dialect(func() { a.script(a.name+" -c", operands[0], a.in) })
	case len(operands) > 0 && !stdin && operands[0].text != "-" &&
		!strings.HasPrefix(operands[0].text, "/dev/"):
		a.scriptFile(operands[0])
	default:
		if len(operands) > 0 {
			a.in.bits |= operands[0].from
			a.in.known = a.in.known && operands[0].text != "/dev/fd/"+hole
		}
		if a.in.known {
			a.dialect(func() { a.w.text(a.in.text, stream{}, a.sc.sub(), &a.p.Parts) })
		}
		if !a.in.known || !a.in.here {
			a.w.scriptInput(a.p, a.in, a.name)
		}
	}
}

// positional gives $0, $1 and so on their values in a script: they are its own
// words.
func (a *argv) positional(words []word) {
	a.sc = a.sc.sub()
	a.sc.arguments(words[min(1, len(words)):])
	if len(words) > 0 {
		a.sc.set("0", value{text: words[0].text, from: words[0].from})
	}
}
