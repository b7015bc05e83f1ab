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

// deletes is the rule for what is lost: never a whole system or home, or all of the workspace.
func (a *argv) deletes(val shell.Word) {
	at := a.s.At(val.Text, a.sc)
	if at.Abs != "/" {
		a.s.Reaches(a.p, a.s.At(path.Dir(at.Abs), &shell.Scope{}))
	}
	switch {
	case at.Kind&table.PathDisk != 0:
		a.s.Write(a.p, val, a.sc, false)
	case at.Kind&(table.PathWhole|table.PathAll) != 0:
		a.p.AddBy(judgement.Never, "path:root", "deletes "+match.Named(val.Text), val.Text)
	default:
		a.lost(val, "deletes")
	}
}

// lost is the rule for what a command deletes, empties or takes away: it is held unless it is
// named. A name is a path or a pattern with letters in it that is neither all of the workspace nor
// a record. It stands where the shell is, and where it still is if a cd fails.
func (a *argv) lost(val shell.Word, does string) {
	here, stayed := a.all(val)
	switch rest, empty := a.ifEmpty(val); {
	case empty:
		a.p.Hold("path:empty", a.name+" "+does+" "+match.Show(rest)+
			" if what is not known in "+match.Show(val.Text)+" is empty: write ${NAME:?}")
	case val.Unnamed():
		a.p.Hold("path:unknown", a.name+" "+does+" files, and nobody knows which")
	case here:
		a.p.Hold("path:all", a.name+" "+does+" "+match.Show(val.Text)+", which nobody gets back")
	case stayed:
		a.p.Hold("path:cd", a.name+" "+does+" "+match.Show(val.Text)+
			" here if cd fails: join them with &&")
	}
}

// all reports whether a word is all of the workspace or a record: where the shell is, and where
// it still is if a cd before has failed.
func (a *argv) all(val shell.Word) (here, stayed bool) {
	const lasting = table.PathAll | table.PathRecord
	if a.sc.Stay != "" && !machine.Rooted(val.Text) {
		sc := *a.sc
		sc.Cwd = a.sc.Stay
		stayed = a.s.At(val.Text, &sc).Kind&lasting != 0
	}
	return a.kinds(val)&lasting != 0, stayed
}

// ifEmpty reports whether a word is all of the workspace if what is not known in it is empty:
// "$DIR"/*. ${DIR:?} never is. That rm never takes / and . themselves.
func (a *argv) ifEmpty(val shell.Word) (rest string, all bool) {
	rest = strings.ReplaceAll(val.Text, match.Hole, "")
	if rest == val.Text || strings.Trim(rest, "./") == "" || val.From&shell.FromTemp != 0 ||
		val.Glob && strings.Contains(val.Text, "*"+match.Hole) || val.Src != nil &&
		shell.NeverEmpty(val.Src) {
		return rest, false
	}
	return rest, strings.Trim(rest, "/*") == "" || a.kinds(shell.Lit(rest))&table.PathAll != 0
}

// movesAway is the rule for a file of the project that is moved out of the workspace.
func (a *argv) movesAway(from, to shell.Word) {
	ours := from.UnknownName() && from.From&shell.FromTemp == 0 ||
		from.Plain() && a.kinds(from)&table.PathHere != 0
	if ours && a.kinds(to)&(table.PathPassing|table.PathHere) == table.PathPassing &&
		!a.madeHere(from) {
		a.p.Hold("path:vanishes", a.name+" moves "+match.Show(from.Text)+" to "+match.Show(to.Text)+
			", which goes with the run: keep it in the workspace")
	}
}

// madeHere reports whether the word names a file that this command has written anew,
// so that nothing else is lost with it.
func (a *argv) madeHere(file shell.Word) bool {
	if !file.Plain() || file.Maybe || file.Glob || a.sc.Maybe > 0 {
		return false
	}
	made := a.s.WrittenAt(file, a.sc)
	return made != nil && made.Sure
}

// empties reports whether nothing of what was in the file stays there.
func (a *argv) empties(val shell.Word) bool {
	return a.givesNothing() || match.InList(" truncate dd ", a.row.Name) || a.row.Name == "tee" &&
		(val.Multi || val.Glob) && !a.flagged("-a", "--append")
}

// givesNothing reports whether what is put in a file's place is empty.
func (a *argv) givesNothing() bool {
	return match.InList(" cp ln mv install ", a.row.Name) && slices.ContainsFunc(a.operands,
		func(o shell.Word) bool { return o.Text == "/dev/null" })
}

// takes is the rule for a program that a flag has delete what it reads, or what it finds where it
// writes, unless another flag leaves some of it out.
func (a *argv) takes() {
	if a.fixed || a.flagged("--exclude", "--exclude-from", "-f", "--filter") && a.name == "rsync" {
		return
	}
	for i, o := range a.operands {
		written := a.row.Slot(a.slots, i, len(a.operands)).What == table.IsWrite
		if slices.ContainsFunc(a.used, func(u use) bool {
			return u.Takes && !written || u.Clears && written
		}) {
			a.lost(o, "deletes")
		}
	}
}

// removes is rm of what mktemp has made: nothing else is lost.
func (a *argv) removes() {
	made := false
	for _, o := range a.operands {
		made = made || a.madeHere(o)
		if !shell.Temporary(o) && (o.Text != "" || !o.Known()) && !a.madeHere(o) {
			return
		}
	}
	switch {
	case made:
		a.base, a.why = verdict.Write, "deletes what this command has made"
	case len(a.operands) > 0:
		a.base, a.why = verdict.Write, "deletes what mktemp has made"
	}
}

// filtered returns fromFilter if what the program prints are names of files of which it leaves
// some out, or that lie in a folder that is named, or if its input is such and it passes that on.
func (a *argv) filtered() shell.Flow {
	some := false
	switch a.name {
	case "find":
		some = a.filters() || a.inFolders(a.operands)
	case "ls", "dir", "du", "tree", "git ls-files", "git ls-tree":
		files := a.operands
		if a.name == "git ls-tree" {
			files = files[min(1, len(files)):]
		}
		some = a.inFolders(files) || a.name == "git ls-files" && !a.flagged("-c", "--cached") &&
			a.flagged("-o", "--others", "-d", "--deleted", "-m", "--modified", "-u", "-i")
	case "fd", "fdfind", "rg", "grep", "egrep", "fgrep", "ag", "ack", "git grep":
		some = a.selects() || a.inFolders(a.operands[min(1, len(a.operands)):]) && len(a.operands) > 1
	case "echo", "printf":
		some = len(a.words) > 0 && a.inFolders(a.words) && shell.FromAll(a.words) == 0
	case "uniq":
		some = a.letter("d") || a.letter("D") || a.letter("u")
	case "head", "tail":
		some = a.fewLines()
	case "comm", "git diff", "git status":
		some = true
	case "sed", "awk": // a line that matches
		script := shell.First(a.operands, "").Text
		some = a.flagged("-n") || len(script) > 1 && strings.ContainsAny(script[:1], "/$")
	}
	if some {
		return shell.FromFilter
	}
	if match.InList(
		" head tail sort uniq tac tee cat tr cut sed awk shuf column realpath readlink xargs "+
			"basename echo printf ", a.name) {
		return (a.in.Bits | shell.FromAll(a.words)) & shell.FromFilter
	}
	return 0
}

// filters reports whether a test of find's leaves out files by their names, age, kind or content:
// names by letters in them, and not by being others than these, as those before -prune are. The
// folders of version control are what nobody deletes.
func (a *argv) filters() bool {
	if a.leaves == nil {
		found := a.testsLeaveOut()
		a.leaves = &found
	}
	return *a.leaves
}

func (a *argv) testsLeaveOut() bool {
	from := 0
	for i, wd := range a.words {
		if wd.Text == "-prune" && match.InList(" -o -or ", shell.First(a.words[i+1:], "").Text) {
			from = i
		}
	}
	for i, wd := range a.words {
		next, not := "", i < from || i > 0 && match.InList(" ! -not ", a.words[i-1].Text)
		if i+1 < len(a.words) {
			next = a.words[i+1].Text
		}
		switch name := strings.Trim(next, "*./"); {
		case not:
		case match.InList(" -name -iname -path -ipath -wholename -regex -iregex ", wd.Text):
			if top, _, _ := strings.Cut(name, "/"); match.Lettered(name) &&
				(a.s.ByTable(a.s.Place(top))|a.s.ByTable(a.s.Place("."+top)))&table.PathRecord == 0 {
				return true
			}
		case wd.Text == "-type" && strings.ContainsAny(next, "lpsbc"),
			a.tests(wd.Text), match.InList(" -empty -executable -readable ", wd.Text),
			strings.HasPrefix(wd.Text, "-exec") && match.InList(" grep egrep fgrep rg test [ ", next):
			return true
		}
	}
	return false
}

// tests reports whether a word of find's is a test with a value that leaves files out.
func (a *argv) tests(text string) bool {
	f, _ := a.lookup(text)
	return strings.HasPrefix(text, "-newer") || f != nil && f.Value == table.IsText &&
		!match.InList(" -type -maxdepth -mindepth -printf ", text)
}

// fewLines reports whether head or tail prints only some: neither all but these, nor hundreds.
func (a *argv) fewLines() bool {
	count, _ := a.value("-n", "--lines", "-c", "--bytes")
	for _, wd := range a.words {
		if text := strings.TrimLeft(wd.Text, "-+"); count.Text == "" && text != wd.Text &&
			strings.Trim(text, "0123456789") == "" {
			count.Text = strings.TrimPrefix(wd.Text, "-") // head -5
		}
	}
	return len(count.Text) < 3 && !strings.ContainsAny(count.Text, "+-"+match.Hole)
}

// selects reports whether a program that looks for a pattern leaves out what does not match it.
func (a *argv) selects() bool {
	pattern := shell.First(a.operands, "")
	if given, ok := a.value("-e", "--regexp"); ok {
		pattern = given
	}
	text := pattern.Text
	if a.letter("v") || a.flagged("--invert-match") {
		text = strings.ReplaceAll(text, "git", "") // all but the history is all
	}
	return match.Lettered(text) || a.flagged("-g", "--glob", "--iglob", "--extension", "-E",
		"--changed-within", "--size") ||
		a.flagged("-e") && strings.HasPrefix(a.name, "fd") || a.flagged("-t") && a.name == "rg"
}

// inFolders reports whether the words are files or folders that are named, so that what is in
// them is not all of the workspace; without a word it is that of the shell.
func (a *argv) inFolders(words []shell.Word) bool {
	if len(words) == 0 {
		words = []shell.Word{shell.Lit(".")}
	}
	return !slices.ContainsFunc(words, func(wd shell.Word) bool {
		here, stayed := a.all(wd)
		at := a.s.At(wd.Text, a.sc).Abs
		return here || stayed || wd.Unnamed() || !machine.Rooted(at) && !match.Lettered(at)
	})
}
