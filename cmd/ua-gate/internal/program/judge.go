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

// A reader is code for what a row of the table can't say: a program whose words
// are a language of their own.
type reader struct {
	read  func(*argv)
	whole bool // it takes all words of the program itself: the flag reader has found nothing
}

// readers are those that rows name.
var readers = map[string]reader{
	"find":     {read: (*argv).find, whole: true},
	"shell":    {read: (*argv).shell, whole: true},
	"echo":     {read: (*argv).echo, whole: true},
	"python":   {read: (*argv).pythonRun},
	"perl":     {read: (*argv).perlFlags},
	"ruby":     {read: (*argv).perlFlags},
	"eval":     {read: (*argv).eval},
	"builtin":  {read: (*argv).builtin},
	"xargs":    {read: (*argv).xargs},
	"parallel": {read: (*argv).parallel},
	"git":      {read: (*argv).git},
	"runner":   {read: (*argv).runner},
	"mv":       {read: (*argv).mv},
	"scripts":  {read: (*argv).scripts},
	"fd":       {read: (*argv).fd},
}

// do judges the command by its row.
func (a *argv) do() {
	a.dashed, a.began = -1, len(a.s.Written)
	a.slots = a.row.Slots
	if a.help() {
		a.base = verdict.ReadOnly
		return
	}
	// Such a reader takes all words: they follow no row, as those of sh or find.
	if r := readers[a.row.Reader]; r.whole {
		r.read(a)
		a.variables()
		a.settle()
		return
	}
	a.parse()
	a.mode()
	var text shell.Word // in another language
	var label string
	for _, u := range a.used {
		// The first flag that says what is done sets the level for good: tar -t, tar -x.
		if u.Base && !a.fixed {
			a.base, a.fixed = u.Level, true
		} else if u.Level > verdict.ReadOnly &&
			!(u.Level == verdict.Write && match.InList(" --fmt --fix --format ", u.Name) &&
				a.onlyChecks()) {
			a.p.Add(judgement.Of(u.Level), a.name+" "+u.Name, a.name+" "+u.Name+" "+finding.Does(u.Level))
		}
		if u.All {
			a.p.Hold(a.name+" "+u.Name, a.name+" "+u.Name+" loses history that nobody gets back")
		}
		// Code in several flags, -e A -e B, is one text.
		if u.Value == table.IsCode {
			text.Text += codeText(a.row.Reader, u)
			text.From |= u.val.From
			label = a.name + " " + u.Name
			continue
		}
		a.effect(u.Value, u.val, u.Name)
	}
	a.patterns()
	if text.Text != "" {
		text.Text = strings.TrimSuffix(text.Text, "\n")
		a.code(label, text)
	}
	// A sub-command that the table lacks may do anything.
	if a.odd != "" && (!a.fixed || a.base > verdict.ReadOnly) {
		why := "is not in the table"
		if a.row.Level > verdict.Destructive {
			why = finding.Does(a.row.Level)
		}
		a.p.Add(judgement.Of(max(verdict.Destructive, a.row.Level)), a.name,
			a.name+" "+match.Show(a.odd)+" "+why)
	}
	a.files()
	// Without operands many programs do something else: they print, or start a shell.
	if len(a.operands) == 0 && a.rest == nil && a.row.Alone != table.NoLevel && !a.fixed &&
		(a.strange == 0 || a.row.Level < verdict.Destructive) {
		a.base = a.row.Alone
	}
	// The reader of git sees the words of git push, too.
	for _, r := range append(a.up, a.row) {
		if read := readers[r.Reader].read; read != nil {
			read(a)
		}
	}
	if b := a.module; b != nil {
		b.do()
		a.row, a.name, a.base = b.row, b.name, max(b.base, a.least)
		a.out |= b.out
	}
	if a.fixed && a.base == verdict.ReadOnly {
		a.rest = nil
	}
	// Each word is judged now. What follows are rules for the command as a whole.
	a.variables()
	a.input()
	a.through()
	// The other words are a command that this program starts.
	if a.rest != nil {
		a.inner(slices.Concat(a.rest, a.found))
		if a.row.Reader == "inside" && printsVariables(a.p) {
			a.p.Add(judgement.ReadsSecrets, a.name, a.name+" prints the variables of the container")
			a.out |= shell.FromSecret
		}
	}
	a.settle()
}

// patterns judges the words that a pattern of the row matches, as ?*=* does what sysctl sets.
func (a *argv) patterns() {
	for i := range a.row.Flags {
		f := &a.row.Flags[i]
		if f.Name[0] != '?' {
			continue
		}
		for _, wd := range a.words[:len(a.words)-len(a.rest)] {
			if !match.Glob(f.Name[1:], wd.Text) {
				continue
			}
			if f.Value != table.IsNothing { // of=FILE
				i := strings.IndexByte(f.Name, '*') - 1
				if i == 0 {
					i = strings.IndexByte(wd.Text, '=') + 1
				}
				a.effect(f.Value, wd.Cut(i), wd.Text[:i])
			}
			switch {
			case f.Base:
				a.base, a.fixed = f.Level, true
			case f.All:
				if !a.fixed {
					a.p.Hold(a.name, a.name+" loses history that nobody gets back")
				}
			case f.Level > verdict.ReadOnly:
				a.p.Add(judgement.Of(f.Level), a.name+" "+f.Name[1:],
					a.name+" "+match.Show(wd.Text)+" "+finding.Does(f.Level))
			}
		}
	}
}

// files judges the operands by the row's slots.
func (a *argv) files() {
	edits := a.edits()
	for i, o := range a.operands {
		s := a.row.Slot(a.slots, i, len(a.operands))
		if a.row.Facts&table.FactCode != 0 && a.stdinFile(o.Text) {
			continue // standard input, which input judges
		}
		if a.fixed && (s.What == table.IsWrite && a.base < verdict.Write ||
			s.What == table.IsDelete && a.base == verdict.ReadOnly) {
			s.What = table.IsRead
		}
		if s.What == table.IsRead && a.row.Name == "vi" && slices.ContainsFunc(a.used,
			func(u use) bool { return u.Value == table.IsCode }) {
			s.What = table.IsWrite // its commands save what they have changed
		}
		if s.What == table.IsProgram && a.s.ProjectDir(path.Dir(o.Text)) {
			a.base = max(a.base, verdict.BuildTest) // a tool that the project's package manager put there
			continue
		}
		if s.Level > verdict.ReadOnly {
			a.p.Add(judgement.Of(s.Level), a.name, a.name+" "+match.Show(o.Text)+" "+finding.Does(s.Level))
		}
		if _, val, ok := strings.Cut(o.Text, "="); ok && a.row.Facts&table.FactLoose == 0 &&
			s.What != table.IsAny && machine.Rooted(val) {
			a.s.Overwrites(a.p, o.With(val), a.sc) // out=FILE
		}
		if edits && (s.What == table.IsRead || s.What == table.IsList) {
			a.editsInPlace(o)
		}
		a.effect(s.What, o, "")
	}
	if len(a.operands) == 2 && a.row.Name == "ln" && a.flagged("-s", "--symbolic") {
		name, target := a.s.At(a.operands[1].Text, a.sc), a.s.At(a.operands[0].Text, a.sc)
		a.s.Links = append(a.s.Links, machine.Link{Name: name.Abs, Target: target.Abs})
	}
}

// edits reports whether a flag makes a program that only looks at files write them:
// the -w of gofmt, the --fix of a linter.
func (a *argv) edits() bool {
	return a.row.Level <= verdict.Write && (a.row.Reader == "" || match.InList(" sed perl ruby ",
		a.row.Reader)) &&
		slices.ContainsFunc(a.used, func(u use) bool {
			return u.Level == verdict.Write && (u.Value == table.IsNothing || u.Value == table.IsText ||
				u.Value == table.IsGlued) && !u.Base || match.InList(" inplace in-place ", u.val.Text)
		})
}

// through looks at the words of a tool that builds or tests: behind exec, and
// behind --, may stand a command of its own.
func (a *argv) through() {
	if a.row.Level != verdict.BuildTest || a.rest != nil {
		return
	}
	for i, o := range a.operands {
		if strings.HasPrefix(o.Text, "eval ") {
			a.p.AddHidden(a.name+" eval", a.name+" runs "+match.Show(o.Text))
		}
		if strings.Contains(" exec cmd x execute shell ", " "+o.Text+" ") || i+1 == a.dashed {
			a.command(a.operands[i+1:])
		}
	}
	last := a.name[strings.LastIndexByte(a.name, ' ')+1:]
	if a.dashed == 0 || strings.Contains(" exec cmd x execute shell ", " "+last+" ") {
		a.command(a.operands)
	}
}

// printsVariables reports whether a command prints all variables, which in a container
// are secrets more often than not: nobody has filtered them.
func printsVariables(p *finding.Part) bool {
	if (p.Row == "env" || p.Row == "printenv" || p.Row == "export" || p.Row == "set" ||
		p.Row == "declare") && len(p.Words) == 1 {
		return true
	}
	for i := range p.Parts {
		if printsVariables(&p.Parts[i]) {
			return true
		}
	}
	return false
}

// settle gives the part its row's level, if nothing else gave it a higher one.
func (a *argv) settle() {
	a.p.Name = a.name
	if a.base == verdict.Write && a.row.Level == verdict.Write && a.onlyChecks() {
		a.base = verdict.BuildTest
	}
	// Told to fetch nothing it gets no network, whatever it does then.
	if a.base == verdict.Network && a.row.Level == verdict.Network &&
		a.row.Facts&table.FactRemote == 0 &&
		slices.ContainsFunc(a.words, func(wd shell.Word) bool {
			return match.InList(" --offline --offline-scan --no-network ", wd.Text)
		}) {
		a.base = verdict.Write
	}
	if a.module == nil {
		a.justWritten()
	}
	why := a.why
	if why == "" && a.row.Why != "" && a.base == a.row.Level {
		why = a.row.Why
	}
	if why == "" {
		why = finding.Does(a.base)
	}
	a.takes()
	a.out |= a.filtered()
	act := judgement.Of(a.base)
	if act == judgement.LosesFiles && a.row.Facts&table.FactEnds != 0 {
		act = judgement.EndsProcesses // of the sandbox, which sees no others
	}
	a.p.Add(act, a.name, a.name+" "+why)
	a.prints()
	if a.row.Facts&table.FactDecode != 0 {
		a.out |= shell.FromDecode
	}
	if a.row.Facts&table.FactText != 0 {
		a.out |= shell.FromText
	}
	if a.row.Facts&table.FactSecret != 0 && len(a.operands) == 0 && a.rest == nil ||
		a.row.Facts&table.FactSecrets != 0 {
		a.out |= shell.FromSecret
	}
}

// checkFlags have a program that writes say what it would do.
const checkFlags = " --check --check-only --dry-run --dryrun --just-print --list-different " +
	"--verify-no-changes --syntax-check --validate-only --no-act -mode=check --mode=check " +
	"-mode=diff --mode=diff --verify --info --identify --show-info --print-info --validate "

// onlyChecks reports whether a flag has a program that writes say what it would do.
func (a *argv) onlyChecks() bool {
	for _, wd := range a.words {
		if wd.Text == "--" {
			return false
		}
		if strings.HasPrefix(wd.Text, "-") && match.InList(checkFlags, wd.Text) {
			return true
		}
	}
	return false
}
