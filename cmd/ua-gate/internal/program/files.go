package program

import (
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// reads is the rule for a file that a program reads.
func (a *argv) reads(val shell.Word) {
	if strings.HasPrefix(a.name, "git ") && strings.Contains(strings.Trim(val.Text, "."), "..") &&
		strings.Contains(val.Text, match.Hole) && !strings.ContainsAny(val.Text, "/~") {
		return // commits, "$a..$b"
	}
	if a.s.Read(a.p, val, a.sc) {
		a.out |= shell.FromSecret
	}
	a.out |= a.s.Carried(val, a.sc) & shell.FromSecret
	if i := strings.IndexAny(val.Text, ":@") + 1; i > 1 && machine.Rooted(val.Text[i:]) {
		if name := val.Cut(i); a.kinds(name)&table.PathSecret != 0 { // concat:/etc/shadow
			a.reads(name)
		}
	}
}

// lists is the rule for a path that a program only looks at: it may print it.
func (a *argv) lists(val shell.Word) {
	k := a.kinds(val)
	if k&table.PathHidden != 0 && machine.PathLike(val.Text) {
		a.out |= shell.FromNames
	}
	if k&table.PathAway != 0 {
		a.out |= shell.FromOutside
	}
}

// writes is the rule for a file that a program writes.
func (a *argv) writes(label string, val shell.Word, anew bool) {
	if match.InList(" - null: ", val.Text) || !a.s.WritesFile(a.p, label, label+" ", val, a.sc,
		anew) {
		return
	}
	if a.row.Name != "chmod" { // which leaves what is in it
		a.s.WroteFile(val.Text, a.sc)
	}
	if a.givesNothing() || a.row.Name == "truncate" && (val.UnknownName() ||
		match.EveryName(val.Text)) {
		a.p.Add(judgement.LosesFiles, label, label+" puts nothing in the place of "+match.Show(val.Text))
	}
	if a.empties(val) && val.Unnamed() == val.Listed() {
		a.lost(val, "empties")
	}
	if f := a.s.WrittenAt(val, a.sc); f != nil && (a.row.Level == verdict.Network ||
		a.in.Bits&shell.FromNet != 0) {
		f.From |= shell.FromNet
	}
}

// fetched reports whether the command has put the network's answer in the file, and
// denies running it if it has.
func (a *argv) fetched(file shell.Word) bool {
	if a.s.Carried(file, a.sc)&shell.FromNet == 0 {
		return false
	}
	scriptFrom(a.p, shell.FromNet, a.name)
	return true
}

// touch is the rule for a word of which nobody knows what the program does
// with it.
func (a *argv) touch(wd shell.Word) {
	a.reads(wd)
	if a.base > verdict.ReadOnly {
		a.s.Write(a.p, wd, a.sc, false)
	}
}

// stray raises for the paths in a word that may be written.
func (a *argv) stray(val shell.Word) {
	for piece := range strings.FieldsFuncSeq(val.Text, partsPlaces) {
		piece = strings.TrimPrefix(piece, "file://")
		if (machine.Rooted(piece) || strings.HasPrefix(piece, "../")) && !strings.HasPrefix(piece,
			"//") {
			a.s.Overwrites(a.p, val.With(piece), a.sc)
		}
	}
}

// readsInside is the rule for a value that is no path but may hold some, as the words of a
// small language do: a secret that it names counts as read. What is searched for names none.
func (a *argv) readsInside(val shell.Word) {
	program, _, _ := strings.Cut(a.name, " ")
	if match.InList(" grep egrep fgrep zgrep rg ag ack git test [ diff logger man complete alias ",
		program) {
		return
	}
	for piece := range strings.FieldsFuncSeq(val.Text, PartsTexts) {
		if strings.ContainsAny(piece[:1], "/~") && a.kinds(val.With(piece))&table.PathHidden != 0 {
			a.reads(val.With(piece))
		}
	}
}

// PartsTexts reports whether c parts the words of an expression.
func PartsTexts(c rune) bool { return strings.ContainsRune(" \t\n\"'`()[]{}<>=,:;|&@%", c) }

// partsPlaces reports whether a value's list of paths, or of settings that hold some, is
// parted by c.
func partsPlaces(c rune) bool { return strings.ContainsRune(",;:= \t\n\"'{}[]@", c) }

// editsInPlace is the rule for a file that a program writes which it reads.
func (a *argv) editsInPlace(file shell.Word) {
	a.p.Add(judgement.WritesHere, a.name, a.name+" writes what it reads")
	if shell.FromAll(a.words)&shell.FromVar != 0 { // sed -i "s/KEY/$TOKEN/"
		a.p.Add(judgement.ReadsSecrets, "env:secret", a.name+" stores a secret variable")
	}
	a.s.Write(a.p, file, a.sc, true)
	a.s.WroteFile(file.Text, a.sc)
}

// mv loses what it moves into a stream or from a device, and what it takes away.
func (a *argv) mv() {
	to, from := shell.Word{}, a.operands
	if target, ok := a.value("-t", "--target-directory"); ok {
		to = target
	} else if n := len(from) - 1; n >= 0 {
		to, from = from[n], from[:n]
	}
	for _, o := range from {
		if !o.Unnamed() {
			a.lost(o, "takes away")
		}
		a.s.Write(a.p, o.With(strings.TrimSuffix(o.Text, "/")), a.sc, true)
		a.movesAway(o, to)
		at := a.s.At(to.Text, a.sc)
		if folder := a.s.Look(at); at.Kind&table.PathHidden == 0 && len(from) == 1 &&
			!strings.HasSuffix(to.Text, "/") && (folder == nil || !folder.IsDir()) {
			a.reads(o) // if it is a secret, its new name does not say so
		}
	}
	for _, o := range append(from[:len(from):len(from)], to) {
		if a.kinds(o)&table.PathStream != 0 || a.s.At(o.Text, a.sc).Within("/dev") &&
			a.kinds(o)&table.PathScratch == 0 {
			a.p.Add(judgement.LosesFiles, "mv DEVICE",
				"mv loses what it moves to or from "+match.Show(o.Text))
		}
	}
}

// ownProgram reports whether a file that is run is one of the project's own, as a task of its
// Makefile is: it lies in the workspace, and nothing in this command can have made or changed it.
func (a *argv) ownProgram(file shell.Word) bool {
	at, scratch := a.s.At(file.Text, a.sc), a.s.Kinds(a.s.Folder(a.s.Cwd))&table.PathScratch
	const trusted = table.PathGuarded | table.PathSecret
	return file.Plain() && !file.Maybe && file.Text != "-" &&
		!strings.ContainsAny(file.Text, "*?[:") && !a.s.HasWritten(file, a.sc) &&
		!a.s.WroteFrom(shell.FromNet) && len(a.s.Links) == 0 && at.Kind&table.PathHere != 0 &&
		(at.Kind|a.s.ByTable(at))&trusted == 0 && at.Kind&table.PathScratch&^scratch == 0
}

// justWritten is the rule for what builds or runs the project after this command has written a
// file that may be code: nobody has read that as the language that it is in.
func (a *argv) justWritten() {
	if a.name == "npm pkg" || a.fixed && a.base == verdict.ReadOnly || a.base != verdict.BuildTest ||
		!slices.ContainsFunc(a.s.Written[:min(a.began, len(a.s.Written))], machine.MayBeCode) {
		return
	}
	a.p.Add(judgement.RunsUnread, a.name, a.name+" may run what this command has just written")
}

// sends is the rule for a value of which @FILE is a file.
func (a *argv) sends(val shell.Word, flag string) {
	if _, file, ok := strings.Cut(val.Text, "@"); ok && !strings.Contains(val.Text, "=") &&
		match.InList(" --data-urlencode --url-query ", flag) {
		val = val.With("@" + file) // NAME@FILE
	}
	i := strings.IndexAny(val.Text, "@<")
	if i < 0 || i > 0 && val.Text[i-1] != '=' && val.Text[i-1] != ';' {
		a.out |= val.From
		return
	}
	file := val.Cut(i + 1)
	if file.Text, _, _ = strings.Cut(file.Text, ";"); file.Text != "-" {
		a.reads(file)
	}
}

// sendsMore is the rule for secrets on other ways to the network: by what git takes up and sends
// later, and by files that the input names to a program which talks to other machines.
func (a *argv) sendsMore(from shell.Flow) {
	if program, verb, ok := strings.Cut(a.name, " "); ok && program == "git" {
		if a.p.Level == verdict.Network && a.s.committed {
			a.out |= shell.FromSecret
		}
		a.s.committed = a.s.committed || verb != "diff" && (from|a.out)&shell.FromSecret != 0
	}
	if a.p.Level == verdict.Network && a.in.Known {
		for text := range strings.FieldsFuncSeq(a.in.Text, partsPlaces) {
			a.reads(shell.Lit(text))
		}
	}
}

// address is the rule for a word where a file is expected that is none: another
// machine's, or a command's output.
func (a *argv) address(what table.Effect, label string, val shell.Word) {
	pipe := strings.Trim(val.Text, " ")
	if strings.Trim(pipe, "| ") != "" && (pipe[0] == '|' || strings.HasSuffix(pipe, "|") &&
		a.row.Reader == "perl") ||
		what == table.IsWrite && len(pipe) > 1 && pipe[0] == '!' {
		a.p.AddHidden(label, label+" runs "+match.Show(strings.Trim(val.Text, "|!")))
	}
	scheme, _, found := strings.Cut(val.Text, "://")
	// Not a URL, or one that stays here.
	if !found || match.InList(localSchemes, scheme) || strings.ContainsAny(scheme, " /=\"'") {
		return
	}
	if scheme == "macro" || strings.HasPrefix(scheme, "vnd.") {
		a.p.AddHidden(label, label+" runs a macro")
	} else if scheme != "" && !(a.row.Level == verdict.BuildTest && what != table.IsExec &&
		thisMachine.Match(val.Text) && (what != table.IsPlug || path.Ext(val.Text) == "")) {
		a.p.Add(judgement.TalksToHosts, label, label+" talks to "+match.Show(val.Text))
	}
}

// thisMachine finds an address or URL of this machine alone.
var thisMachine = match.Regex{Text: `^(?:\w+://)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])` +
	`(?::\d+)?(?:[/?#]|$)`}

// localSchemes begin the addresses of files and sockets of this machine.
const localSchemes = " file sqlite duckdb unix "
