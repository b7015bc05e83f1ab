package classify

import (
	"path"
	"strings"
)

// scriptFile is the rule for a file that a program runs.
func (a *argv) scriptFile(file word) {
	a.w.read(a.p, file, a.sc)
	if text, ok := a.w.textOf(file, a.sc); ok {
		a.runsText(file, text)
		return
	}
	if file.printed != "" && file.text == "/dev/fd/"+hole &&
		file.from&(fromNet|fromDecode|fromSecret) == 0 {
		a.runsText(file, file.printed)
		return
	}
	switch {
	case strings.ContainsAny(file.text, "();\"'<>|{}") && file.plain(): // code in a file's place
		a.p.add(runsHidden, a.name+" FILE", a.name+" runs "+show(file.text))
	case a.fetched(file):
	case file.from&(fromNet|fromDecode) != 0:
		a.w.scriptFrom(a.p, file.from, a.name)
	case a.ownProgram(file):
		a.p.add(runsOwn, a.name+" FILE",
			a.name+" runs "+show(file.text)+", which is the project's")
	case a.mayHaveWritten(file):
		a.p.add(runsUnread, a.name+" FILE", a.name+" runs the commands in "+show(file.text))
		a.p.Unread = true
	default:
		a.p.add(runsHidden, a.name+" FILE", a.name+" runs the commands in "+show(file.text))
	}
}

// mayHaveWritten reports whether the file may be one that this command has written.
func (a *argv) mayHaveWritten(file word) bool {
	return a.w.hasWritten(file, a.sc) || !file.known() && len(a.w.written) > 0
}

// namesElsewhere reports whether an argument names a place outside the workspace, or a machine.
func (a *argv) namesElsewhere(text string) bool {
	if strings.HasPrefix(text, "//") && (strings.HasSuffix(text, "/...") ||
		strings.HasSuffix(text, ":all")) {
		return false // all targets below a folder of the workspace, for Bazel and its like
	}
	return strings.Contains(text, "://") && !thisMachine(text) ||
		strings.HasPrefix(text, "~") && rooted(text) ||
		(strings.HasPrefix(text, "/") || strings.HasPrefix(text, "..")) &&
			!a.w.inWorkspace(a.w.at(text, a.sc))
}

// ownProgram reports whether a file that is run is one of the project's own, as a task of its
// Makefile is: it lies in the workspace, nothing in this command can have made or changed it,
// and neither its name nor the words that it is given say that it loses something, leaves the
// machine or installs.
func (a *argv) ownProgram(file word) bool {
	at := a.w.at(file.text, a.sc)
	if !file.plain() || file.maybe || a.w.hasWritten(file, a.sc) ||
		strings.ContainsAny(file.text, "*?[:") || file.text == "-" ||
		len(a.w.fetched)+len(a.w.links) > 0 ||
		!a.w.inWorkspace(at) || a.w.kinds(at)&(pathGuarded|pathSecret) != 0 ||
		a.w.kinds(at)&pathScratch != 0 && a.w.kinds(a.w.folder(a.w.o.Cwd))&pathScratch == 0 {
		return false
	}
	words := []string{strings.TrimSuffix(path.Base(at.abs), path.Ext(at.abs))}
	owner := ""
	mode := false // the word before is a flag, so that release is how it is built
	for _, wd := range a.words {
		flagged := mode
		before := owner
		mode, owner = strings.HasPrefix(wd.text, "-"), wd.text
		if !wd.plain() {
			// A file's or a variable's words, or what xargs gives: names of files, mostly.
			if wd.from&^(fromWhole|inDoubt) != 0 {
				return false
			}
			wd.text = strings.ReplaceAll(wd.text, hole, "x")
		}
		if wd.text == file.text {
			continue
		}
		_, val, _ := strings.Cut(wd.text, "=")
		if flagged && namesPut(before) && strings.HasPrefix(wd.text, "/tmp/") &&
			path.Ext(wd.text) == "" && !strings.Contains(wd.text, "..") {
			continue // --output_dir /tmp/out
		}
		if a.namesElsewhere(wd.text) ||
			a.namesElsewhere(val) &&
				!(namesPut(wd.text[:len(wd.text)-len(val)-1]) &&
					strings.HasPrefix(val, "/tmp/") && path.Ext(val) == "") {
			return false
		}
		name := strings.TrimLeft(wd.text, "-")
		set := name != wd.text && (strings.HasSuffix(name, ":release") ||
			strings.HasSuffix(name, "=release")) // -d:release is how it is built
		if !set && (name != "release" || name == wd.text && !flagged) {
			words = append(words, name)
		}
	}
	for i, w := range words {
		named := keyWords(w)
		if i > 0 {
			named = named[:min(1, len(named))] // build-install is a folder
		}
		if level, _ := taskLevel(w); level > readOnly && !(level == network && a.onlyPlans()) ||
			inAny(" install installer setup ", named) {
			return false
		}
	}
	if real, other := a.w.real(at); other && !a.w.inWorkspace(real) {
		return false // a link that leads out
	}
	return true
}

// ownFile reports whether a word where a sub-command is expected is a file that the program
// runs, and judges it: bun x.ts, dotnet bin/app.dll.
func (a *argv) ownFile(file word) bool {
	if !inList(" .ts .tsx .js .mjs .cjs .jsx .dll .exe .swift ", path.Ext(file.text)) ||
		!inList(" bun dotnet swift ", a.name) {
		return false
	}
	if a.name == "swift" {
		a.base = buildTest
	}
	a.scriptFile(file)
	a.subbed = true
	return true
}
