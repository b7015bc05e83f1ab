package program

import (
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// Command classifies words as the shell runs them, into p. It gives back what
// the command's output carries.
func (s *Session) Command(p *finding.Part, words []shell.Word, in shell.Stream,
	sc *shell.Scope) shell.Stream {
	if s.Simple++; s.Simple > machine.MaxSimple || len(words) == 0 {
		return in
	}
	if s.Depth++; s.Depth > MaxDepth {
		s.Depth--
		p.AddUnread("limit:depth", "too many commands inside commands")
		return in
	}
	defer func() { s.Depth-- }()
	carried := setWords(p, words)
	out := shell.Stream{Bits: (in.Bits | carried) &^ shell.Passing, Open: true}
	if words[0].Text == "" && len(words) == 1 {
		return out
	}
	// Nobody knows what runs.
	if !words[0].Known() {
		scriptWord(p, words[0])
		if !words[0].Plain() || words[0].Glob || words[0].Multi {
			return out
		}
	}
	name := words[0].Text
	if name == "--" { // bash and zsh leave it out behind time (bash(1), Pipelines)
		p.AddUnread("word:time", "time -- runs what is not read here")
	}
	r, level := s.Program(name)
	if r != nil && r.Facts&table.FactFish != 0 && s.Shell != "fish" {
		r = nil
	}
	a := argv{s: s, p: p, sc: sc, in: in, row: r, name: path.Base(name), base: level,
		words: words[1:]}
	p.Name = a.name
	// Which of a function and a program of its name runs is not always clear: both count.
	f := s.Functions[name]
	if f != nil {
		a.called(f)
		if out.Bits |= a.out &^ shell.FromTemp; r == nil {
			return out
		}
	}
	if r == nil {
		a.unknownProgram(name)
		return out
	}
	if r.Facts&table.FactUa != 0 {
		s.Delegates = true
	}
	a.base = max(a.base, r.Level)
	a.do()
	a.sendsMore(in.Bits | carried)
	if out.Bits |= a.out; f != nil {
		out.Bits &^= shell.FromTemp
	}
	if f == nil && (a.known || a.printed != "") { // which may be some of it
		out.Text, out.Known = a.printed, a.known
	}
	if p.Level == verdict.Network {
		leak(p, out.Bits)
		out.Bits |= shell.FromNet
	}
	return out
}

// Call judges a call of a function.
func (s *Session) Call(f *Function, p *finding.Part, words []shell.Word, in shell.Stream,
	sc *shell.Scope) shell.Stream {
	a := argv{s: s, p: p, sc: sc, in: in, name: words[0].Text, words: words[1:]}
	p.Name = a.name
	setWords(p, words)
	a.called(f)
	return shell.Stream{Bits: a.out, Open: true}
}

// called adds what a call of a function does that its body does not: what it is given.
func (a *argv) called(f *Function) {
	if f.alias {
		a.p.AddUnread("alias", a.name+" is an alias")
		return
	}
	from := a.in.Bits
	for _, wd := range a.words {
		from |= wd.From
		Evaluates(a.p, "an argument", wd.Text)
	}
	if from&shell.FromSecret != 0 && f.Sends {
		a.p.Add(judgement.SendsSecrets, "pipe:secret", "a secret goes to the network")
	}
	a.fromVariable(from)
	a.unknownWords(a.name)
	a.out |= f.Out | from&^shell.Passing
	if f.Moves {
		a.sc.Cwd = f.Cwd
	}
	a.p.Add(judgement.ReadsFiles, "function", "a function of this command")
}

// unknownProgram is the rule for a program without a row.
func (a *argv) unknownProgram(name string) {
	if n := len(a.words); n > 0 && n < 4 && !strings.Contains(name, "/") &&
		versionFlag(a.words[n-1].Text) && plainWords(a.words[:n-1]) {
		a.p.Add(judgement.ReadsFiles, "version", "prints a version or help")
		return
	}
	a.unknownWords(name)
	if strings.Contains(name, "/") && (a.fetched(shell.Lit(name)) || a.runsItself(shell.Lit(name))) {
		return
	}
	if strings.Contains(name, "/") {
		if a.ownProgram(shell.Lit(name)) {
			a.p.Add(judgement.RunsOwn, "program:own", name+" is a program of the project")
			return
		}
		a.p.Add(judgement.RunsUnread, "program:file", name+" is a program of its own")
		a.p.Unread = a.p.Unread || a.s.HasWritten(shell.Lit(name), a.sc)
		return
	}
	a.p.Add(judgement.RunsUnread, "program:unknown", a.name+" is not in the table")
}

// unknownWords is the rule for what an unknown program gets: a secret may go where its name or
// another word says, and a disk is written.
func (a *argv) unknownWords(name string) {
	secret, away := false, slices.ContainsFunc(senders, func(part string) bool {
		return strings.Contains(name, part)
	})
	for _, wd := range a.words {
		secret = a.s.Read(a.p, wd, a.sc) || secret || wd.From&(shell.FromSecret|shell.FromVar) != 0
		away = away || strings.Contains(wd.Text, ":") || hostNumbers.Match(wd.Text)
		if key, val, set := strings.Cut(wd.Text, "="); set && wd.Known() &&
			a.kinds(shell.Lit(val))&table.PathDisk != 0 {
			a.p.Add(judgement.ChangesRights, "path:disk", name+" "+key+"= may write the device "+val)
		}
	}
	if secret && away {
		a.p.Add(judgement.SendsSecrets, "pipe:secret", name+" may send a secret to another machine")
	}
}

// hostNumbers finds the four numbers of a host's address.
var hostNumbers = match.Regex{Text: `\b\d+\.\d+\.\d+\.\d+\b`}

// senders are parts of the names of programs that send what they are given.
var senders = []string{"send", "mail", "slack", "telegram", "discord", "notify", "ntfy", "apprise",
	"tweet", "upload", "transfer", "ftp", "share", "paste", "push", "webhook", "wormhole", "gist",
	"sms", "matrix", "whatsapp", "signal-cli", "irc"}
