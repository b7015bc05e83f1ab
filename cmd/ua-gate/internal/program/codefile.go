package program

import (
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/code"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// scriptFile is the rule for a file that a program runs.
func (a *argv) scriptFile(file shell.Word) {
	if codeReaders[a.row.Reader] != nil && a.stdinFile(file.Text) { // sed -f -
		a.stdinCode()
		return
	}
	a.s.Read(a.p, file, a.sc)
	if text, ok := a.s.TextOf(file, a.sc); ok {
		a.runsText(file, text)
		return
	}
	if file.Printed != "" && file.Text == "/dev/fd/"+match.Hole &&
		file.From&(shell.FromNet|shell.FromDecode|shell.FromSecret) == 0 {
		a.runsText(file, file.Printed)
		return
	}
	switch {
	case strings.ContainsAny(file.Text, "();\"'<>|{}") && file.Plain(): // code in a file's place
		a.p.AddHidden(a.name+" FILE", a.name+" runs "+match.Show(file.Text))
	case a.fetched(file):
	case file.From&(shell.FromNet|shell.FromDecode) != 0:
		scriptFrom(a.p, file.From, a.name)
	case a.ownProgram(file):
		a.base = max(a.base, verdict.BuildTest)
		a.p.Add(judgement.RunsOwn, a.name+" FILE",
			a.name+" runs "+match.Show(file.Text)+", which is the project's")
	case a.s.HasWritten(file, a.sc), !file.Known() && len(a.s.Written) > 0: // it may be that one
		a.p.Add(judgement.RunsUnread, a.name+" FILE",
			a.name+" runs the commands in "+match.Show(file.Text))
		a.p.Unread = true
	default:
		a.p.AddHidden(a.name+" FILE", a.name+" runs the commands in "+match.Show(file.Text))
	}
}

// runsText judges a file that the command has written, of which it runs the text.
func (a *argv) runsText(file shell.Word, text string) {
	switch {
	case match.InList(" shell fish ", a.row.Reader):
		a.text(text, shell.Stream{}, false)
	case code.Knows(a.row.Reader), codeReaders[a.row.Reader] != nil:
		a.code(a.name+" FILE", shell.Lit(text))
	default:
		a.p.Add(judgement.RunsUnread, a.name+" FILE", a.name+" runs code in a language that is not read")
	}
	a.p.Add(judgement.RunsOwn, a.name+" FILE", a.name+" runs what this command has written")
}

// ownFile reports whether a word where a sub-command is expected is a file that the program
// runs, and judges it: bun x.ts, dotnet bin/app.dll.
func (a *argv) ownFile(file shell.Word) bool {
	if !match.InList(" .ts .tsx .js .mjs .cjs .jsx .dll .exe .swift ", path.Ext(file.Text)) ||
		!match.InList(" bun dotnet swift ", a.name) {
		return false
	}
	if a.name == "swift" {
		a.base = verdict.BuildTest
	}
	a.scriptFile(file)
	a.subbed = true
	return true
}

// plug is the rule for code that a program runs: what is in the workspace or named
// from it is the project's own, and anything else may be anybody's.
func (a *argv) plug(label string, val shell.Word) {
	val.Text = strings.TrimPrefix(val.Text, "file://")
	if a.kinds(val)&table.PathStream != 0 {
		return
	}
	if val.Text == "-" {
		a.p.AddHidden(label, label+" runs what it reads")
		return
	}
	if a.row.Reader == "node" && strings.HasPrefix(val.Text, ".") && !a.flagged("--test") &&
		(strings.HasSuffix(label, " -r") || strings.Contains(label, " --")) {
		a.p.AddHidden(label, label+" runs "+match.Show(val.Text))
		return
	}
	// What stands in the command itself nobody has reviewed.
	if strings.HasPrefix(val.Text, "data:") || a.s.HasWritten(val, a.sc) {
		a.p.Add(judgement.RunsUnread, label, label+" runs what stands in this command")
		return
	}
	if strings.HasPrefix(val.Text, "{") {
		for _, file := range inQuotes(val.Text) {
			if strings.ContainsAny(file[:1], "/~") {
				a.plug(label, shell.Lit(file))
			}
		}
		return
	}
	if strings.HasPrefix(val.Text, "//") {
		return // a label, //folder:target
	}
	if name, _, ok := strings.Cut(val.Text, "=/"); ok && !strings.Contains(name, "/") {
		val = val.Cut(len(name) + 1) // NAME=FOLDER
	}
	a.touch(val)
	if strings.HasPrefix(path.Clean(val.Text), "../..") && a.s.Foreign(val.Text, a.sc) {
		a.p.AddHidden(label, label+" runs code from "+match.Show(val.Text))
		return
	}
	// Named from the workspace, it is the project's.
	if !machine.Rooted(val.Text) {
		return
	}
	if a.kinds(val)&table.PathHere == 0 {
		a.p.AddHidden(label, label+" runs code from "+match.Show(val.Text))
	}
}

// inQuotes returns the texts in double quotes of settings that stand in the command itself.
func inQuotes(text string) (list []string) {
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 && part != "" {
			list = append(list, part)
		}
	}
	return list
}

// input is the rule for a program that runs what it reads.
func (a *argv) input() {
	if a.row.Facts&(table.FactScript|table.FactCode) == 0 || a.rest != nil || a.runs() ||
		a.row.Reader == "sql" && a.flagged("-f", "--file") && !a.in.Open {
		return
	}
	if a.row.Facts&table.FactCode != 0 && len(a.operands) > 0 &&
		match.InList(" - /dev/stdin ", a.operands[0].Text) {
		a.stdinCode()
		return
	}
	if before := slices.IndexFunc(a.row.Slots,
		func(s table.Slot) bool { return s.What == table.IsCode }); len(a.operands) > max(before, 0) ||
		before > 0 && !a.in.Open {
		return
	}
	if a.row.Facts&table.FactCode != 0 {
		a.stdinCode()
		return
	}
	a.runsInput()
}

// stdinCode is the rule for code on standard input: what stands in the command is
// read, but for the pieces that are filled in.
func (a *argv) stdinCode() {
	if a.in.Known || a.in.Here && a.in.Text != "" {
		a.code(a.name, shell.Word{Text: a.in.Text, From: a.in.Bits})
		return
	}
	if file := shell.Lit(a.in.File); file.Text != "" && a.in.Bits == shell.FromPipe &&
		a.ownInput(file) {
		return
	}
	ScriptInput(a.p, a.in, a.name)
}

// ownInput is the rule for a file of the project whose statements a database shell runs as its
// input, as a shell runs a script of the project.
func (a *argv) ownInput(file shell.Word) bool {
	if a.row.Reader != "sql" || !a.ownProgram(file) {
		return false
	}
	a.p.Add(judgement.WritesHere, a.name+" FILE", a.name+" runs "+match.Show(
		file.Text)+", which is the project's")
	return true
}

// runs reports whether a flag has given the script or code.
func (a *argv) runs() bool {
	for _, u := range a.used {
		loads := u.Name == "-r" && a.row.Reader == "ruby" || u.Name == "-M" || u.Name == "-m"
		if u.Value == table.IsScript || u.Value == table.IsArgv || u.Value == table.IsCode && !loads ||
			u.Base ||
			u.Drop == 1 {
			return true
		}
	}
	return false
}
