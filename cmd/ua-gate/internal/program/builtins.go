package program

import (
	"cmp"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
)

// builtin is what a shell's own commands do to the shell: its folder, its variables, its names.
func (a *argv) builtin() {
	switch a.row.Name {
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

// cd is cd, pushd and popd.
func (a *argv) cd() {
	to := shell.First(a.operands, "")
	switch {
	case a.name == "popd" || a.name == "pushd" && len(a.operands) == 0:
		a.sc.Pop(a.name == "pushd", len(a.words) > 0)
	case a.name == "pushd" && strings.HasPrefix(to.Text, "+"):
		a.sc.Stack, a.sc.Cwd = nil, "" // it turns the list around
	case a.name == "pushd":
		a.sc.Stack = append(slices.Clone(a.sc.Stack), a.sc.Cwd)
		a.goes(to)
	case len(a.operands) == 0:
		a.sc.Cd(shell.Lit("~"))
	default:
		a.goes(to)
	}
}

// goes moves the scope to a folder, and notes where the shell still is if that is not there: the
// command has not made it, and it is not found.
func (a *argv) goes(to shell.Word) {
	stay, there := cmp.Or(a.sc.Stay, a.sc.Cwd), a.s.Errexit || shell.Temporary(to) ||
		strings.Trim(to.Text, "./~-") == ""
	a.sc.Cd(to)
	at := a.s.At(".", a.sc)
	if there = there || slices.Contains(a.s.Made, at.Abs); !there && to.Plain() {
		folder := a.s.Look(at)
		there = folder != nil && folder.IsDir()
	}
	if a.sc.Stay = stay; there {
		a.sc.Stay = ""
	}
}

// sets is read, mapfile, getopts and their like: the variables that their operands name
// get what comes in.
func (a *argv) sets() {
	if array, ok := a.value("-a"); ok {
		a.operands = append(a.operands, array)
	}
	if _, ok := a.value("-C"); ok { // with each line that it reads
		a.p.AddUnread(a.name+" -C", a.name+" runs a command")
	}
	if a.name == "getopts" && len(a.operands) > 0 {
		a.operands = a.operands[1:min(2, len(a.operands))]
	}
	a.subscript()
	Evaluates(a.p, "the input", a.in.Text)
	if len(a.operands) == 0 {
		a.operands = []shell.Word{shell.Lit("REPLY"), shell.Lit("MAPFILE")}
	}
	var texts []shell.Word // what it may take, as far as it is known
	for text := range strings.FieldsSeq(a.in.Text) {
		texts = append(texts, shell.Word{Text: text, From: a.in.Bits})
	}
	for _, o := range a.operands {
		a.fillsWith(o, a.in.Bits|shell.FromPipe, texts)
	}
}

// filled is a variable that gets what nobody has read.
func filled(name string) Setting {
	name, _, _ = strings.Cut(name, "[")
	return Setting{name, shell.Word{Text: match.Hole, From: shell.FromPipe}}
}

// fillsWith gives a variable one of the texts, or another one.
func (a *argv) fillsWith(into shell.Word, from shell.Flow, texts []shell.Word) {
	a.sc.Forget(into.Text, from)
	if name, _, _ := strings.Cut(into.Text, "["); len(texts) > 0 {
		a.sc.Array(name, texts)
		v := a.sc.Vars[name]
		v.Others = v.List[:min(len(v.List), shell.MaxOlder)]
		a.sc.Vars[name] = v
	}
	a.s.JudgeSetting(a.p, filled(into.Text), nil)
}

// subscript is the rule for builtins that evaluate the subscripts in names.
func (a *argv) subscript() {
	if a.name == "set" {
		a.setArguments()
		if len(a.words) == 0 {
			a.out |= shell.FromSecret // all variables
		}
	}
	if a.name == "compgen" && (a.flagged("-v", "-e") ||
		slices.ContainsFunc(a.used, func(u use) bool {
			return match.InList(" variable export arrayvar ", u.val.Text)
		})) {
		a.out |= shell.FromNames
	}
	for _, o := range a.operands {
		if shell.Substitutes(o.Text) {
			a.p.AddHidden("word:subscript", a.name+" runs the commands in a subscript")
			a.p.Unread = a.p.Unread || subscripted(o.Text)
		}
	}
	for _, u := range a.used {
		if a.name == "wait" && u.Name == "-p" {
			a.s.JudgeSetting(a.p, filled(u.val.Text), nil)
		}
		if shell.Substitutes(u.val.Text) && u.Value != table.IsScript {
			a.p.AddHidden("word:subscript",
				a.name+" "+u.Name+" runs the commands in "+match.Show(u.val.Text))
			a.p.Unread = a.p.Unread || subscripted(u.val.Text) || match.InList(" compgen complete ", a.name)
		}
	}
}

// echo is echo and printf: what they write is known if their words are.
func (a *argv) echo() {
	a.printed, a.known = printed(a.name, a.s.Shell, a.words)
	// Most of sh, other than bash, decode \0NNN and \c without -e.
	if a.name == "echo" && a.s.Depth > 1 && (strings.Contains(a.printed, `\0`) ||
		strings.Contains(a.printed, `\c`)) {
		a.known = false
	}
	for _, wd := range a.words {
		a.out |= wd.From &^ shell.Passing
		a.lists(wd)
	}
	if strings.Contains(a.printed, match.Hole) { // names that xargs -0 or the like reads
		a.printed, a.known = strings.ReplaceAll(a.printed, match.Hole, "\n"), false
	}
	if a.name == "printf" {
		a.printInto()
	}
}

// printInto is -v of printf and print, which evaluate the subscript in the name behind it.
func (a *argv) printInto() {
	if a.name == "printf" && (len(a.words) == 0 || !strings.HasPrefix(a.words[0].Text, "-v")) {
		return
	}
	for i, wd := range a.words {
		if !strings.HasPrefix(wd.Text, "-") || wd.Text == "--" {
			return
		}
		if !strings.Contains(wd.Text, "v") {
			continue
		}
		into, values := wd.Cut(min(2, len(wd.Text))), a.words[i+1:]
		if into.Text == "" && len(values) > 0 {
			into, values = values[0], values[1:]
		}
		if text, ok := printed("printf", "", values); ok {
			values = append(slices.Clip(values), shell.Lit(text))
		}
		a.fillsWith(into, shell.FromAll(values)|shell.FromText, values)
		a.operands = []shell.Word{into}
		a.subscript()
		return
	}
}

// declares is a declaration that another builtin starts, command export NAME=VALUE.
func (a *argv) declares() {
	d := a.s.Declaration(a.name, a.p, a.sc)
	for _, wd := range a.words {
		d.Word(wd)
	}
	if !d.Named {
		a.out |= shell.FromSecret
	}
}
