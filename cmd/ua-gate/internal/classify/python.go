package classify

import (
	"path"
	"strings"
)

// python reads the words of a Python interpreter: -c, -m, or a file.
func (a *argv) python() {
	a.base = readOnly
	for i := 0; i < len(a.words); i++ {
		wd := a.words[i]
		t := wd.text
		if shortFlag(t, 'i') && a.in.open {
			defer a.stdinCode() // behind the code or the file it runs its input
		}
		switch {
		// What follows -c CODE, -m MODULE or a file are words for the program.
		case t == "-c" && i+1 < len(a.words):
			a.code(a.name+" -c", a.words[i+1])
			a.givenToCode(a.words[i+2:])
			return
		case strings.HasPrefix(t, "-m"):
			rest := a.words[i+1:]
			if t != "-m" {
				rest = append([]word{wd.cut(2)}, rest...)
			}
			a.module(rest)
			return
		case a.stdinFile(t):
			a.stdinCode()
			a.givenToCode(a.words[i+1:])
			return
		case t == "-W" || t == "-X" || t == "--check-hash-based-pycs":
			i++
		case t == "-V" || t == "-VV" || t == "-h":
			return
		case strings.HasPrefix(t, "-") && strings.ContainsAny(t, "c") &&
			!strings.HasPrefix(t, "--") &&
			i+1 < len(a.words):
			a.code(a.name+" -c", a.words[i+1])
			a.givenToCode(a.words[i+2:])
			return
		case strings.HasPrefix(t, "-"):
		default:
			a.scriptFile(wd)
			for ; i+2 < len(a.words); i++ { // manage.py shell -c CODE
				if t, code := a.words[i+1].text, a.words[i+2]; inList(" -c --command ", t) &&
					strings.Contains(code.text, "(") {
					a.code(a.name+" FILE "+t, code)
				}
			}
			return
		}
	}
	a.stdinCode()
}

// shortFlag reports whether a word of flags of one letter has this one, before -c or -m.
func shortFlag(word string, flag byte) bool {
	i := strings.IndexByte(word, flag)
	return i > 0 && word[0] == '-' && word[1] != '-' && !strings.ContainsAny(word[:i], "cmWX")
}

// givenToCode is the rule for the words behind a text of Python: what writes may write there.
func (a *argv) givenToCode(words []word) {
	if max(a.p.Level, a.base) < write {
		return
	}
	for _, wd := range words {
		a.reads(wd)
		a.w.overwrites(a.p, wd, a.sc)
	}
}

// module runs a module, by its row "python -m NAME" or as the program of that name, which a file
// of the project may be as well.
func (a *argv) module(rest []word) {
	name := first(rest, "")
	label := "python -m " + name.text
	r := a.w.row(label)
	least := readOnly
	if r == nil {
		label, least = strings.ReplaceAll(name.text, "_", "-"), buildTest
		r = a.w.row(label)
	}
	if a.shadowed(name.text) {
		a.p.add(runsUnread, a.name+" -m",
			"the module "+show(name.text)+" loads what this command has just written")
	}
	if r == nil {
		a.p.add(runsUnread, a.name+" -m", "the module "+show(name.text)+" is not in the table")
		return
	}
	b := argv{w: a.w, p: a.p, sc: a.sc, in: a.in, row: r, name: label,
		base: r.level, words: rest[1:]}
	b.do()
	a.row, a.name, a.base, a.judged = b.row, b.name, max(b.base, least), true
	a.out |= b.out
}

// pythonRun is a tool that runs a file of Python, or behind -m a module.
func (a *argv) pythonRun() {
	if a.rest != nil {
		rest := a.rest
		a.rest = nil
		a.module(rest)
	} else if len(a.operands) > 0 {
		a.scriptFile(a.operands[0])
	}
}

// shadowed reports whether the command has written a module that Python finds before its own: of
// that name, or any beside where it runs.
func (a *argv) shadowed(module string) bool {
	if a.wroteModule(module) {
		return true
	}
	for _, f := range a.w.written {
		if file := f.file; strings.HasSuffix(file, ".py") && path.Dir(file) == a.w.at(".", a.sc).abs {
			return true
		}
	}
	return false
}
