package classify

import (
	"path"
	"slices"
	"strings"

	"ua/internal/common/secret"
)

// effect is what a flag's value or an operand does: those that are no files
// here, and files in fileEffect.
func (a *argv) effect(what effect, val word, flag string) {
	if val.text == "" {
		return
	}
	label := a.name
	if flag != "" {
		label += " " + flag
	}
	switch what {
	// Text is no file, but names that another command gave may be those of secrets, and
	// some programs open a path in a text.
	case isNothing, isText, isGlued, isArgv, isDigits:
		if val.from&fromNames != 0 && !val.plain() {
			a.reads(val)
		}
		if what == isText && strings.ContainsAny(val.text, "/~") {
			a.readsInside(val)
		}
	case isExec:
		a.execs(label, val)
	case isScript:
		a.script(label, val, a.in)
	case isCode:
		a.code(label, val)
	case isNet:
		// Three slashes: the URL names no host, and so no other machine.
		if scheme, _, ok := strings.Cut(val.text, ":///"); !ok || !inList(localSchemes, scheme) {
			a.p.add(talks, label, label+" talks to other machines")
		}
	case isSend:
		a.sends(val, flag)
	// NAME=VALUE is a variable of what the program starts.
	case isPair:
		a.pair(val)
	case isSetting:
		if low := strings.ToLower(val.text); secret.Name(val.text) || strings.Contains(low, "auth") ||
			strings.Contains(low, "token") || strings.Contains(low, "header") ||
			strings.Contains(low, ".env") {
			a.p.add(readsSecrets, label, "the setting "+show(val.text)+" is a secret")
			a.out |= fromSecret
		}
	case isLoose:
		if a.row.facts&factLoose != 0 && strings.HasPrefix(val.text, "/dev/") &&
			(a.base == readOnly || a.fixed) {
			return // a device of which it says something, and not what stands on it
		}
		if strings.Contains(val.text, "/") && a.row.reader != "echo" {
			a.reads(val)
		}
	default:
		a.address(what, label, val)
		a.fileEffect(what, val, label, flag)
	}
}

// fileEffect is what happens to a file or folder.
func (a *argv) fileEffect(what effect, val word, label, flag string) {
	switch what {
	case isList:
		a.lists(val)
	case isDefine:
		a.defines(label, val)
	case isRead, isNamed:
		a.reads(val)
		if what == isRead && a.kinds(val)&pathMixed != 0 {
			a.p.add(readsSecrets, "path:secret", label+" reads all of "+show(val.text)+", secrets too")
			a.out |= fromSecret
		}
	case isWrite, isTree:
		a.writes(label, val, true)
	case isDelete:
		// What the command itself has made is no loss.
		if temporary(val) || a.row.name == "rm" && a.madeHere(val) {
			return
		}
		a.p.add(losesFiles, label, label+" deletes "+named(val.text))
		a.deletes(val)
	// A build in another folder runs the code there.
	case isDir:
		if a.row.level == buildTest || a.name == "env" {
			a.plug(label, val)
		} else if a.row.level == write {
			a.w.write(a.p, val, a.sc, a.kinds(val)&pathWhole != 0)
		}
	case isPlug:
		a.plug(label, val)
	case isProgram:
		a.scriptFile(val)
	case isKey:
		if k := a.kinds(val); k&pathSecret != 0 && k&pathHidden != 0 || val.from&fromNames != 0 {
			a.reads(val)
		}
	case isFolder:
		a.w.placed(a.p, label, label+" makes "+named(val.text), val, a.sc)
		a.w.made = append(a.w.made, a.w.at(val.text, a.sc).abs)
		a.w.write(a.p, val, a.sc, false)
	// What is made anew loses nothing, unless a flag names a file that was there.
	case isOut:
		a.reads(val)
		a.w.write(a.p, val, a.sc, false)
		if flag != "--prefix" { // which only `make install` writes
			a.stray(val)
		}
	case isLink:
		a.reads(val)
		if a.kinds(val)&(pathGuarded|pathDisk) != 0 {
			a.w.write(a.p, val, a.sc, false)
		}
	}
}

// kinds returns what the path rules know of a word.
func (a *argv) kinds(val word) pathKind { return a.w.at(val.text, a.sc).kind }

// reads is the rule for a file that a program reads.
func (a *argv) reads(val word) {
	if strings.HasPrefix(a.name, "git ") && strings.Contains(strings.Trim(val.text, "."), "..") &&
		strings.Contains(val.text, hole) && !strings.ContainsAny(val.text, "/~") {
		return // commits, "$a..$b"
	}
	if a.w.read(a.p, val, a.sc) {
		a.out |= fromSecret
	}
	a.out |= a.w.carried(val, a.sc) & fromSecret
	if i := strings.IndexAny(val.text, ":@") + 1; i > 1 && rooted(val.text[i:]) {
		if name := val.cut(i); a.kinds(name)&pathSecret != 0 { // concat:/etc/shadow
			a.reads(name)
		}
	}
}

// lists is the rule for a path that a program only looks at: it may print it.
func (a *argv) lists(val word) {
	k := a.kinds(val)
	if k&pathHidden != 0 && pathLike(val.text) {
		a.out |= fromNames
	}
	if k&pathAway != 0 {
		a.out |= fromOutside
	}
}

// writes is the rule for a file that a program writes.
func (a *argv) writes(label string, val word, anew bool) {
	if inList(" - null: ", val.text) || !a.w.writesFile(a.p, label, label+" ", val, a.sc, anew) {
		return
	}
	if a.row.name != "chmod" { // which leaves what is in it
		a.w.wroteFile(val.text, a.sc)
	}
	if a.givesNothing() || a.row.name == "truncate" && (val.unknownName() || everyName(val.text)) {
		a.p.add(losesFiles, label, label+" puts nothing in the place of "+show(val.text))
	}
	if a.empties(val) && val.unnamed() == val.listed() {
		a.lost(val, "empties")
	}
	if f := a.w.writtenAt(val, a.sc); f != nil && (a.row.level == network || a.in.bits&fromNet != 0) {
		f.from |= fromNet
	}
}

// fetched reports whether the command has put the network's answer in the file, and
// denies running it if it has.
func (a *argv) fetched(file word) bool {
	if a.w.carried(file, a.sc)&fromNet == 0 {
		return false
	}
	scriptFrom(a.p, fromNet, a.name)
	return true
}

// execs is the rule for a value that a program starts as a command.
func (a *argv) execs(label string, val word) {
	if !val.plain() {
		a.p.add(runsHidden, label, label+" starts a command that is not known")
		a.p.Unread = true
		return
	}
	if r := a.w.row(val.text); r != nil && inList(" cat less ", r.name) {
		return // a pager
	}
	a.p.add(writesHere, label, label+" starts "+show(val.text))
	text := strings.TrimPrefix(val.text, "!")
	program, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if r := a.w.row(path.Base(program)); strings.Contains(program, "/") || r != nil &&
		(r.facts&(factCode|factScript) != 0 || inList(" shell eval ", r.reader) || r.name == "env") {
		a.p.add(runsHidden, label, label+" starts a shell or a program of its own: "+show(val.text))
	}
	a.w.runScript(text, stream{bits: fromPipe, open: true}, a.sc.sub(), &a.p.Parts)
}

// script is the rule for a value that a shell runs.
func (a *argv) script(label string, val word, in stream) {
	if val.maybe {
		a.p.add(runsHidden, label, label+" runs a script that is not known")
		a.p.Unread = true
	}
	if val.plain() {
		a.out |= a.text(val.text, in, false).bits
		return
	}
	if val.from&(fromNet|fromDecode) != 0 {
		scriptFrom(a.p, val.from, label)
	} else {
		a.p.add(runsHidden, label, label+" runs a script that is not known")
		a.p.Unread = true
	}
	a.text(strings.ReplaceAll(val.text, hole, "_"), in, false)
}

// input is the rule for a program that runs what it reads.
func (a *argv) input() {
	if a.row.facts&(factScript|factCode) == 0 || a.rest != nil || a.runs() ||
		a.row.reader == "sql" && a.flagged("-f", "--file") && !a.in.open {
		return
	}
	if a.row.facts&factCode != 0 && len(a.operands) > 0 &&
		inList(" - /dev/stdin ", a.operands[0].text) {
		a.stdinCode()
		return
	}
	if before := slices.IndexFunc(a.row.slots,
		func(s slot) bool { return s.what == isCode }); len(a.operands) > max(before, 0) ||
		before > 0 && !a.in.open {
		return
	}
	if a.row.facts&factCode != 0 {
		a.stdinCode()
		return
	}
	a.runsInput()
}

// runsInput is the rule for a shell that runs its input.
func (a *argv) runsInput() {
	if a.in.known {
		a.text(a.in.text, stream{}, true)
	}
	if !a.in.known || !a.in.here {
		scriptInput(a.p, a.in, a.name)
	}
}

// stdinCode is the rule for code on standard input: what stands in the command is
// read, but for the pieces that are filled in.
func (a *argv) stdinCode() {
	if a.in.known || a.in.here && a.in.text != "" {
		a.code(a.name, word{text: a.in.text, from: a.in.bits})
		return
	}
	if file := lit(a.in.file); file.text != "" && a.in.bits == fromPipe &&
		a.ownInput(file) {
		return
	}
	scriptInput(a.p, a.in, a.name)
}

// ownInput is the rule for a file of the project whose statements a database shell runs as its
// input, as a shell runs a script of the project.
func (a *argv) ownInput(file word) bool {
	if a.row.reader != "sql" || !a.ownProgram(file) {
		return false
	}
	a.p.add(writesHere, a.name+" FILE", a.name+" runs "+show(file.text)+", which is the project's")
	return true
}

// runs reports whether a flag has given the script or code.
func (a *argv) runs() bool {
	for _, u := range a.used {
		loads := u.name == "-r" && a.row.reader == "ruby" || u.name == "-M" || u.name == "-m"
		if u.value == isScript || u.value == isArgv || u.value == isCode && !loads || u.base ||
			u.drop == 1 {
			return true
		}
	}
	return false
}

// inner classifies the command that the words after a wrapper's own are.
func (a *argv) inner(rest []word) {
	before := len(a.p.Parts)
	if a.row.facts&factRemote == 0 {
		out := a.w.runWords(rest, a.in, a.sc, &a.p.Parts)
		a.out, a.printed = a.out|out.bits, out.text
		return
	}
	var line word
	for i, wd := range rest {
		if i > 0 {
			line.text += " "
		}
		line.text, line.from = line.text+wd.text, line.from|wd.from
	}
	a.out |= line.from
	a.w.runScript(strings.ReplaceAll(line.text, hole, "_"), a.in, &scope{}, &a.p.Parts)
	capParts(a.p.Parts[before:])
}

// capParts holds what runs on another machine to the level of talking to it,
// but for what never runs.
func capParts(parts []Part) {
	for i := range parts {
		if parts[i].Level != denied {
			parts[i].Level = min(parts[i].Level, network)
		}
		for j := range parts[i].Effects {
			if e := &parts[i].Effects[j]; e.Act.Level() > network && e.Act.Level() != denied {
				e.Act = talks
			}
		}
		capParts(parts[i].Parts)
	}
}
