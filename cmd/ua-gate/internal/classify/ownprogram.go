package classify

import (
	"path"
	"strings"
)

// scriptFile is the rule for a file that a program runs.
func (a *argv) scriptFile(file word) {
	if readerOfCode(a.row.reader) != nil && a.stdinFile(file.text) { // sed -f -
		a.stdinCode()
		return
	}
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
		scriptFrom(a.p, file.from, a.name)
	case a.ownProgram(file):
		a.base = max(a.base, buildTest)
		a.p.add(runsOwn, a.name+" FILE",
			a.name+" runs "+show(file.text)+", which is the project's")
	case a.w.hasWritten(file, a.sc), !file.known() && len(a.w.written) > 0: // it may be that one
		a.p.add(runsUnread, a.name+" FILE", a.name+" runs the commands in "+show(file.text))
		a.p.Unread = true
	default:
		a.p.add(runsHidden, a.name+" FILE", a.name+" runs the commands in "+show(file.text))
	}
}

// ownProgram reports whether a file that is run is one of the project's own, as a task of its
// Makefile is: it lies in the workspace, and nothing in this command can have made or changed it.
func (a *argv) ownProgram(file word) bool {
	at, scratch := a.w.at(file.text, a.sc), a.w.kinds(a.w.folder(a.w.o.Cwd))&pathScratch
	const trusted = pathGuarded | pathSecret
	return file.plain() && !file.maybe && file.text != "-" &&
		!strings.ContainsAny(file.text, "*?[:") && !a.w.hasWritten(file, a.sc) &&
		!a.w.wroteFrom(fromNet) && len(a.w.links) == 0 && at.kind&pathHere != 0 &&
		(at.kind|a.w.byTable(at))&trusted == 0 && at.kind&pathScratch&^scratch == 0
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

// ownDescriptor reports whether the file is one by which a program opens its own descriptors
// again, whatever way leads there: /dev/stdin, /dev/fd/3, /proc/self/fd/0 (proc(5)).
func (a *argv) ownDescriptor(text string) bool { return a.kinds(lit(text))&pathDescriptor != 0 }

// stdinFile reports whether the operand stands for standard input: -, or a path to
// descriptor 0.
func (a *argv) stdinFile(text string) bool {
	return text == "-" || a.kinds(lit(text))&pathInput != 0
}
