// Package program reads the words of one simple command as its program does, by the program's row
// of the table and by a reader of its own where a row can't say it. What a program runs in turn, a
// script or another command, is handed as a Nested to whoever reads the whole, and comes back as
// the stream that it leaves. Nothing here walks a script.
package program

import (
	"strings"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/internal/common/verdict"
)

// A Walker judges what a command runs.
type Walker interface {
	Walk(Nested) shell.Stream
}

// A Session is what the commands of one text know of each other.
type Session struct {
	machine.State
	Walker
	Shell     string // the shell whose language is read
	Functions map[string]*Function
	Captured  int  // how many substitutions or pipes take what is printed
	Depth     int  // commands inside commands
	Stdin     bool // the shell reads its script from its standard input
	Delegates bool // a command starts one of ua's programs
	committed bool // git has taken up a secret
	Errexit   bool // some script ends at the first command that fails
}

// A Nested is what a command runs: it is to be judged before the command itself can be.
type Nested struct {
	Kind  NestedKind
	Words []shell.Word // of a command
	Text  string       // of a script
	In    shell.Stream
	Sc    *shell.Scope
	Parts *[]finding.Part // gets what is in it
}

// A NestedKind says which of them.
type NestedKind uint8

const (
	Script     NestedKind = iota
	Command               // its words
	FishScript            // of fish, of which only what bash reads alike is read
)

// runScript judges a text that the shell runs.
func (s *Session) runScript(text string, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	return s.Walk(Nested{Text: text, In: in, Sc: sc, Parts: parts})
}

// runWords judges a command that another one starts.
func (s *Session) runWords(words []shell.Word, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	return s.Walk(Nested{Kind: Command, Words: words, In: in, Sc: sc, Parts: parts})
}

// MaxDepth is how many commands inside commands are read. What is deeper is Unread.
const MaxDepth = 16

// A Function is one that the command defines, or an alias.
type Function struct {
	Out   shell.Flow // what it prints carries this
	Sends bool       // it talks to other machines
	Cwd   string     // the folder in which it ends
	Moves bool       // which is another one than where it begins
	alias bool

	Script *shell.Assignments // the script in whose straight line it is defined
}

// Define notes a function of that name.
func (s *Session) Define(name string, f *Function) {
	if s.Functions == nil {
		s.Functions = map[string]*Function{}
	}
	s.Functions[name] = f
}

// FunctionAt returns the function that surely runs where the words stand, or nil. Special
// builtins go before functions in some shells.
func (s *Session) FunctionAt(words []shell.Word, sc *shell.Scope) *Function {
	if len(words) == 0 || !words[0].Known() || s.ChangesShell(words[0].Text) || sc.Script == nil ||
		sc.Script.All || sc.Script.Times[words[0].Text] > 0 {
		return nil
	}
	if f := s.Functions[words[0].Text]; f != nil && f.Script == sc.Script {
		return f
	}
	return nil
}

// scriptWord is the rule for a program whose name is not known.
func scriptWord(p *finding.Part, name shell.Word) {
	if name.From&(shell.FromNet|shell.FromDecode) != 0 {
		scriptFrom(p, name.From, "the shell")
		return
	}
	p.AddHidden("word:command", "the program's name, "+match.Show(name.Text)+", is not known")
}

// scriptFrom is the rule for a program that runs what it reads: the level and
// the reason.
func scriptFrom(p *finding.Part, from shell.Flow, what string) {
	switch {
	case from&shell.FromNet != 0 && from&shell.FromDecode == 0:
		p.Add(judgement.TalksToHosts, "pipe:net", what+" runs what comes from the network")
		p.Unread = true
	case from&shell.FromDecode != 0:
		p.Add(judgement.RunsStrangers, "pipe:decoded", what+" runs what a decoder makes")
	default:
		p.AddHidden("pipe:shell", what+" runs what it reads")
	}
}

// ScriptInput is scriptFrom for a program that runs its standard input, which
// nobody has read unless its text is known.
func ScriptInput(p *finding.Part, in shell.Stream, what string) {
	scriptFrom(p, in.Bits, what)
	p.Unread = p.Unread || !in.Known
}

// leak is the rule for a part that talks to the network: no secret may reach
// it.
func leak(p *finding.Part, from shell.Flow) {
	if from&shell.FromSecret != 0 && p.Level >= verdict.Network && p.Level < verdict.Denied {
		p.Add(judgement.SendsSecrets, "pipe:secret", "a secret goes to the network")
	}
}

// setWords notes what is known of a part's words, and gives back what they carry.
func setWords(p *finding.Part, words []shell.Word) (carried shell.Flow) {
	p.Words = make([]finding.Word, len(words))
	for i, wd := range words {
		text := strings.ReplaceAll(wd.Text, match.Hole, "")
		p.Words[i] = finding.Word{Text: text, Known: wd.Known(), Multi: wd.Multi}
		carried |= wd.From
	}
	return carried
}
