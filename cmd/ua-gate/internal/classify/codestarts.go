package classify

// startWords classifies the words of a program that code starts.
func (a *argv) startWords(args []string) {
	words := make([]word, len(args))
	for i, arg := range args {
		words[i] = lit(arg)
	}
	a.out |= a.w.run(words, stream{}, a.sc.sub(), &a.p.Parts).bits
}

// startsTools reports whether the words that code gives to the system are a program that
// the table knows, with arguments, and that does not run what it reads: the code may write
// that.
func (a *argv) startsTools(args []string) bool {
	if len(args) == 0 {
		return false
	}
	r, _ := a.w.program(args[0])
	switch {
	case r == nil, r.facts&factScript != 0, r.reader == "shell", r.reader == "fish":
		return false
	case len(args) > 1:
		return true
	}
	return inList(toolsOfCode, args[0])
}

// toolsOfCode are the programs that people start from code without any arguments.
const toolsOfCode = " git ls make pytest wc du uname docker "

var (
	// setsName finds a variable of the environment that code sets, whatever its language:
	// os.environ["NAME"] =, {NAME: …}, $ENV{NAME} =, setdefault("NAME", …).
	setsName = regex{text: "\\b([A-Z][A-Z0-9_]{2,})[\"'`]?\\s*[\\]})]?\\s*(?:=>|[|+.]?=(?:[^=~>]|" +
		"$)|:(?:[^:]|$))|" +
		"\\b(?:setdefault|setenv|putenv|set)\\(\\s*[\"']([A-Z][A-Z0-9_]{2,})"}
	// startsFrom finds the folder in which code starts a program.
	startsFrom = regex{text: `\b(?:cwd|chdir)\b["']?\s*(?:=>|[=:(])\s*["']([^"']+)`}
	startsAs   = regex{text: `\b(?:executable|preexec_fn)\b["']?\s*[=:]`}
)

// startsIn is the rule for what code changes around the programs that it starts: the
// variables that they get, their folder, and the file that runs under their name.
func (a *argv) startsIn(label, text string) {
	if startsAs.match(text) {
		a.p.add(runsHidden, label, label+" runs another program under a name")
	}
	for _, m := range startsFrom.all(text) {
		if a.w.foreignPlace(m[1], a.sc) {
			a.plug(label, lit(m[1]))
		}
	}
	for _, m := range setsName.all(text) {
		name := m[1] + m[2]
		if kind, known := a.w.variable(name); known && kind != varHarmless {
			a.p.add(runsHidden, "env:"+name, label+" sets "+name+", which may make a program run "+
				"other code")
		}
	}
}
