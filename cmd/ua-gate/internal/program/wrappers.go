package program

import (
	"strings"

	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/internal/common/verdict"
)

// xargs gives its command words that nobody has seen.
func (a *argv) xargs() {
	if file, ok := a.value("-a", "--arg-file"); ok {
		text, known := a.s.TextOf(file, a.sc)
		a.in = shell.Stream{Bits: file.From, Open: true, Text: text, Known: known}
	}
	unseen := shell.Word{Text: match.Hole, From: a.in.Bits, Multi: true}
	mark, replace := a.value("-I", "-i", "--replace", "-J")
	if replace && mark.Text == "" {
		mark.Text = "{}"
	}
	if len(a.rest) == 0 {
		return
	}
	if most, ok := a.value("-P", "--max-procs"); ok && most.Text != "1" {
		a.base = max(a.base, verdict.BuildTest)
	}
	words := append([]shell.Word(nil), a.rest...)
	a.rest = nil
	// Input that is known, and that no quote joins, is so many words.
	given := strings.Fields(strings.ReplaceAll(a.in.Text, "\x00", " "))
	if !replace && len(given) <= shell.MaxBraces && !strings.ContainsAny(a.in.Text, `"'\`) &&
		(a.in.Known || len(given) > 0) {
		for _, text := range given {
			words = append(words, shell.Word{Text: text, From: a.in.Bits})
		}
		if !a.in.Known {
			words = append(words, unseen)
		}
		a.out |= a.s.runWords(words, shell.Stream{}, a.sc.Sub(), &a.p.Parts).Bits
		return
	}
	if replace {
		for i := range words {
			if strings.Contains(words[i].Text, mark.Text) {
				words[i].Text = strings.ReplaceAll(words[i].Text, mark.Text, match.Hole)
				words[i].From |= unseen.From
				words[i].Src = nil
			}
		}
	} else {
		words = append(words, unseen)
	}
	a.out |= a.s.runWords(words, shell.Stream{Bits: a.in.Bits}, a.sc.Sub(), &a.p.Parts).Bits
}

// parallel is GNU parallel, which makes shell text of its words: what follows ::: or a line of
// its input goes where {} and its like stand, or behind them.
func (a *argv) parallel() {
	var line []string
	for i, wd := range a.rest {
		if strings.HasPrefix(wd.Text, ":::") {
			if a.inFolders(a.rest[i+1:]) {
				a.in.Bits |= shell.FromFilter
			}
			for _, given := range a.rest[i+1:] {
				a.reads(given)
				a.s.Write(a.p, given, a.sc, false)
			}
			break
		}
		line = append(line, wd.Text)
	}
	a.rest = nil
	if a.flagged("--dry-run", "--dryrun") {
		a.base, a.fixed = verdict.ReadOnly, true // the commands are printed
		return
	}
	text := strings.Join(line, " ")
	if text == "" || strings.Contains(text, match.Hole) || strings.ContainsAny(text[:1], "{") ||
		strings.Contains(text, "{=") {
		a.p.AddUnread(a.name, a.name+" runs commands that are not known")
		return
	}
	filled := parallelMark.Replace(text, `"$$`+argument+`"`)
	if filled == text {
		filled += ` "$` + argument + `"`
	}
	sc := a.sc.Sub()
	sc.Set(argument, shell.Value{Text: match.Hole, From: a.in.Bits | shell.FromPipe})
	a.out |= a.s.runScript(filled, shell.Stream{Bits: a.in.Bits, Open: true}, sc, &a.p.Parts).Bits
}

// argument is the variable that has what parallel puts in for {}.
const argument = "PARALLEL_ARGUMENT"

// parallelMark is where parallel puts an argument: {} and {.}, {/}, {2}, {#} and their like.
var parallelMark = match.Regex{Text: `'?\{[0-9+./#%-]*\}'?`}

// scripts is a package manager that runs the tools and scripts of the project: a name
// that the table does not know is one of those.
func (a *argv) scripts() {
	if a.flagged("-m", "--module") && len(a.rest) > 0 {
		a.rest = append([]shell.Word{shell.Lit("python3"), shell.Lit("-m")}, a.rest...)
	}
	for len(a.rest) > 1 && strings.Contains(a.rest[0].Text, "=") &&
		strings.ContainsAny(a.rest[0].Text[:1], "+-") {
		a.rest = a.rest[1:] // which of the environments: +py=3.11
	}
	if len(a.rest) > 1 && a.rest[1].Text == "--" {
		a.rest = append(a.rest[:1:1], a.rest[2:]...) // stack exec ghc -- -e CODE
	}
	if text := shell.First(a.rest, ""); strings.Contains(text.Text, " ") {
		a.script(a.name, text, a.in)
		a.rest = nil
		return
	}
	if env, name, ok := strings.Cut(shell.First(a.rest, "").Text, ":"); ok &&
		env != "" && a.s.Row(name) != nil {
		a.rest = append([]shell.Word{shell.Lit(name)}, a.rest[1:]...) // in an environment: test:python
	}
	name := shell.First(a.rest, "")
	if a.stdinFile(name.Text) {
		a.rest, a.base = nil, verdict.ReadOnly
		a.out |= a.s.runWords([]shell.Word{shell.Lit("python3"), shell.Lit("-")}, a.in, a.sc.Sub(),
			&a.p.Parts).Bits
		return
	}
	if name.Text == "" || !name.Plain() || strings.ContainsAny(name.Text, "/.") ||
		a.s.Functions[name.Text] != nil || a.s.Versioned(name.Text) != nil ||
		a.s.Row(name.Text) != nil {
		return
	}
	a.operands, a.rest = a.rest, nil
	for _, o := range a.operands {
		a.touch(o)
	}
}

// runner is npx and its like: a tool of the project if the table knows it by the name that the
// registry has it under, and else one that is fetched.
func (a *argv) runner() {
	name := shell.First(a.rest, "").Text
	name, _, _ = strings.Cut(name, "@")
	r := a.s.Row(name)
	if r == nil && a.s.Functions[name] == nil && a.fetchesNothing() && shell.First(a.rest,
		"").Known() &&
		name != "" && !strings.ContainsAny(a.rest[0].Text, "/.@") {
		a.operands, a.rest, a.base = a.rest, nil, verdict.BuildTest
		for _, o := range a.operands {
			a.touch(o)
		}
		return // a tool of the project that the table does not know
	}
	level := verdict.Destructive
	if r != nil {
		level = r.Level
		if of, ok := r.Sub(shell.First(a.rest[min(1, len(a.rest)):], "").Text); ok {
			level = of
		}
	}
	mild := level <= verdict.Write && (a.s.FromNPM(name) || strings.HasSuffix(a.name, " exec") ||
		a.flagged("--offline", "--no-install", "--no"))
	if mild && (!match.InList(" uvx dlx ", a.name[strings.LastIndexByte(a.name, ' ')+1:]) ||
		a.flagged("--offline", "--no-install", "--no")) &&
		!a.flagged("-p", "--package", "--from", "--with", "-c", "--call") {
		a.base = verdict.ReadOnly
	}
}

// fetchesNothing reports whether the runner only starts what the project has.
func (a *argv) fetchesNothing() bool {
	return (a.name == "pnpm exec" || a.name == "yarn exec" ||
		a.flagged("--no-install", "--no", "--offline") && strings.HasPrefix(a.name, "np")) &&
		!a.flagged("-p", "--package", "-c", "--call")
}
