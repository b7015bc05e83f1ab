package program

import (
	"strings"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
)

// A Setting is a variable set for one command.
type Setting struct {
	Name string
	Val  shell.Word
}

// JudgeSetting is the rule for a variable that is set, for the words if they are there, or for
// all that comes later: to a value, or to what read(1) and its like take. By what it names
// programs may run or load code, which nobody has read.
func (s *Session) JudgeSetting(p *finding.Part, v Setting, words []shell.Word) {
	text := v.Val.Text
	if shell.UnknownName(v.Name) {
		p.AddHidden("env:", "sets a variable whose name is not known")
		return
	}
	if strings.HasPrefix(text, "() {") {
		p.AddUnread("env:"+v.Name, v.Name+" is a function that shells run")
		return
	}
	Evaluates(p, "the value of "+v.Name, text)
	s.Prompts(p, v, words)
	input := text == match.Hole && v.Val.From&shell.FromPipe != 0
	act := judgement.RunsUnread
	mild := false
	switch kind, known := s.Variable(v.Name); {
	case !known:
		mild = v.Val.From == shell.FromTemp || len(words) == 0 || !strings.ContainsAny(text, "/ ")
	case kind == table.VarHarmless:
		mild = !strings.HasPrefix(v.Name, "PS") || !shell.Substitutes(text) && !octalLetter.Match(text)
	case input:
		act = judgement.RunsHidden
	case kind == table.VarSearch:
		mild = s.SearchPath(text)
		if mild && (strings.Contains(text, "./") || strings.HasPrefix(text, match.Hole+"/")) {
			p.Add(judgement.RunsOwn, "env:"+v.Name, v.Name+" finds programs of the project first")
		}
	case kind == table.VarPath:
		mild = machine.Below(text)
	case kind == table.VarPager || kind == table.VarEditor || kind == table.VarTool:
		mild = s.ToolValue(text)
	case kind == table.VarFlags:
		mild = machine.MildFlags(text)
	default:
		mild = text == "" && len(words) > 0 && !strings.HasPrefix(v.Name, "HIST")
	}
	if !mild {
		p.Add(act, "env:"+v.Name, v.Name+" may make a program run other code")
	}
}

// Prompts is the rule for variables that the shell runs or expands by itself. It knows nothing
// of a hole but that it is text which nobody has read.
func (s *Session) Prompts(p *finding.Part, v Setting, words []shell.Word) {
	text, unknown := v.Val.Text, strings.Contains(v.Val.Text, match.Hole)
	if match.InList(ranByShells, v.Name) && text == match.Hole && v.Val.From&shell.FromPipe != 0 {
		p.AddUnread("env:"+v.Name, "the shell runs the commands in what comes into "+v.Name)
		return
	}
	switch v.Name {
	case "PROMPT_COMMAND":
		p.Unread = p.Unread || unknown
		if text != "" && !unknown {
			s.runScript(text, shell.Stream{}, &shell.Scope{Cwd: s.Cwd}, &p.Parts)
		}
	case "PS0", "PS1", "PS2", "PS3", "PS4":
		p.Unread = p.Unread || v.Name == "PS4" && (unknown && !v.Val.Subst ||
			v.Val.From&(shell.FromDecode|shell.FromNet) != 0)
		expands(p, text)
	// A file that a shell runs first, as . FILE does.
	case "BASH_ENV", "ENV":
		if shell.Substitutes(text) {
			expands(p, text)
		}
		if v.Name == "BASH_ENV" && text != "" && len(words) == 0 {
			p.Unread = true // it may be written later
		}
		if v.Name == "BASH_ENV" || len(words) > 0 && match.InList(shellNames, words[0].Text) {
			s.runWords([]shell.Word{shell.Lit("."), v.Val}, shell.Stream{}, &shell.Scope{Cwd: s.Cwd},
				&p.Parts)
		}
	}
}

// ranByShells are the variables in which a shell runs or expands what it finds.
const ranByShells = " PROMPT_COMMAND PS0 PS1 PS2 PS4 BASH_ENV ENV "

const shellNames = " sh bash dash ksh zsh ash mksh "

// Evaluates is the rule for a text that the shell may take for a number: it evaluates a subscript
// in it, with the commands there.
func Evaluates(p *finding.Part, what, text string) {
	if subscripted(text) {
		p.AddUnread("word:subscript", what+" has a subscript that runs a command")
	}
}

// subscripted reports whether the text, as the value of a variable, would run a command where the
// shell takes the variable for a number.
func subscripted(text string) bool {
	return strings.Contains(text, "[") && namedSubscript.Match(text)
}

// namedSubscript finds a subscript with commands in it behind the name of an array.
var namedSubscript = match.Regex{Text: "[\\w\x00]\\[[^\\]]*(?:\\$[({]|`)"}

// The shell expands some values once more, with the commands in them: prompts, ${x@P}, subscripts
// where a number is expected. Such a text is unread.

// expands is the rule for a text that the shell expands as if it stood in double quotes.
func expands(p *finding.Part, text string) {
	if shell.Substitutes(text) || octalLetter.Match(text) || strings.Contains(text, "@P") {
		p.AddUnread("word:prompt", "the shell runs the commands in a variable's value")
	}
}

// octalLetter finds a $ or a ` by its number in a prompt.
var octalLetter = match.Regex{Text: `\\(?:0?44|140)`}

// A declaration is one of declare, export, readonly, local, typeset and nameref while its
// words are judged.
type declaration struct {
	s     *Session
	p     *finding.Part
	sc    *shell.Scope
	name  string // the builtin
	Named bool   // a variable has been named

	changed bool // a flag makes another value of the one that is written
	prints  bool
}

// Declaration returns one before its first word.
func (s *Session) Declaration(name string, p *finding.Part, sc *shell.Scope) declaration {
	d := declaration{s: s, p: p, sc: sc, name: name}
	if name == "nameref" {
		d.refers()
	}
	return d
}

// Word is one word of the declaration as the shell hands it over: a flag, a name, or a name
// with its value, whatever quotes and expansions it was written with.
func (d *declaration) Word(f shell.Word) {
	if shell.Substitutes(f.Text) {
		d.p.AddHidden("word:subscript", "a subscript that runs a command")
		name, _, _ := strings.Cut(f.Text, "=")
		d.p.Unread = d.p.Unread || subscripted(name)
	}
	name, text, set := strings.Cut(f.Text, "=")
	switch {
	case strings.HasPrefix(f.Text, "-"), strings.HasPrefix(f.Text, "+"):
		d.flags(f.Text)
		return
	}
	d.Named = true
	if shell.UnknownName(name) || !set && f.Multi {
		d.p.AddHidden("env:", d.name+" sets a variable whose name is not known")
	}
	if !set {
		if d.prints && shell.HoldsSecret(name) && d.s.Captured == 0 {
			d.p.Add(judgement.ReadsSecrets, "env:secret", d.name+" -p prints a secret variable")
		}
		if f.Multi || f.Maybe {
			d.sc.Lose()
		}
		return
	}
	v := f.Cut(len(f.Text) - len(text))
	bare, _, element := strings.Cut(strings.TrimSuffix(name, "+"), "[")
	if element {
		ShellTable(d.p, bare)
	}
	d.sc.Forget(bare, v.From)
	if v.Plain() {
		d.sc.Set(bare, shell.Value{Text: v.Text, From: v.From, Cmd: v.Subst, Maybe: true})
	}
	d.Set(bare, v)
}

// flags notes what the flags change.
func (d *declaration) flags(text string) {
	on := strings.HasPrefix(text, "-")
	d.changed = d.changed || strings.ContainsAny(text, "cilnuLRZ"+match.Hole)
	if on && strings.ContainsAny(text, "n"+match.Hole) && d.name != "export" {
		d.refers()
	}
	d.prints = d.prints || on && strings.Contains(text, "p")
}

// Set judges a variable that has got its value.
func (d *declaration) Set(name string, v shell.Word) {
	// A value in parentheses, whatever quotes are around them, is a list, which gets its elements
	// from it with the commands in them.
	if strings.HasPrefix(v.Text, "(") && strings.ContainsAny(v.Text, "$`<>") {
		d.p.AddUnread("word:elements", d.name+" runs the commands in a list's text")
	}
	d.s.JudgeSetting(d.p, Setting{name, v}, nil)
	if d.changed {
		d.sc.Put(name, shell.Value{Text: match.Hole, From: v.From, Maybe: true,
			Others: shell.Another(nil, v.Text, match.Hole)})
	}
}

// refers is the rule for a variable that stands for another one: what is set from then on is not
// followed.
func (d *declaration) refers() {
	d.p.AddUnread("dialect:nameref", d.name+" makes one variable stand for another")
}

// ShellTable is the rule for an element of the tables in which a shell keeps what
// names stand for: its commands, aliases and functions (bash(1)).
func ShellTable(p *finding.Part, name string) {
	switch name {
	case "BASH_CMDS", "BASH_ALIASES":
	default:
		return
	}
	p.AddUnread("word:table", "an entry of "+name+" gives a name another meaning")
}
