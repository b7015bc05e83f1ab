package program

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/internal/common/verdict"
)

// shell reads the words of sh and its kind.
func (a *argv) shell() {
	var operands []shell.Word
	command, check, stdin, plain := false, false, false, true
	for i := 0; i < len(a.words); i++ {
		wd := a.words[i]
		t := wd.Text
		if _, sure := a.lookup("-" + t); sure && len(operands) == 0 {
			t = "-" + t // bash takes long options with one dash, too
		}
		switch {
		// The first word that is no option ends them; what follows belongs to the script.
		case len(operands) > 0 || t == "-" || !strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "+"):
			operands = append(operands, wd)
		case t == "--":
			operands = append(operands, a.words[i+1:]...)
			i = len(a.words)
		// A start-up file is code, too, and this one is not the user's usual one.
		case strings.HasPrefix(t, "--rcfile"), strings.HasPrefix(t, "--init-file"):
			a.p.AddHidden(a.name+" --rcfile", a.name+" runs a start-up file")
			i++
		case strings.HasPrefix(t, "--"):
			if _, sure := a.lookup(t); !sure {
				a.p.AddHidden(a.name+" "+t, a.name+" does not know "+match.Show(t))
			}
			plain = plain && match.InList(" --norc --noprofile --posix ", t)
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
	a.sc = a.sc.Child()
	// The shell does nothing by itself: what it is given to run counts.
	a.base = verdict.ReadOnly
	switch {
	case check && plain:
		a.why = "only checks"
	case command && len(operands) > 0:
		a.positional(operands[1:])
		a.script(a.name+" -c", operands[0], a.in)
	case len(operands) > 0 && !stdin && operands[0].Text != "-" && !a.ownDescriptor(operands[0].Text):
		a.scriptFile(operands[0])
	default:
		if len(operands) > 0 {
			a.in.Bits |= operands[0].From
			a.in.Known = a.in.Known && operands[0].Text != "/dev/fd/"+match.Hole
		}
		a.runsInput()
	}
}

// positional gives $1 and so on their values in a script: they are its own words.
func (a *argv) positional(words []shell.Word) {
	delete(a.sc.Vars, "@")
	a.sc.Array("@", words[min(1, len(words)):])
	if len(words) > 0 {
		a.sc.Put("0", shell.Value{Text: words[0].Text, From: words[0].From, Maybe: true})
	}
}

// eval runs its words as one script.
func (a *argv) eval() {
	var script shell.Word
	var text strings.Builder
	for i, o := range a.operands {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(o.Text)
		script.From |= o.From
		script.Maybe = script.Maybe || o.Maybe
	}
	script.Text = text.String()
	if script.Text == "" {
		return
	}
	if script.Plain() && !script.Maybe {
		a.s.runScript(script.Text, a.in, a.sc, &a.p.Parts)
		return
	}
	a.sc.Lose()
	a.script(a.name, script, a.in)
}

// trap runs its first operand later.
func (a *argv) trap() {
	if len(a.operands) > 1 && a.operands[0].From&shell.FromTemp != 0 {
		text := strings.NewReplacer(`"`, "", "'", "").Replace(a.operands[0].Text)
		if flags, ok := strings.CutSuffix(text, " /tmp/"+match.Hole); ok &&
			match.InList(" rm rm-rf rm-r rm-f rm-fr ", strings.ReplaceAll(flags, " ", "")) {
			a.p.Add(judgement.WritesHere, "trap", "deletes what mktemp has made")
			return // the name stands in it, and not the variable
		}
	}
	if len(a.operands) > 1 && a.operands[0].Text != "-" {
		later := a.sc.Beside()
		if !a.operands[0].Known() {
			a.script("trap", a.operands[0], shell.Stream{})
			return
		}
		a.s.runScript(a.operands[0].Text, shell.Stream{}, later, &a.p.Parts)
	}
}

// source runs a file as part of the shell.
func (a *argv) source() {
	file := shell.First(a.operands, "")
	if a.s.Shell == "fish" && (len(a.operands) == 0 || file.Text == "-") {
		ScriptInput(a.p, a.in, a.name)
		return
	}
	a.s.Read(a.p, file, a.sc)
	text, known := a.s.TextOf(file, a.sc)
	switch {
	case a.s.HasWritten(file, a.sc):
		a.p.Add(judgement.RunsUnread, a.name, a.name+" runs what this command has just written")
		a.p.Unread = a.p.Unread || !known
	case a.stdinFile(file.Text) && a.in.Known:
		text, known = a.in.Text, true
	case file.Printed != "":
		text, known = file.Printed, true
	}
	if known {
		a.s.runScript(text, shell.Stream{}, a.sc, &a.p.Parts)
		a.base = verdict.ReadOnly
		return
	}
	a.sc.Lose()
	switch name := file.Text; {
	case name == "" || a.fetched(file) || a.s.HasWritten(file, a.sc):
	case a.ownDescriptor(name), file.From&(shell.FromNet|shell.FromDecode) != 0:
		ScriptInput(a.p, shell.Stream{Bits: a.in.Bits | file.From}, a.name)
	case strings.HasSuffix(name, "/bin/activate") && machine.Below(name), name == "bin/activate",
		strings.HasSuffix(name, "/nvm.sh"), name == "~/.profile", name == "~/.bash_profile",
		strings.HasPrefix(name, "~/.") && strings.HasSuffix(name, "rc"), name == "~/.cargo/env":
		a.base = verdict.BuildTest
	case match.InList(" .sh .bash .zsh ", path.Ext(name)) &&
		!strings.HasPrefix(name, "/") && match.InAny(
		" env environment setenv venv activate common lib utils "+
			"util functions helpers vars variables defaults paths ", match.KeyWords(path.Base(name))) &&
		a.ownProgram(file):
		a.base = verdict.BuildTest // what it sets and defines is the project's, and so is what runs then
	default:
		a.p.AddHidden(a.name, a.name+" runs the commands in "+match.Show(name))
	}
}

// alias gives words a new meaning. What it is is read at once; what stands behind it where it is
// used is not.
func (a *argv) alias() {
	for _, wd := range a.words {
		if strings.HasPrefix(wd.Text, "-") && strings.ContainsAny(wd.Text, "gs") {
			a.p.AddHidden("alias "+wd.Text, "the alias takes effect in other words than a command's first")
		}
	}
	for _, o := range a.operands {
		name, _, set := strings.Cut(o.Text, "=")
		if !set {
			continue
		}
		if syntax.IsKeyword(name) {
			a.p.AddUnread("alias", "an alias in the place of "+name)
		}
		a.script("alias", o.Cut(len(name)+1), shell.Stream{})
		a.s.Define(name, &Function{alias: true})
	}
}

// setArguments is set with words behind its flags, which become $1 and so on.
func (a *argv) setArguments() {
	for i, wd := range a.words {
		letters, short := strings.CutPrefix(wd.Text, "-")
		if short && !strings.HasPrefix(letters, "-") && strings.Contains(letters, "k") ||
			wd.Text == "keyword" && i > 0 && a.words[i-1].Text == "-o" {
			a.p.AddUnread("set -k", "set -k makes arguments variables of the command")
		}
	}
	for i, wd := range a.words {
		if wd.Text == "--" || !strings.HasPrefix(wd.Text, "-") && !strings.HasPrefix(wd.Text, "+") {
			if wd.Text == "--" {
				i++
			} else if i > 0 && strings.HasSuffix(a.words[i-1].Text, "o") {
				continue // the name of an option: set -o pipefail
			}
			a.sc.Array("@", a.words[i:])
			return
		}
	}
}
