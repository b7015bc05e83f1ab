package program

import (
	"path"
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/secret"
	"ua/internal/common/verdict"
)

// effect is what a flag's value or an operand does: those that are no files
// here, and files in fileEffect.
func (a *argv) effect(what table.Effect, val shell.Word, flag string) {
	if val.Text == "" {
		return
	}
	label := a.name
	if flag != "" {
		label += " " + flag
	}
	switch what {
	// Text is no file, but names that another command gave may be those of secrets, and
	// some programs open a path in a text.
	case table.IsNothing, table.IsText, table.IsGlued, table.IsArgv, table.IsDigits:
		if val.From&shell.FromNames != 0 && !val.Plain() {
			a.reads(val)
		}
		if what == table.IsText && strings.ContainsAny(val.Text, "/~") {
			a.readsInside(val)
		}
	case table.IsExec:
		a.execs(label, val)
	case table.IsScript:
		a.script(label, val, a.in)
	case table.IsCode:
		a.code(label, val)
	case table.IsNet:
		// Three slashes: the URL names no host, and so no other machine.
		if scheme, _, ok := strings.Cut(val.Text, ":///"); !ok || !match.InList(localSchemes, scheme) {
			a.p.Add(judgement.TalksToHosts, label, label+" talks to other machines")
		}
	case table.IsSend:
		a.sends(val, flag)
	// NAME=VALUE is a variable of what the program starts.
	case table.IsPair:
		a.pair(val)
	case table.IsSetting:
		if low := strings.ToLower(val.Text); secret.Name(val.Text) || strings.Contains(low, "auth") ||
			strings.Contains(low, "token") || strings.Contains(low, "header") ||
			strings.Contains(low, ".env") {
			a.p.Add(judgement.ReadsSecrets, label, "the setting "+match.Show(val.Text)+" is a secret")
			a.out |= shell.FromSecret
		}
	case table.IsLoose:
		if a.row.Facts&table.FactLoose != 0 && strings.HasPrefix(val.Text, "/dev/") &&
			(a.base == verdict.ReadOnly || a.fixed) {
			return // a device of which it says something, and not what stands on it
		}
		if strings.Contains(val.Text, "/") && a.row.Reader != "echo" {
			a.reads(val)
		}
	default:
		a.address(what, label, val)
		a.fileEffect(what, val, label, flag)
	}
}

// fileEffect is what happens to a file or folder.
func (a *argv) fileEffect(what table.Effect, val shell.Word, label, flag string) {
	switch what {
	case table.IsList:
		a.lists(val)
	case table.IsDefine:
		a.defines(label, val)
	case table.IsRead, table.IsNamed:
		a.reads(val)
		if what == table.IsRead && a.kinds(val)&table.PathMixed != 0 {
			a.p.Add(judgement.ReadsSecrets, "path:secret",
				label+" reads all of "+match.Show(val.Text)+", secrets too")
			a.out |= shell.FromSecret
		}
	case table.IsWrite, table.IsTree:
		a.writes(label, val, true)
	case table.IsDelete:
		// What the command itself has made is no loss.
		if shell.Temporary(val) || a.row.Name == "rm" && a.madeHere(val) {
			return
		}
		a.p.Add(judgement.LosesFiles, label, label+" deletes "+match.Named(val.Text))
		a.deletes(val)
	// A build in another folder runs the code there.
	case table.IsDir:
		if a.row.Level == verdict.BuildTest || a.name == "env" {
			a.plug(label, val)
		} else if a.row.Level == verdict.Write {
			a.s.Write(a.p, val, a.sc, a.kinds(val)&table.PathWhole != 0)
		}
	case table.IsPlug:
		a.plug(label, val)
	case table.IsProgram:
		a.scriptFile(val)
	case table.IsKey:
		if k := a.kinds(val); k&table.PathSecret != 0 && k&table.PathHidden != 0 ||
			val.From&shell.FromNames != 0 {
			a.reads(val)
		}
	case table.IsFolder:
		a.s.Placed(a.p, label, label+" makes "+match.Named(val.Text), val, a.sc)
		a.s.Made = append(a.s.Made, a.s.At(val.Text, a.sc).Abs)
		a.s.Write(a.p, val, a.sc, false)
	// What is made anew loses nothing, unless a flag names a file that was there.
	case table.IsOut:
		a.reads(val)
		a.s.Write(a.p, val, a.sc, false)
		if flag != "--prefix" { // which only `make install` writes
			a.stray(val)
		}
	case table.IsLink:
		a.reads(val)
		if a.kinds(val)&(table.PathGuarded|table.PathDisk) != 0 {
			a.s.Write(a.p, val, a.sc, false)
		}
	}
}

// defines is the rule for NAME=VALUE that a build tool gets, which may be a command.
func (a *argv) defines(label string, val shell.Word) {
	key, text, set := strings.Cut(val.Text, "=")
	if key = strings.TrimRight(key, ":+?! "); set {
		a.s.JudgeSetting(a.p, Setting{key, val.Cut(len(val.Text) - len(text))}, nil)
	}
	switch {
	case shell.Substitutes(text) || strings.Contains(text, "$("):
		a.p.AddHidden(label, label+" "+match.Show(key)+" runs "+match.Show(text))
	case !a.commandLine(label, text) && strings.HasPrefix(text, "/") && a.s.Foreign(text, a.sc):
		a.p.Add(judgement.RunsUnread, label, label+" "+match.Show(
			key)+" may run what is in "+match.Show(text))
	}
}

// pair is NAME=VALUE among the words of a program that starts another one with the variable.
func (a *argv) pair(val shell.Word) {
	name, text, set := strings.Cut(val.Text, "=")
	if !set {
		return
	}
	v := val.Cut(len(name) + 1)
	a.s.JudgeSetting(a.p, Setting{name, v}, a.rest)
	if !strings.Contains(name, match.Hole) && len(a.rest) > 0 &&
		match.InList(shellNames, path.Base(a.rest[0].Text)) {
		a.sc = a.sc.Sub()
		a.sc.Put(name, shell.Value{Text: text, From: val.From, Maybe: true})
	}
}
