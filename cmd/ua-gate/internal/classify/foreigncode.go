package classify

import (
	"path"
	"slices"
	"strings"
)

// foreign is the rule for words that name a place outside the workspace: a project, a plugin,
// a setting or a script there is anybody's code. A tool that builds, tests or checks takes it by
// whatever flag is not known to read or write data; another program by flags whose name says so.
func (a *argv) foreign() {
	// A build runs what lies in its folder, and cd has led to somebody else's.
	if a.row.level == buildTest && a.base == buildTest && !a.fixed && a.sc.cwd != a.w.o.Cwd &&
		a.w.foreignPlace(a.sc.cwd, a.sc) &&
		!a.w.nextDoor(a.sc.cwd, a.sc) {
		a.p.add(runsHidden, a.name, a.name+" runs the code of "+show(a.sc.cwd))
	}
	if min(a.row.level, a.base) > write || strings.HasPrefix(a.name, "git") ||
		!slices.ContainsFunc(a.words, func(wd word) bool {
			return strings.ContainsAny(wd.text,
				"/~")
		}) {
		return
	}
	// A program that loads code may do so by any flag, another by those that say so.
	strict := a.loadsCode() && !(a.fixed && a.base == readOnly)
	owner := ""
	// owner is the flag whose value the next word may be.
	for _, wd := range a.words[:len(a.words)-len(a.rest)] {
		behind := owner
		name := behind
		owner = ""
		if strings.HasPrefix(wd.text, "-") {
			name = wd.text
			if i := strings.IndexAny(name, "=:"); i > 0 {
				name = name[:i]
			}
			if len(name) == len(wd.text) && name != "--" {
				owner = name
			}
			if i := gluedPath(name); i > 0 {
				name = name[:i]
			}
		}
		if !strings.ContainsAny(wd.text, "/~") {
			continue
		}
		if strict && namesPut(name) && !a.installsLater(name) {
			a.stray(wd, true)
		}
		if !strict && a.row.reader == "make" && strings.Contains(wd.text, "=") {
			continue // the rules for make's variables have looked at it
		}
		// @FILE stands for the words in that file.
		argsFile := strings.HasPrefix(wd.text, "@") && a.row.level == buildTest
		if !argsFile && !(strict && a.mayBeCode(name, wd)) && !a.saysCode(name) &&
			!a.hidesPath(name, wd) {
			continue
		}
		// A word may hold several places: a list, a URL, NAME=PLACE.
		for _, piece := range strings.FieldsFunc(strings.ReplaceAll(wd.text, "file://", " "),
			func(r rune) bool { return strings.ContainsRune("=,:;\"'{} ", r) }) {
			piece = strings.TrimLeft(piece, "@+")
			if i := gluedPath(piece); i > 0 {
				piece = piece[i:]
			}
			if a.w.foreignPlace(piece, a.sc) {
				a.p.add(runsHidden, a.name+" "+name, a.name+" may run code from "+show(piece))
			}
		}
	}
}

// installsLater reports whether a flag says where `make install` puts things: what configures a
// build only notes it.
func (a *argv) installsLater(name string) bool {
	return (path.Base(a.name) == "configure" || a.name == "meson setup") &&
		(name == "--prefix" || strings.HasSuffix(name, "dir"))
}

// gluedPath returns where a path begins that is glued on to a flag of one or two letters, or 0:
// -r/tmp/x, -I../../x.
func gluedPath(text string) int {
	i := strings.IndexAny(text, "/~")
	if len(text) > 2 && text[0] == '-' && text[2] == '.' && i > 2 && i < 6 {
		i = 2
	}
	if i < 2 || i > 3 || text[0] != '-' || text[1] == '-' {
		return 0
	}
	return i
}

// hidesPath reports whether a word of a program that only reads has a path behind a key or a
// flag of which the row knows nothing: -X lua_script:/tmp/x.lua, -J-javaagent:/tmp/x.jar.
func (a *argv) hidesPath(name string, wd word) bool {
	if a.row.level != readOnly && a.base != readOnly ||
		a.row.facts&(factText|factCode|factScript) != 0 || a.row.reader != "" &&
		!a.fixed {
		return false
	}
	i := strings.IndexAny(wd.text, "/~")
	if i < 3 || wd.text[i-1] != '=' && wd.text[i-1] != ':' ||
		strings.HasPrefix(wd.text[i:], "//") {
		return false
	}
	if f, sure := a.lookup(name); f != nil && sure && f.value != isNothing && f.value != isText &&
		f.value != isGlued {
		return false
	}
	program, _, _ := strings.Cut(a.name, " ")
	return !inList(seeking, program)
}

// saysCode reports whether a flag that the table does not know as one with a file says by its
// name that its value is code, or settings by which code runs.
func (a *argv) saysCode(name string) bool {
	if !strings.HasPrefix(name, "-") || len(name) < 4 {
		return false
	}
	if f, sure := a.lookup(name); f != nil && sure && f.value != isNothing && f.value != isText &&
		f.value != isGlued && f.value != isAny && f.value != isDefine {
		return false
	}
	words := keyWords(name)
	if len(words) > 0 && inList(" output outputs result results report reports log logs ",
		words[len(words)-1]) {
		return false
	}
	return sayProgram(words) || slices.ContainsFunc(words, func(w string) bool {
		return w == "profile" && a.row.reader == "python" || inList(" conf config configuration "+
			"configfile configpath conffile settings plug plugin plugins plugindir rc rcfile "+
			"require requires preload load ext extension extensions extends engine provider "+
			"module modules "+
			"library libraries script init loader hook hooks objdump toolchain pythonpath adapter "+
			"adapters defaults userconfig "+
			"globalconfig logger loggers reporter reporters formatter formatters import imports "+
			"profiledir importmap addon addons preset presets bootstrap processor ", w)
	})
}

// loadsCode reports whether the row is that of a tool which runs code of the project: what
// builds or tests, or has a flag that names a plugin or its settings.
func (a *argv) loadsCode() bool {
	if a.row.facts&factGlued != 0 || a.row.facts&(factCode|factScript) != 0 {
		return false
	}
	if a.row.level == write {
		return true
	}
	if a.row.level == buildTest || a.row.level == network && a.base == buildTest {
		return !inList(" make gotool python node ", a.row.reader) && a.row.name != "cmake"
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
func (a *argv) mayBeCode(name string, wd word) bool {
	if strings.HasPrefix(wd.text, "//") || name == "-o" && !strings.Contains(wd.text, "=") {
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
	} else if a.row.level == write && len(a.slots) > 0 && !strings.HasPrefix(wd.text, "-") &&
		!strings.HasPrefix(name, "--") && (a.row.facts&factSingle == 0 || len(name) < 4) {
		return false // an operand, of which the row says what it is
	}
	return !namesData(name)
}

// takesCode reports whether the program's operands may be code: what builds and tests runs
// what it is given, whatever the row says of its own files.
func (a *argv) takesCode() bool { return a.row.level == buildTest || a.base == buildTest }

// namesData reports whether a flag's name says that its value is written, or is where
// things are kept.
func namesData(name string) bool {
	words := keyWords(name)
	for i, w := range words {
		if inList(" config settings plugin plugins require preload reporter reporters logger "+
			"formatter loader runner script "+
			"template rcfile project ", w) && !(w == "project" && i+1 < len(words)) {
			return false
		}
	}
	for _, w := range words {
		for _, puts := range []string{"out", "cov", "cache", "report", "log", "junit", "xml",
			"html", "json",
			"temp", "tmp", "target", "profile", "dest", "trace", "result", "prefix", "sysroot", "gcda",
			"build", "dist", "artifact", "store", "snapshot", "data", "exclude", "ignore", "include",
			"base",
			"func", "user", "home", "bin", "lib", "dump", "save", "write", "export", "coverage", "metadata",
			"pattern",
			"grep", "filter", "match", "regex", "search", "title"} {
			if strings.HasPrefix(w, puts) {
				return true
			}
		}
	}
	return len(words) == 0
}

// nextDoor reports whether the folder is in the one that holds the workspace: another project of
// the same person.
func (w *walker) nextDoor(text string, sc *scope) bool {
	parent := path.Dir(w.folder(w.o.Cwd).abs)
	at := w.at(text, sc)
	return w.o.Cwd != "" && at.within(parent) && at.abs != parent && parent != "/" &&
		!strings.HasPrefix(at.abs[len(parent):], "/.")
}

// worksIn reports whether the place is in a folder where containers have the project by custom,
// and the command goes there to work.
func (w *walker) worksIn(at place) bool {
	return len(w.worktrees) > 0 && strings.HasPrefix(at.abs, "/") && len(at.names) > 0 &&
		slices.Contains(w.worktrees, at.names[0])
}

// worktreesIn returns the names of such folders that the command goes to.
func worktreesIn(command string) (list []string) {
	if !strings.Contains(command, "cd ") {
		return nil
	}
	command = strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(command)
	for _, name := range []string{"testbed", "workspace", "workspaces", "repo", "app", "code",
		"project"} {
		i := strings.Index(command, "cd /"+name)
		if i >= 0 && (i == 0 || strings.IndexByte(" \n;&({", command[i-1]) >= 0) {
			list = append(list, name)
		}
	}
	return list
}

// foreignPlace reports whether the text is a path that leads out of the workspace to where
// neither the system nor the project next door lies.
func (w *walker) foreignPlace(text string, sc *scope) bool {
	text = strings.TrimPrefix(text, "file://")
	if len(text) < 2 || strings.HasPrefix(text, "//") || strings.Contains(text, hole) &&
		!strings.HasPrefix(text, "/tmp") {
		return false
	}
	up := strings.HasPrefix(path.Clean(text), "../..")
	if text[0] != '/' && !strings.HasPrefix(text, "~/") && !up {
		return false
	}
	at := w.at(text, sc)
	if w.inWorkspace(at) || w.worksIn(at) || w.o.Cwd != "" && at.within(w.folder(w.o.Cwd).abs) {
		return false
	}
	if up {
		around := path.Dir(path.Dir(w.folder(w.o.Cwd).abs))
		return w.o.Cwd != "" && (around == "/" || !at.within(around))
	}
	for _, root := range []string{"/usr", "/opt", "/bin", "/nix", "/Library", "/System",
		"/Applications", "/dev", "/proc", "/etc/ssl",
		"/snap", "~/.cache", "~/.local/share", "~/.cargo", "~/.rustup", "~/go", "~/.nvm", "~/.pyenv",
		"~/.m2",
		"~/.gradle"} {
		if at.within(root) {
			return false
		}
	}
	text = strings.TrimSuffix(text, "/") // /parser/ is a pattern, or where a site will be found
	return strings.Count(text, "/") > 1 || text[0] == '~' || text == "/tmp"
}
