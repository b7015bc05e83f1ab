package classify

import (
	"path"
	"strings"
)

// foreign is the rule for a tool that builds, tests or checks, and whose words name a
// place outside the workspace: a project, a plugin, a setting or a script there is
// anybody's code, by whatever flag it is given. Only flags of which the table knows
// that they read or write data, or whose name says so, may name such a place.
func (a *argv) foreign() {
	if a.row.level > write || !a.loadsCode() || a.fixed && a.base == readOnly {
		return
	}
	owner := ""
	for i, wd := range a.words {
		name := owner
		owner = ""
		if strings.HasPrefix(wd.text, "-") {
			name = wd.text
			if i := strings.IndexAny(name, "=:"); i > 0 {
				name = name[:i]
			}
			if len(name) == len(wd.text) {
				owner = name
			}
		}
		if !a.mayBeCode(name, wd, i) {
			continue
		}
		for _, piece := range strings.FieldsFunc(wd.text, func(r rune) bool { return strings.ContainsRune("=,:;\"'{} ", r) }) {
			piece = strings.TrimPrefix(piece, "@")
			if a.w.foreignPlace(piece, a.sc) {
				a.p.raise(destructive, a.name+" "+name, a.name+" may run code from "+show(piece))
			}
		}
	}
}

// loadsCode reports whether the row is that of a tool which runs code of the project: what
// builds or tests, or has a flag that names a plugin or its settings.
func (a *argv) loadsCode() bool {
	if a.row.facts&factGlued != 0 || len(a.rest) > 0 || strings.HasPrefix(a.name, "git") {
		return false
	}
	if a.row.facts&(factCode|factScript) != 0 {
		return false
	}
	if a.row.level == write {
		return a.row.facts&factMixed != 0 || len(a.up) > 0 && a.up[0].facts&factMixed != 0
	}
	if a.row.level == buildTest {
		return a.row.reader == "" || !inList(" make gotool cmake docker-build python node scripts ", a.row.reader)
	}
	for i := range a.row.flags {
		if a.row.level == readOnly && a.row.flags[i].value == isPlug {
			return true
		}
	}
	return false
}

// mayBeCode reports whether a word may name code: the value of a flag that neither the
// table nor its own name tells to be data, or an operand of which nothing is known.
func (a *argv) mayBeCode(name string, wd word, i int) bool {
	if strings.HasPrefix(wd.text, "//") {
		return false
	}
	if name == "" {
		return a.takesCode()
	}
	if f, sure := a.lookup(name); f != nil && sure {
		switch f.value {
		case isText, isGlued, isPlug, isDefine, isAny:
		case isNothing:
			return !strings.HasPrefix(wd.text, "-") && a.takesCode()
		default:
			return false
		}
	}
	return !namesData(name)
}

// takesCode reports whether the program's operands may be code.
func (a *argv) takesCode() bool {
	if a.row.level != buildTest {
		return false
	}
	for _, s := range a.slots {
		if s.what != isList && s.what != isOut && s.what != isPlug && s.what != isLoose {
			return false
		}
	}
	return true
}

// namesData reports whether a flag's name says that its value is written, or is where
// things are kept.
func namesData(name string) bool {
	words := keyWords(name)
	for i, w := range words {
		if inList(" config settings plugin plugins require preload reporter reporters loader runner script "+
			"template rcfile project ", w) && !(w == "project" && i+1 < len(words)) {
			return false
		}
	}
	for _, w := range words {
		for _, puts := range []string{"out", "cov", "cache", "report", "log", "junit", "xml", "html", "json",
			"temp", "tmp", "target", "profile", "dest", "trace", "result", "prefix", "sysroot", "gcda",
			"build", "dist", "artifact", "store", "snapshot", "data", "exclude", "ignore", "include", "base",
			"func", "user", "home", "bin", "lib", "dump", "save", "write", "export", "coverage", "metadata", "pattern"} {
			if strings.HasPrefix(w, puts) {
				return true
			}
		}
	}
	return len(words) == 0
}

// foreignPlace reports whether the text is a path that leads out of the workspace to where
// neither the system nor the project next door lies.
func (w *walker) foreignPlace(text string, sc *scope) bool {
	if len(text) < 2 || strings.HasPrefix(text, "//") || strings.Contains(text, hole) && !strings.HasPrefix(text, "/tmp") {
		return false
	}
	up := strings.HasPrefix(text, "../..")
	if text[0] != '/' && !strings.HasPrefix(text, "~/") && !up {
		return false
	}
	at := w.at(text, sc)
	if w.inWorkspace(at) || w.o.Cwd != "" && at.within(w.place(w.o.Cwd).abs) {
		return false
	}
	if up {
		return w.o.Cwd != "" && !at.within(path.Dir(path.Dir(w.place(w.o.Cwd).abs)))
	}
	for _, root := range []string{"/usr", "/opt", "/bin", "/nix", "/Library", "/System", "/Applications", "/dev", "/proc", "/etc/ssl",
		"/snap", "~/.cache", "~/.local/share", "~/.cargo", "~/.rustup", "~/go", "~/.nvm", "~/.pyenv", "~/.m2",
		"~/.gradle"} {
		if at.within(root) {
			return false
		}
	}
	return strings.Count(text, "/") > 1 || text[0] == '~'
}
