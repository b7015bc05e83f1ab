package classify

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Whoever deletes all that is in the workspace mostly lists it first: find . | xargs rm. The
// lister's output carries fromWhole, which goes on as far as names do and nothing leaves some of
// them out, and the program that gets the names is held for it.

// hold notes that the part wipes what nobody gets back: it never runs unless somebody says so,
// though its level is the one of what loses a file.
func (p *Part) hold(row, reason string) {
	p.add(losesAll, row, reason)
	p.Held = true
}

// holdWhole holds the part for what happens to all of the workspace.
func (p *Part) holdWhole(name, does string) {
	p.hold("path:all", name+" "+does+" all of the workspace")
}

// whole reports whether the word stands for all of the workspace: it names it, or comes from a
// list of all that is there.
func (a *argv) whole(o word) bool {
	return o.from&fromWhole != 0 || o.text != "" && o.text != hole && a.wipes(a.w.at(o.text, a.sc))
}

// anyWhole reports whether one of the words, or the present folder if there are none, is all of
// the workspace.
func (a *argv) anyWhole(words []word) bool {
	if len(words) == 0 {
		words = []word{lit(".")}
	}
	return slices.ContainsFunc(words, a.whole)
}

// everyName reports whether a name of a path is a pattern that matches all or nearly all names:
// *, .*, **, ?*, .[!.]*, *.*.
func everyName(name string) bool {
	return strings.Contains(name, "*") &&
		strings.Trim(exceptLetter.replace(name, ""), "*?.[]!^") == ""
}

// exceptLetter finds a letter of a pattern that may be any but one or two.
var exceptLetter = regex{text: `\[[!^][\w.-]{1,2}\]`}

// wholePattern returns the flows of what a pattern matches if that is all of the workspace.
func (w *walker) wholePattern(text string, sc *scope) flow {
	if base := text[strings.LastIndexByte(text, '/')+1:]; !everyName(base) || w.o.Cwd == "" {
		return 0
	}
	if a := (argv{w: w, sc: sc}); a.wipes(w.at(text, sc)) {
		return fromWhole
	}
	return 0
}

// wholeNames notes whether the names of all that is in the workspace go on, or begin here.
func (a *argv) wholeNames() {
	if a.out&fromWhole != 0 && a.leavesOut() {
		a.out &^= fromWhole
	}
	if a.w.o.Cwd != "" && a.listsWhole() {
		a.out |= fromWhole
	}
}

// listsWhole reports whether what the program prints is the names of all in the workspace.
func (a *argv) listsWhole() bool {
	switch a.name {
	case "ls", "dir", "vdir", "tree", "du":
		return a.anyWhole(a.operands)
	case "git ls-files":
		return a.anyWhole(a.operands) && (a.flagged("-c", "--cached") || !a.flagged("-o", "--others",
			"-d", "--deleted", "-m", "--modified", "-u", "--unmerged", "-k", "--killed", "-i"))
	case "git ls-tree":
		return a.anyWhole(a.operands[min(1, len(a.operands)):])
	case "fd", "fdfind":
		return a.fdWhole()
	case "rg":
		return a.flagged("--files") && a.anyWhole(a.operands) && !a.flagged("-g", "--glob", "-t",
			"--type", "-T", "--type-not", "--iglob")
	case "grep", "egrep", "fgrep":
		return a.flagged("-l", "--files-with-matches") && a.flagged("-r", "-R", "--recursive") &&
			len(a.operands) > 0 && inList(" . .* ^ ", a.operands[0].text) && a.anyWhole(a.operands[1:])
	case "compgen":
		return a.flagged("-f")
	}
	return false
}

// findsWhole is listsWhole for find, in whose words the folders stand before the first test.
func (a *argv) findsWhole() flow {
	if a.w.o.Cwd == "" || a.filters() {
		return 0
	}
	n := slices.IndexFunc(a.words, func(wd word) bool {
		return strings.HasPrefix(wd.text, "-") && !inList(" -H -L -P -E -X -d -s -x ", wd.text) ||
			wd.text == "(" || wd.text == "!"
	})
	if n < 0 {
		n = len(a.words)
	}
	roots := slices.DeleteFunc(slices.Clone(a.words[:n]), func(wd word) bool {
		return strings.HasPrefix(wd.text, "-")
	})
	if a.anyWhole(roots) {
		return fromWhole
	}
	return 0
}

// fdWhole reports whether fd finds all that is in the workspace.
func (a *argv) fdWhole() bool {
	if a.flagged("-e", "--extension", "-E", "--exclude", "-S", "--size", "--changed-within",
		"--changed-before", "-o", "--owner") {
		return false
	}
	for _, u := range a.used {
		if (u.name == "-t" || u.name == "--type") && !inList(" f file d dir directory ", u.val.text) {
			return false
		}
	}
	if len(a.operands) == 0 {
		return a.anyWhole(nil)
	}
	return inList(" . .* ^ * ", a.operands[0].text) && a.anyWhole(a.operands[1:])
}

// leavesOut reports whether a program that passes names on keeps some of them back.
func (a *argv) leavesOut() bool {
	switch a.name {
	case "grep", "egrep", "fgrep", "rg", "ag", "ack":
		invert := a.letter("v") || a.flagged("--invert-match")
		return len(a.operands) == 0 || !invert && !inList(" . .* ^ ", a.operands[0].text) ||
			invert && !inList(` ^\.$ ^.$ ^\.\.?$ ^\.+$ ^$ . .git `, a.operands[0].text)
	case "head", "tail", "comm":
		return true
	case "shuf":
		return a.flagged("-n", "--head-count")
	case "uniq":
		return a.letter("d") || a.letter("D") || a.letter("u") || a.flagged("--repeated", "--unique")
	case "sed":
		script := first(a.operands, "").text
		return a.flagged("-n") || !strings.HasPrefix(script, "s") && script != "1d"
	case "awk", "gawk", "mawk":
		script := strings.TrimSpace(first(a.operands, "").text)
		return !strings.HasPrefix(script, "{") && !inList(" 1 NF ", script) ||
			strings.Contains(script, "if")
	}
	return false
}

// takesWhole is the rule for what takes all of the workspace, or its history, away to another
// place: below the workspace it is still there.
func (a *argv) takesWhole(from, to word) {
	if !a.whole(from) {
		return
	}
	target, cwd := a.w.at(to.text, a.sc), a.w.folder(a.w.o.Cwd)
	folder := from.plain() && cwd.within(a.w.at(from.text, a.sc).abs)
	known := strings.HasPrefix(target.abs, "/") || strings.HasPrefix(target.abs, "~")
	if folder || known && !a.w.inWorkspace(target) {
		a.p.holdWhole(a.name, "takes away "+show(from.text)+",")
	}
}

// someOnly returns the input of a loop whose body leaves out some of what it goes over.
func someOnly(from flow, body []*syntax.Stmt) flow {
	if from&fromWhole != 0 && slices.ContainsFunc(body, choosesIn) {
		return from &^ fromWhole
	}
	return from
}

// choosesIn reports whether a statement does something under a condition that may tell one name
// from another. Whether a file is there, or is a folder, tells little.
func choosesIn(s *syntax.Stmt) (chooses bool) {
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.IfClause:
			chooses = chooses || slices.ContainsFunc(n.Cond, tellsApart)
		case *syntax.CaseClause:
			chooses = true
		case *syntax.BinaryCmd:
			chooses = chooses || (n.Op == syntax.AndStmt || n.Op == syntax.OrStmt) && tellsApart(n.X)
		}
		return !chooses
	})
	return chooses
}

// tellsApart reports whether a condition depends on more than that a file is there.
func tellsApart(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return false
		}
		name := c.Args[0].Lit()
		return !inList(" : true false echo printf cd rm ", name) &&
			!(inList(" [ test ", name) && len(c.Args) > 2 &&
				inList(" -e -f -d -n -L -r -w ", bareText(c.Args[1])))
	case *syntax.TestClause:
		unary, ok := c.X.(*syntax.UnaryTest)
		return !ok || !inList(" -e -f -d -n -L -r -w ", unary.Op.String())
	case *syntax.BinaryCmd:
		return tellsApart(c.X) || tellsApart(c.Y)
	}
	return true
}

// bareText returns the text of a word of one piece, in quotes or not.
func bareText(word *syntax.Word) string {
	if len(word.Parts) == 1 {
		switch p := word.Parts[0].(type) {
		case *syntax.SglQuoted:
			return p.Value
		case *syntax.DblQuoted:
			return (&syntax.Word{Parts: p.Parts}).Lit()
		}
	}
	return word.Lit()
}

// choosesText is choosesIn for a script that another program starts for each name.
var choosesText = regex{text: `\b(?:if|case|grep|continue)\b|&&|\|\|`}

// A keptFile is a file that the command has written, with what of it later commands may read.
type keptFile struct {
	file string
	from flow
}

// keep notes that the files hold the names of all that is in the workspace, or the crontab.
func (w *walker) keep(from flow, files []string) {
	for _, file := range files {
		w.kept = append(w.kept, keptFile{file, from & fromWhole})
	}
}

// keeps returns the flows of a file that the command has put one of these into.
func (w *walker) keeps(file word, sc *scope) (from flow) {
	if len(w.kept) == 0 || !file.plain() || file.text == "" {
		return 0
	}
	at := w.at(file.text, sc).abs
	for _, k := range w.kept {
		if k.file == at {
			from |= k.from
		}
	}
	return from
}

// syncsWhole is the rule for rsync: what --delete leaves of the folder that it fills, and what
// --remove-source-files leaves of those that it copies. A filter may keep some of it.
func (a *argv) syncsWhole() {
	if len(a.operands) < 2 || a.flagged("-n", "--dry-run", "--exclude", "--exclude-from", "-f",
		"--filter", "-F", "-C", "--files-from", "--include", "--include-from") {
		return
	}
	last := len(a.operands) - 1
	for _, u := range a.used {
		switch {
		case strings.HasPrefix(u.name, "--del") && a.whole(a.operands[last]):
			a.p.holdWhole(a.name+" "+u.name, "deletes")
		case u.name == "--remove-source-files" && slices.ContainsFunc(a.operands[:last], a.whole):
			a.p.holdWhole(a.name+" "+u.name, "deletes")
		}
	}
}

// packsWhole is the rule for a flag by which an archiver deletes what it has packed.
func (a *argv) packsWhole() {
	packed, deletes := a.operands, a.flagged("--remove-files")
	if a.row.name != "tar" { // the first is the archive
		packed = packed[min(1, len(packed)):]
		deletes = a.flagged("-m", "--move", "-sdel", "-df", "-dr", "-dw")
	}
	if deletes && slices.ContainsFunc(packed, a.whole) {
		a.p.holdWhole(a.name, "packs and deletes")
	}
}

// gitRemoves is the rule for git rm of all files, and for the history that git init puts
// elsewhere.
func (a *argv) gitRemoves() {
	switch a.name {
	case "git rm":
		if !a.fixed && len(a.operands) > 0 && a.anyWhole(a.operands) {
			a.p.holdWhole(a.name, "deletes")
		}
	case "git init":
		if dir, ok := a.value("--separate-git-dir"); ok && !a.w.inWorkspace(a.w.at(dir.text, a.sc)) {
			a.p.hold("git init --separate-git-dir",
				"git init moves the history to "+show(dir.text))
		}
	}
}

// letter reports whether a word with one dash has the letter of a flag.
func (a *argv) letter(letter string) bool {
	for _, wd := range a.words {
		if len(wd.text) > 1 && wd.text[0] == '-' && wd.text[1] != '-' &&
			strings.Contains(wd.text, letter) {
			return true
		}
	}
	return false
}
