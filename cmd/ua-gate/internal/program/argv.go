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

// An argv is one simple command while it is judged: the row that its words
// have led to, and what they said so far.
type argv struct {
	s    *Session
	p    *finding.Part
	sc   *shell.Scope
	in   shell.Stream
	row  *table.Row
	up   []*table.Row // the rows of the words before a sub-command
	name string       // program and sub-commands
	base verdict.Level
	why  string

	words    []shell.Word // after the program's name
	used     []use
	operands []shell.Word
	slots    []table.Slot
	rest     []shell.Word  // a command inside, if there is one
	found    []shell.Word  // what it is given behind its own words
	subbed   bool          // a sub-command was found
	ended    bool          // no more flags
	dashed   int           // how many operands stand before --; -1 without it
	began    int           // how many files had been written before
	fixed    bool          // a flag has set the base level
	odd      string        // a sub-command that is not in the table
	strange  int           // how many flags the row does not know
	module   *argv         // of Python, which is judged in its place
	least    verdict.Level // the least level of that
	leaves   *bool         // whether a test of find's leaves out files, once it has been asked

	out     shell.Flow
	printed string
	known   bool
}

// A use is one flag of the command.
type use struct {
	*table.Flag
	val shell.Word
}

// flagged reports whether the command has one of the flags.
func (a *argv) flagged(names ...string) bool {
	for _, u := range a.used {
		for _, n := range names {
			if u.Name == n {
				return true
			}
		}
	}
	return false
}

// letter reports whether a word with one dash has the letter of a flag.
func (a *argv) letter(letter string) bool {
	return slices.ContainsFunc(a.words, func(wd shell.Word) bool {
		return len(wd.Text) > 1 && wd.Text[0] == '-' && wd.Text[1] != '-' &&
			strings.Contains(wd.Text, letter)
	})
}

// value returns the value of the last use of one of the flags.
func (a *argv) value(names ...string) (val shell.Word, ok bool) {
	for _, u := range a.used {
		for _, n := range names {
			if u.Name == n {
				val, ok = u.val, true
			}
		}
	}
	return val, ok
}

// has reports whether the row knows the flag.
func (a *argv) has(name string) bool { f, _ := a.lookup(name); return f != nil }

// lookup finds a flag among those of the row and of the rows above it. One that
// is cut short is the strictest that it may be; sure is false then.
func (a *argv) lookup(name string) (f *table.Flag, sure bool) {
	for i := -1; i < len(a.up); i++ {
		r := a.row
		if i >= 0 {
			if r = a.up[len(a.up)-1-i]; r.Facts&table.FactPersist == 0 {
				continue
			}
		}
		for k := range r.Flags {
			have := r.Flags[k].Name
			if r.Flags[k].Base && (i >= 0 || r.Facts&table.FactListed != 0) {
				continue
			}
			if have == name || r.Facts&table.FactSingle != 0 && strings.TrimPrefix(name, "-") == have {
				return &r.Flags[k], true
			}
			// A long flag may be cut short as far as it is unique; the gate does not rely
			// on that.
			if r.Facts&table.FactExact != 0 {
				continue
			}
			if f == nil && len(name) > 2 && strings.HasPrefix(name, "--") &&
				strings.HasPrefix(have, name) ||
				f != nil && strings.HasPrefix(have, name) && strings.HasPrefix(name, "--") &&
					stricter(&r.Flags[k], f) {
				f = &r.Flags[k]
			}
		}
	}
	return f, false
}

func stricter(a, b *table.Flag) bool {
	runs := func(f *table.Flag) bool {
		return f.Value >= table.IsExec && f.Value <= table.IsArgv || f.Value == table.IsWrite
	}
	return a.Level > b.Level && !a.Base || runs(a) && !runs(b)
}

// hasSubs reports whether the row knows sub-commands of the program.
func (a *argv) hasSubs() bool { return a.row.Facts&table.FactSubs != 0 || len(a.row.Subs) > 0 }

// floor returns what the program's place on disk makes its least level.
func (a *argv) floor() verdict.Level {
	if a.base == verdict.BuildTest && len(a.up) <= 1 && a.p.Words[0].Text != a.p.Name {
		return verdict.BuildTest
	}
	return verdict.ReadOnly
}

// coming returns what the next operand will be, as far as that hangs on those
// before it.
func (a *argv) coming() table.Effect {
	n := len(a.operands)
	for i, s := range a.slots {
		if i == n || s.Star {
			return s.What
		}
	}
	return table.IsNothing
}

func (a *argv) dash(t string) bool {
	if strings.HasPrefix(t, "+") && len(t) > 1 {
		for i := range a.row.Flags {
			if a.row.Flags[i].Name[0] == '+' {
				return true
			}
		}
	}
	return strings.HasPrefix(t, "-")
}

// made reports whether the word may be any flags: it holds what a command wrote
// out of its arguments.
func (a *argv) made(wd shell.Word) bool {
	return wd.Multi && wd.Subst && wd.From&(shell.FromText|shell.FromDecode|shell.FromNet) != 0 &&
		strings.HasPrefix(wd.Text, match.Hole) && a.row.Runs()
}

// kinds returns what the path rules know of a word.
func (a *argv) kinds(val shell.Word) table.PathKind { return a.s.At(val.Text, a.sc).Kind }

// stdinFile reports whether the operand stands for standard input: -, or a path to
// descriptor 0.
func (a *argv) stdinFile(text string) bool {
	return text == "-" || a.kinds(shell.Lit(text))&table.PathInput != 0
}

// ownDescriptor reports whether the file is one by which a program opens its own descriptors
// again, whatever way leads there: /dev/stdin, /dev/fd/3, /proc/self/fd/0 (proc(5)).
func (a *argv) ownDescriptor(text string) bool {
	return a.kinds(shell.Lit(text))&table.PathDescriptor != 0
}

// shadowed reports whether the command has written a module, which Python may find before its own.
func (a *argv) shadowed() bool {
	return slices.ContainsFunc(a.s.Written, func(f machine.Written) bool {
		return path.Ext(f.File) == ".py"
	})
}

// fromVariable is the rule for a word or an input that holds a secret variable where
// the program prints or stores it. What a substitution takes goes on in its bits, and
// what a pipe hands to a program as its password has not been printed.
func (a *argv) fromVariable(from shell.Flow) {
	if from&shell.FromVar == 0 {
		return
	}
	a.out |= shell.FromVar
	if a.s.Captured == 0 {
		a.p.Add(judgement.ReadsSecrets, "env:secret", a.name+" prints or stores a secret variable")
	}
}
