package classify

import (
	"path"
	"slices"
	"strings"
)

// vanishes reports whether a place is where nothing stays after a run: its /tmp is a folder of
// its own, as /dev/shm is.
func (w *walker) vanishes(target word, sc *scope) bool {
	at := w.at(target.text, sc)
	if w.inWorkspace(at) {
		return false
	}
	return at.within("/tmp") || at.within("/dev/shm") || at.within("/var/tmp")
}

// movesAway is the rule for a file or folder of the project that is moved where it is gone
// after the run. What the command has made itself and noted more than so many times, or what
// builds and tests put there, is not.
func (a *argv) movesAway(from, to word, noted int) {
	a.takesWhole(from, to)
	at := a.w.at(from.text, a.sc)
	if a.w.o.Cwd != "" && at.abs == a.w.folder(a.w.o.Cwd).abs+"/.git" {
		a.p.hold("path:history", a.name+" takes the history away, "+show(from.text))
	}
	for _, file := range a.w.written {
		if file == at.abs {
			noted--
		}
	}
	if strings.Contains(from.text, hole) || !a.w.vanishes(to, a.sc) || !a.w.inWorkspace(at) ||
		noted < 0 || a.w.wroteBelow(from, a.sc) {
		return
	}
	for piece := range strings.SplitSeq(strings.Trim(from.text, "./"), "/") {
		if madeByBuilds(piece) {
			return
		}
	}
	a.p.raise(destructive, a.name, a.name+" moves "+show(from.text)+" to "+show(to.text)+
		", which does not stay")
}

// wroteBelow reports whether the command has written into the folder.
func (w *walker) wroteBelow(dir word, sc *scope) bool {
	at := w.at(dir.text, sc)
	return slices.ContainsFunc(w.written,
		func(file string) bool { return strings.HasPrefix(file, at.abs+"/") }) ||
		slices.ContainsFunc(w.built, func(file string) bool {
			return file == at.abs ||
				strings.HasPrefix(file, at.abs+"/")
		})
}

// madeByBuilds reports whether a name is one that builds, tests and tools give to what they make.
func madeByBuilds(name string) bool {
	name = strings.ToLower(name)
	if inList(" .log .out .o .a .so .tmp .temp .bak .orig .old .prof .pprof .cov .gz .tgz .zip "+
		".tar .xz .whl .jar .class .pyc .exe .dll .wasm .dump .trace "+
		".html .pdf .svg .png .csv .xml .lcov .info .rej .patch .diff .bin .elf .map .cache .swp .core ",
		path.Ext(name)) {
		return true
	}
	if path.Ext(name) == ".txt" && !strings.HasPrefix(name, "requirements") &&
		!strings.HasPrefix(name, "constraints") &&
		name != "cmakelists.txt" {
		return true
	}
	for _, made := range []string{"build", "dist", "out", "target", "bin", "obj", "coverage",
		"report", "result", "output", "htmlcov", "node_modules",
		"__pycache__", "cache", "tmp", "temp", "log", "artifact", "venv", "app", "core", "a.out",
		"_build", ".next", ".venv", ".tox", "test-results", "bench",
		"gen", "cmake-build", "junit", "screenshots", "profile", "cover"} {
		if strings.HasPrefix(strings.TrimLeft(name, "."), strings.TrimLeft(made, ".")) {
			return true
		}
	}
	return false
}
