package classify

import "strings"

// shell reads the words of sh and its kind.
func (a *argv) shell() {
	var operands []word
	command, check, stdin, plain := false, false, false, true
	for i := 0; i < len(a.words); i++ {
		wd := a.words[i]
		t := wd.text
		if _, sure := a.lookup("-" + t); sure && len(operands) == 0 {
			t = "-" + t // bash takes long options with one dash, too
		}
		switch {
		// The first word that is no option ends them; what follows belongs to the script.
		case len(operands) > 0 || t == "-" || !strings.HasPrefix(t, "-") &&
			!strings.HasPrefix(t, "+"):
			operands = append(operands, wd)
		case t == "--":
			operands = append(operands, a.words[i+1:]...)
			i = len(a.words)
		// A start-up file is code, too, and this one is not the user's usual one.
		case strings.HasPrefix(t, "--rcfile"), strings.HasPrefix(t, "--init-file"):
			a.p.add(runsHidden, a.name+" --rcfile", a.name+" runs a start-up file")
			i++
		case strings.HasPrefix(t, "--"):
			if _, sure := a.lookup(t); !sure {
				a.p.add(runsHidden, a.name+" "+t, a.name+" does not know "+show(t))
			}
			plain = plain && inList(" --norc --noprofile --posix ", t)
		// Letters, perhaps several in a word: -euxc.
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
	a.sc = a.sc.child()
	// The shell does nothing by itself: what it is given to run counts.
	a.base = readOnly
	switch {
	case check && plain:
		a.why = "only checks"
	case command && len(operands) > 0:
		a.positional(operands[1:])
		a.script(a.name+" -c", operands[0], a.in)
	case len(operands) > 0 && !stdin && operands[0].text != "-" &&
		!a.ownDescriptor(operands[0].text):
		a.scriptFile(operands[0])
	default:
		if len(operands) > 0 {
			a.in.bits |= operands[0].from
			a.in.known = a.in.known && operands[0].text != "/dev/fd/"+hole
		}
		a.runsInput()
	}
}

// positional gives $1 and so on their values in a script: they are its own words.
func (a *argv) positional(words []word) {
	delete(a.sc.vars, "@")
	a.sc.array("@", words[min(1, len(words)):])
	if len(words) > 0 {
		a.sc.put("0", value{text: words[0].text, from: words[0].from, maybe: true})
	}
}
