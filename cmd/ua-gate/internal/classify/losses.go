package classify

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hold notes that the part wipes what nobody gets back: it never runs unless somebody says so,
// though its level is the one of what loses a file.
func (p *Part) hold(row, reason string) {
	p.add(losesAll, row, reason)
	p.Held = true
}

// deletes is the rule for what is lost: never a whole system or home, or all of the workspace.
func (a *argv) deletes(val word) {
	at := a.w.at(val.text, a.sc)
	if at.abs != "/" {
		a.w.reaches(a.p, a.w.at(path.Dir(at.abs), &scope{}))
	}
	switch {
	case at.kind&pathDisk != 0:
		a.w.write(a.p, val, a.sc, false)
	case at.kind&(pathWhole|pathAll) != 0:
		a.p.addBy(never, "path:root", "deletes "+named(val.text), val.text)
	default:
		a.lost(val, "deletes")
	}
}

// lost is the rule for what a command deletes, empties or takes away: it is held unless it is
// named. A name is a path or a pattern with letters in it that is neither all of the workspace nor
// a record. It stands where the shell is, and where it still is if a cd fails.
func (a *argv) lost(val word, does string) {
	here, stayed := a.all(val)
	switch rest, empty := a.ifEmpty(val); {
	case empty:
		a.p.hold("path:empty", a.name+" "+does+" "+show(rest)+
			" if what is not known in "+show(val.text)+" is empty: write ${NAME:?}")
	case val.unnamed():
		a.p.hold("path:unknown", a.name+" "+does+" files, and nobody knows which")
	case here:
		a.p.hold("path:all", a.name+" "+does+" "+show(val.text)+", which nobody gets back")
	case stayed:
		a.p.hold("path:cd", a.name+" "+does+" "+show(val.text)+
			" here if cd fails: join them with &&")
	}
}

// all reports whether a word is all of the workspace or a record: where the shell is, and where
// it still is if a cd before has failed.
func (a *argv) all(val word) (here, stayed bool) {
	const lasting = pathAll | pathRecord
	if a.sc.stay != "" && !rooted(val.text) {
		sc := *a.sc
		sc.cwd = a.sc.stay
		stayed = a.w.at(val.text, &sc).kind&lasting != 0
	}
	return a.kinds(val)&lasting != 0, stayed
}

// ifEmpty reports whether a word is all of the workspace if what is not known in it is empty:
// "$DIR"/*. ${DIR:?} never is. That rm never takes / and . themselves.
func (a *argv) ifEmpty(val word) (rest string, all bool) {
	rest = strings.ReplaceAll(val.text, hole, "")
	if rest == val.text || strings.Trim(rest, "./") == "" || val.from&fromTemp != 0 ||
		val.glob && strings.Contains(val.text, "*"+hole) || val.src != nil && neverEmpty(val.src) {
		return rest, false
	}
	return rest, strings.Trim(rest, "/*") == "" || a.kinds(lit(rest))&pathAll != 0
}

// neverEmpty reports whether a word's variables all end the command if they are empty.
func neverEmpty(word *syntax.Word) bool {
	sure := true
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			sure = sure && n.Exp != nil && (n.Exp.Op == syntax.ErrorUnsetOrNull ||
				n.Exp.Op == syntax.DefaultUnsetOrNull && n.Exp.Word != nil)
		case *syntax.CmdSubst:
			sure = false
		}
		return sure
	})
	return sure
}

// everyName reports whether a name of a path is a pattern that matches all or nearly all names:
// *, .*, **, ?*, *.*.
func everyName(name string) bool {
	return strings.Contains(name, "*") &&
		strings.Trim(exceptLetter.replace(name, ""), "*?.[]!^") == ""
}

// exceptLetter finds a letter of a pattern that may be any but one or two.
var exceptLetter = regex{text: `\[[!^][\w.-]{1,2}\]`}

// mv loses what it moves into a stream or from a device, and what it takes away.
func (a *argv) mv() {
	to, from := word{}, a.operands
	if target, ok := a.value("-t", "--target-directory"); ok {
		to = target
	} else if n := len(from) - 1; n >= 0 {
		to, from = from[n], from[:n]
	}
	for _, o := range from {
		if !o.unnamed() {
			a.lost(o, "takes away")
		}
		a.w.write(a.p, o.with(strings.TrimSuffix(o.text, "/")), a.sc, true)
		a.movesAway(o, to)
	}
	for _, o := range append(from[:len(from):len(from)], to) {
		if a.kinds(o)&pathStream != 0 || a.w.at(o.text, a.sc).within("/dev") &&
			a.kinds(o)&pathScratch == 0 {
			a.p.add(losesFiles, "mv DEVICE", "mv loses what it moves to or from "+show(o.text))
		}
	}
}

// movesAway is the rule for a file of the project that is moved out of the workspace.
func (a *argv) movesAway(from, to word) {
	ours := from.unknownName() && from.from&fromTemp == 0 ||
		from.plain() && a.kinds(from)&pathHere != 0
	if ours && a.kinds(to)&(pathPassing|pathHere) == pathPassing && !a.madeHere(from) {
		a.p.hold("path:vanishes", a.name+" moves "+show(from.text)+" to "+show(to.text)+
			", which goes with the run: keep it in the workspace")
	}
}

// emptied is the rule for files that redirections make empty.
func (w *walker) emptied(s *syntax.Stmt, lost []word, parts *[]Part) {
	for _, target := range lost {
		act := losesFiles
		held := target.listed() || everyName(target.text)
		if held {
			act = losesAll
		}
		if held || target.unknownName() {
			w.fact(parts, s, act, "path:unknown", "empties files, and nobody knows which").Held = held
		}
	}
}

// empties reports whether nothing of what was in the file stays there.
func (a *argv) empties(val word) bool {
	return a.givesNothing() || inList(" truncate dd ", a.row.name) || a.row.name == "tee" &&
		val.multi && !a.flagged("-a", "--append")
}

// givesNothing reports whether what is put in a file's place is empty.
func (a *argv) givesNothing() bool {
	return inList(" cp ln mv install ", a.row.name) && slices.ContainsFunc(a.operands,
		func(o word) bool { return o.text == "/dev/null" })
}

// unknownName reports whether no letter in a word says which files it is.
func (w word) unknownName() bool {
	return !w.plain() && strings.Trim(w.text, "./*?"+hole) == ""
}

// unnamed reports whether a word is files of which nobody knows the names: neither letters in it
// nor where it comes from say which they are.
func (w word) unnamed() bool {
	return w.unknownName() && w.from&(fromTemp|fromFilter) == 0 &&
		(w.src == nil || !neverEmpty(w.src))
}

// listed is unnamed for what is only written: one variable that the command does not set is the
// file that somebody has put there.
func (w word) listed() bool { return w.unnamed() && (w.multi || w.subst || w.src == nil) }

// takes is the rule for a program that a flag has delete what it reads, or what it finds where it
// writes, unless another flag leaves some of it out.
func (a *argv) takes() {
	if a.fixed || a.flagged("--exclude", "--exclude-from", "-f", "--filter") && a.name == "rsync" {
		return
	}
	for i, o := range a.operands {
		written := a.row.slot(a.slots, i, len(a.operands)).what == isWrite
		if slices.ContainsFunc(a.used, func(u use) bool {
			return u.takes && !written || u.clears && written
		}) {
			a.lost(o, "deletes")
		}
	}
}

// filtered returns fromFilter if what the program prints are names of files of which it leaves
// some out, or that lie in a folder that is named, or if its input is such and it passes that on.
func (a *argv) filtered() flow {
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
		some = a.selects() || a.inFolders(a.operands[min(1, len(a.operands)):]) &&
			len(a.operands) > 1
	case "echo", "printf":
		some = len(a.words) > 0 && a.inFolders(a.words) && fromAll(a.words) == 0
	case "uniq":
		some = a.letter("d") || a.letter("D") || a.letter("u")
	case "head", "tail":
		some = a.fewLines()
	case "comm", "git diff", "git status":
		some = true
	case "sed", "awk": // a line that matches
		script := first(a.operands, "").text
		some = a.flagged("-n") || len(script) > 1 && strings.ContainsAny(script[:1], "/$")
	}
	if some {
		return fromFilter
	}
	if inList(" head tail sort uniq tac tee cat tr cut sed awk shuf column realpath readlink xargs "+
		"basename echo printf ", a.name) {
		return (a.in.bits | fromAll(a.words)) & fromFilter
	}
	return 0
}

// fewLines reports whether head or tail prints only some: neither all but these, nor hundreds.
func (a *argv) fewLines() bool {
	count, _ := a.value("-n", "--lines", "-c", "--bytes")
	for _, wd := range a.words {
		if text := strings.TrimLeft(wd.text, "-+"); count.text == "" && text != wd.text &&
			strings.Trim(text, "0123456789") == "" {
			count.text = strings.TrimPrefix(wd.text, "-") // head -5
		}
	}
	return len(count.text) < 3 && !strings.ContainsAny(count.text, "+-"+hole)
}

// selects reports whether a program that looks for a pattern leaves out what does not match it.
func (a *argv) selects() bool {
	pattern := first(a.operands, "")
	if given, ok := a.value("-e", "--regexp"); ok {
		pattern = given
	}
	text := pattern.text
	if a.letter("v") || a.flagged("--invert-match") {
		text = strings.ReplaceAll(text, "git", "") // all but the history is all
	}
	return lettered(text) || a.flagged("-g", "--glob", "--iglob", "--extension", "-E",
		"--changed-within", "--size") ||
		a.flagged("-e") && strings.HasPrefix(a.name, "fd") || a.flagged("-t") && a.name == "rg"
}

// inFolders reports whether the words are files or folders that are named, so that what is in
// them is not all of the workspace; without a word it is that of the shell.
func (a *argv) inFolders(words []word) bool {
	if len(words) == 0 {
		words = []word{lit(".")}
	}
	return !slices.ContainsFunc(words, func(wd word) bool {
		here, stayed := a.all(wd)
		at := a.w.at(wd.text, a.sc).abs
		return here || stayed || wd.unnamed() || !rooted(at) && !lettered(at)
	})
}

// lettered reports whether a text has letters or digits, by which a pattern leaves names out.
func lettered(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r > 'z' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	})
}
