package classify

import "strings"

// python reads the words of a Python interpreter: -c, -m, or a file.
func (a *argv) python() {
	a.base = readOnly
	for i := 0; i < len(a.words); i++ {
		wd := a.words[i]
		t := wd.text
		switch {
		case t == "-c" && i+1 < len(a.words):
			a.code(a.name+" -c", a.words[i+1])
			return
		case strings.HasPrefix(t, "-m"):
			rest := a.words[i+1:]
			if t != "-m" {
				rest = append([]word{wd.cut(2)}, rest...)
			}
			a.module(rest)
			return
		case t == "-" || t == "/dev/stdin":
			a.stdinCode()
			return
		case t == "-W" || t == "-X" || t == "--check-hash-based-pycs":
			i++
		case t == "-V" || t == "-VV" || t == "-h":
			return
		case strings.HasPrefix(t, "-") && strings.ContainsAny(t, "c") && !strings.HasPrefix(t, "--") &&
			i+1 < len(a.words):
			a.code(a.name+" -c", a.words[i+1])
			return
		case strings.HasPrefix(t, "-"):
		default:
			a.pythonFile(wd, a.words[i+1:])
			return
		}
	}
	a.stdinCode()
}

// module runs a module, by its row "python -m NAME".
func (a *argv) module(rest []word) {
	name := first(rest, "")
	r := a.w.row("python -m " + name.text)
	if r == nil {
		a.p.raise(destructive, a.name+" -m", "the module "+show(name.text)+" is not in the table")
		return
	}
	b := argv{w: a.w, p: a.p, sc: a.sc, in: a.in, row: r, name: "python -m " + name.text,
		base: r.level, words: rest[1:]}
	b.do()
	a.row, a.name, a.base, a.out = b.row, b.name, b.base, a.out|b.out
}

// pythonRun is a tool that runs a file of Python, or behind -m a module.
func (a *argv) pythonRun() {
	if a.rest != nil {
		rest := a.rest
		a.rest = nil
		a.module(rest)
	} else if len(a.operands) > 0 {
		a.pythonFile(a.operands[0], a.operands[1:])
	}
}

// pythonFile runs a file; a few of a project's own are known by their names.
func (a *argv) pythonFile(file word, args []word) {
	a.w.read(a.p, file, a.sc)
	verb := first(args, "").text
	switch {
	case file.text == "manage.py" && (verb == "test" || verb == "check" ||
		verb == "makemigrations" || verb == "showmigrations" || verb == "collectstatic"):
		a.base = buildTest
	case file.text == "setup.py" && (verb == "build" || verb == "test" || verb == "sdist" ||
		verb == "bdist_wheel" || verb == "check" || verb == "build_ext"):
		a.base = buildTest
	default:
		a.scriptFile(file)
	}
}

// shellLine reports whether a line of ipython's is none of Python: !COMMAND and %MAGIC.
func shellLine(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "!") || strings.HasPrefix(line, "%") ||
			strings.Contains(line, "= !") || strings.Contains(line, "=!") &&
			!strings.Contains(line, "=!=") {
			return true
		}
	}
	return false
}
