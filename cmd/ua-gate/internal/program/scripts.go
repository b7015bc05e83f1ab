package program

import (
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// text reads a script that the program runs, in the language of the shell that it is.
func (a *argv) text(text string, in shell.Stream, stdin bool) (out shell.Stream) {
	s := a.s
	defer func(shell string, stdin bool) { s.Shell, s.Stdin = shell, stdin }(s.Shell, s.Stdin)
	if match.InList(" shell fish ", a.row.Reader) {
		s.Shell, s.Stdin = "bash", stdin
		if match.InList(" zsh fish ", a.name) {
			s.Shell = a.name
		}
	}
	n := Nested{Text: text, In: in, Sc: a.sc.Sub(), Parts: &a.p.Parts}
	if a.row.Reader == "fish" {
		n.Kind = FishScript
	}
	return s.Walk(n)
}

// script is the rule for a value that a shell runs.
func (a *argv) script(label string, val shell.Word, in shell.Stream) {
	if val.Maybe {
		a.p.AddUnread(label, label+" runs a script that is not known")
	}
	if val.Plain() {
		a.out |= a.text(val.Text, in, false).Bits
		return
	}
	if val.From&(shell.FromNet|shell.FromDecode) != 0 {
		scriptFrom(a.p, val.From, label)
	} else {
		a.p.AddUnread(label, label+" runs a script that is not known")
	}
	a.text(strings.ReplaceAll(val.Text, match.Hole, "_"), in, false)
}

// execs is the rule for a value that a program starts as a command.
func (a *argv) execs(label string, val shell.Word) {
	if !val.Plain() {
		a.p.AddUnread(label, label+" starts a command that is not known")
		return
	}
	if r := a.s.Row(val.Text); r != nil && match.InList(" cat less ", r.Name) {
		return // a pager
	}
	a.p.Add(judgement.WritesHere, label, label+" starts "+match.Show(val.Text))
	text := strings.TrimPrefix(val.Text, "!")
	program, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if r := a.s.Row(path.Base(program)); strings.Contains(program, "/") || r != nil &&
		(r.Facts&(table.FactCode|table.FactScript) != 0 || match.InList(" shell eval ", r.Reader) ||
			r.Name == "env") {
		a.p.AddHidden(label, label+" starts a shell or a program of its own: "+match.Show(val.Text))
	}
	a.s.runScript(text, shell.Stream{Bits: shell.FromPipe, Open: true}, a.sc.Sub(), &a.p.Parts)
}

// runsInput is the rule for a shell that runs its input.
func (a *argv) runsInput() {
	if a.in.Known {
		a.text(a.in.Text, shell.Stream{}, true)
	}
	if !a.in.Known || !a.in.Here {
		ScriptInput(a.p, a.in, a.name)
	}
}

// commandLine judges a text that the table does not account for as a command if it begins with
// a program that loses something or runs what it is given. It reports whether it does.
func (a *argv) commandLine(label, text string) bool {
	words := strings.Fields(strings.TrimLeft(text, "@ "))
	if len(words) < 2 || !slices.ContainsFunc(words[1:], func(t string) bool {
		return t[0] != '-' || t == "-c" || t == "-e"
	}) {
		return false
	}
	r := a.s.Row(path.Base(words[0]))
	if r == nil || r.Level <= verdict.Write && r.Facts&(table.FactScript|table.FactCode) == 0 ||
		a.row.Facts&table.FactText != 0 {
		return false
	}
	a.script(label, shell.Lit(text), shell.Stream{})
	return true
}

// command judges words as a command if the table knows their program: another is
// the project's own.
func (a *argv) command(words []shell.Word) {
	if len(words) == 0 || strings.HasSuffix(a.name, " run") { // words of the project's own program
		return
	}
	if r, _ := a.s.Program(words[0].Text); r != nil && r.Level > verdict.BuildTest ||
		words[0].Text == "sh" || words[0].Text == "bash" {
		a.out |= a.s.runWords(words, a.in, a.sc.Sub(), &a.p.Parts).Bits
	}
}

// runsItself judges a file that the command has written and starts by its name: as its first
// line says, it is given to another program, or to the shell. It reports false where nothing is
// known of the file.
func (a *argv) runsItself(file shell.Word) bool {
	text, ok := a.s.TextOf(file, a.sc)
	if !ok || strings.Contains(text, "\x00") {
		return false
	}
	words := []shell.Word{shell.Lit("sh")}
	if line, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(line, "#!") {
		fields := strings.Fields(line[2:])
		if len(fields) == 0 {
			return false
		}
		if len(fields) > 1 && fields[1] == "-S" { // of env
			fields = append(fields[:1], fields[2:]...)
		}
		words = nil
		for _, field := range fields {
			words = append(words, shell.Lit(field))
		}
	}
	words = append(append(words, file), a.words...)
	a.out |= a.s.runWords(words, a.in, a.sc.Sub(), &a.p.Parts).Bits
	a.p.Add(judgement.RunsOwn, a.name+" FILE", a.name+" is what this command has written")
	return true
}

// inner classifies the command that the words after a wrapper's own are.
func (a *argv) inner(rest []shell.Word) {
	before := len(a.p.Parts)
	if a.row.Facts&table.FactRemote == 0 {
		out := a.s.runWords(rest, a.in, a.sc, &a.p.Parts)
		a.out, a.printed = a.out|out.Bits, out.Text
		return
	}
	var line shell.Word
	for i, wd := range rest {
		if i > 0 {
			line.Text += " "
		}
		line.Text, line.From = line.Text+wd.Text, line.From|wd.From
	}
	a.out |= line.From
	a.s.runScript(strings.ReplaceAll(line.Text, match.Hole, "_"), a.in, &shell.Scope{}, &a.p.Parts)
	capParts(a.p.Parts[before:])
}

// capParts holds what runs on another machine to the level of talking to it,
// but for what never runs.
func capParts(parts []finding.Part) {
	for i := range parts {
		if parts[i].Level != verdict.Denied {
			parts[i].Level = min(parts[i].Level, verdict.Network)
		}
		for j := range parts[i].Effects {
			if e := &parts[i].Effects[j]; e.Act.Level() > verdict.Network &&
				e.Act.Level() != verdict.Denied {
				e.Act = judgement.TalksToHosts
			}
		}
		capParts(parts[i].Parts)
	}
}
