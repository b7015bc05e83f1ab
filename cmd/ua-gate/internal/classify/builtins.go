package classify

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtin is what a shell's own commands do to the shell: its folder, its variables, its names.
func (a *argv) builtin() {
	switch a.row.name {
	case "trap":
		a.trap()
	case "source":
		a.source()
	case "alias":
		a.alias()
	case "cd", "popd":
		a.cd()
	case "read", "mapfile", "getopts":
		a.sets()
	case "export":
		a.declares()
	default:
		a.subscript()
	}
}

// eval runs its words as one script.
func (a *argv) eval() {
	var script word
	var text strings.Builder
	for i, o := range a.operands {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(o.text)
		script.from |= o.from
		script.maybe = script.maybe || o.maybe
	}
	script.text = text.String()
	if script.text == "" {
		return
	}
	if script.plain() && !script.maybe {
		a.w.runScript(script.text, a.in, a.sc, &a.p.Parts)
		return
	}
	a.sc.lose()
	a.script(a.name, script, a.in)
}

// trap runs its first operand later.
func (a *argv) trap() {
	if len(a.operands) > 1 && a.operands[0].from&fromTemp != 0 {
		text := strings.NewReplacer(`"`, "", "'", "").Replace(a.operands[0].text)
		if flags, ok := strings.CutSuffix(text, " /tmp/"+hole); ok &&
			inList(" rm rm-rf rm-r rm-f rm-fr ", strings.ReplaceAll(flags, " ", "")) {
			a.p.add(writesHere, "trap", "deletes what mktemp has made")
			return // the name stands in it, and not the variable
		}
	}
	if len(a.operands) > 1 && a.operands[0].text != "-" {
		later := a.sc.beside()
		if !a.operands[0].known() {
			a.script("trap", a.operands[0], stream{})
			return
		}
		a.w.runScript(a.operands[0].text, stream{}, later, &a.p.Parts)
	}
}

// source runs a file as part of the shell.
func (a *argv) source() {
	file := first(a.operands, "")
	if a.w.shell == "fish" && (len(a.operands) == 0 || file.text == "-") {
		scriptInput(a.p, a.in, a.name)
		return
	}
	a.w.read(a.p, file, a.sc)
	text, known := a.w.textOf(file, a.sc)
	switch {
	case a.w.hasWritten(file, a.sc):
		a.p.add(runsUnread, a.name, a.name+" runs what this command has just written")
		a.p.Unread = a.p.Unread || !known
	case a.stdinFile(file.text) && a.in.known:
		text, known = a.in.text, true
	case file.printed != "":
		text, known = file.printed, true
	}
	if known {
		a.w.runScript(text, stream{}, a.sc, &a.p.Parts)
		a.base = readOnly
		return
	}
	a.sc.lose()
	switch name := file.text; {
	case name == "" || a.fetched(file) || a.w.hasWritten(file, a.sc):
	case a.ownDescriptor(name), file.from&(fromNet|fromDecode) != 0:
		scriptInput(a.p, stream{bits: a.in.bits | file.from}, a.name)
	case strings.HasSuffix(name, "/bin/activate") && below(name), name == "bin/activate",
		strings.HasSuffix(name, "/nvm.sh"), name == "~/.profile", name == "~/.bash_profile",
		strings.HasPrefix(name, "~/.") && strings.HasSuffix(name, "rc"), name == "~/.cargo/env":
		a.base = buildTest
	case inList(" .sh .bash .zsh ", path.Ext(name)) &&
		!strings.HasPrefix(name, "/") && inAny(" env environment setenv venv activate common lib utils "+
		"util functions helpers vars variables defaults paths ", keyWords(path.Base(name))) &&
		a.ownProgram(file):
		a.base = buildTest // what it sets and defines is the project's, and so is what runs then
	default:
		a.p.add(runsHidden, a.name, a.name+" runs the commands in "+show(name))
	}
}

// alias gives words a new meaning. What it is is read at once; what stands behind it where it is
// used is not.
func (a *argv) alias() {
	for _, wd := range a.words {
		if strings.HasPrefix(wd.text, "-") && strings.ContainsAny(wd.text, "gs") {
			a.p.add(runsHidden, "alias "+wd.text,
				"the alias takes effect in other words than a command's first")
		}
	}
	for _, o := range a.operands {
		name, _, set := strings.Cut(o.text, "=")
		if !set {
			continue
		}
		if syntax.IsKeyword(name) {
			a.p.add(runsHidden, "alias", "an alias in the place of "+name)
			a.p.Unread = true
		}
		a.script("alias", o.cut(len(name)+1), stream{})
		a.w.functions[name] = &function{alias: true}
	}
}

// setArguments is set with words behind its flags, which become $1 and so on.
func (a *argv) setArguments() {
	for i, wd := range a.words {
		letters, short := strings.CutPrefix(wd.text, "-")
		if short && !strings.HasPrefix(letters, "-") && strings.Contains(letters, "k") ||
			wd.text == "keyword" && i > 0 && a.words[i-1].text == "-o" {
			a.p.add(runsHidden, "set -k", "set -k makes arguments variables of the command")
			a.p.Unread = true
		}
	}
	for i, wd := range a.words {
		if wd.text == "--" || !strings.HasPrefix(wd.text, "-") && !strings.HasPrefix(wd.text, "+") {
			if wd.text == "--" {
				i++
			} else if i > 0 && strings.HasSuffix(a.words[i-1].text, "o") {
				continue // the name of an option: set -o pipefail
			}
			a.sc.array("@", a.words[i:])
			return
		}
	}
}
