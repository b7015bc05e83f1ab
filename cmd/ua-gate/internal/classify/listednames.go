package classify

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// each returns the flows of one name after another of a list.
func each(from flow) flow {
	if from&fromListed != 0 {
		return from&^fromListed | fromEach
	}
	return from
}

// mentioned returns the flows of a text that has a listed name in it and is another one.
func mentioned(from flow) flow {
	if from&(fromListed|fromEach) != 0 {
		return from&^namesFiles | fromNamed
	}
	return from &^ fromWhole
}

// matches returns the flows of what a pattern matches. A slash at its end makes it match folders.
func matches(pattern string) flow {
	switch {
	case strings.HasSuffix(pattern, "/"), spent(pattern):
		return 0
	case path.Ext(pattern) == "":
		return fromListed | fromFolders
	}
	return fromListed
}

// beforeName reports whether a listed name stays one behind the text: behind nothing, ./ or what
// dd calls the file by that it writes.
func beforeName(text string) bool { return inList(" of= ./ of=./ ", text) || text == "" }

// name returns what a value carries that goes into the word: the name of a listed file stays one
// at the word's beginning, behind a blank and behind ./ alone.
func (b *fieldBuilder) name(from flow) flow {
	if from&(fromListed|fromEach|fromWhole) == 0 {
		return from
	}
	before := b.cur.text
	if !beforeName(before) && !strings.HasSuffix(before, " ") &&
		!strings.HasSuffix(before, "\n") {
		return mentioned(from)
	}
	b.named = true
	return from
}

// behindName is the rule for a piece that follows a listed name: it makes another text of it.
func (b *fieldBuilder) behindName(p syntax.WordPart) {
	if !b.named {
		return
	}
	switch p := p.(type) {
	case *syntax.Lit:
		if strings.HasPrefix(p.Value, " ") || strings.HasPrefix(p.Value, "\n") {
			b.named = false
			return
		}
	case *syntax.DblQuoted:
		return // each of its pieces is one
	}
	b.cur.from, b.named = mentioned(b.cur.from), false
}

// changesName reports whether an expansion changes a name that the variable holds, other than by
// taking ./ away.
func changesName(p *syntax.ParamExp) bool {
	if p.Repl != nil || len(p.Modifiers) > 0 || p.Excl || p.Slice != nil && !several(p) {
		return true
	}
	if p.Exp == nil {
		return false
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset,
		syntax.AssignUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return false
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return p.Exp.Word == nil || p.Exp.Word.Lit() != "./"
	}
	return true
}

// spentEnds and spentFolders are the names of files whose content nobody misses: what a program
// makes again, or says while it runs.
const (
	spentEnds = " .log .tmp .temp .bak .out .err .cache .pid .swp .old .orig .rej .o .pyc .trace " +
		".prof .gcda .lock "
	spentFolders = " build dist out output target tmp temp log logs coverage node_modules " +
		"__pycache__ .cache cache generated gen "
)

// spent reports whether nobody misses what is in the file, by its name.
func spent(name string) bool {
	if inList(spentEnds, path.Ext(name)) {
		return true
	}
	dir := path.Dir(name)
	if dir == "." {
		return false
	}
	for folder := range strings.SplitSeq(dir, "/") {
		if inList(spentFolders, folder) {
			return true
		}
	}
	return false
}

// tellsNames are programs whose output tells of a file no more than its name.
const tellsNames = " echo printf print : true false test [ basename dirname realpath readlink " +
	"ls pwd date "

// madeWith returns what the output of a program carries whose words carry names of listed files.
func madeWith(program string, words flow) flow {
	switch {
	case !inList(tellsNames, path.Base(program)):
		return fromFiles
	case words&(fromListed|fromEach) != 0:
		return fromNamed
	}
	return 0
}

// findsFiles returns what the output of find carries: the names of files, unless it looks for
// folders, or for what nobody misses.
func (a *argv) findsFiles() flow {
	what := fromListed | fromFolders
	for i, wd := range a.words[:max(0, len(a.words)-1)] {
		next := a.words[i+1].text
		if i == 0 && spent(wd.text+"/x") {
			return 0
		}
		switch wd.text {
		case "-type":
			if next == "d" {
				return 0
			}
			what = fromListed
		case "-name", "-iname", "-path", "-wholename":
			if spent(next) {
				return 0
			}
			if path.Ext(next) != "" {
				what &^= fromFolders
			}
		}
	}
	return what
}

// passesNames is the rule for what lists files, and for what passes on some lines of such a list.
func (a *argv) passesNames() {
	switch a.name {
	case "git ls-files", "git ls-tree":
		a.out |= fromListed
	case "git diff", "git show", "git log", "git grep", "git diff-tree", "git diff-index",
		"git status", "git whatchanged":
		if a.flagged("--name-only", "-l", "--files-with-matches", "-s", "--short", "--porcelain",
			"--name-status") {
			a.out |= fromListed
		}
	case "rg", "ag", "ack", "grep", "egrep", "fgrep":
		if a.flagged("-l", "-L", "--files", "--files-with-matches", "--files-without-match") {
			a.out |= fromListed
		} else if a.flagged("-m", "--max-count") {
			return
		}
		a.passesOn()
	case "ls", "dir", "fd", "fdfind", "tree", "du":
		a.listsFolder()
	case "cat":
		if len(a.operands) > 0 {
			a.out |= fromListed | fromFolders | fromRecord
		}
		a.passesOn()
	case "echo", "printf", "print":
		for _, wd := range a.words {
			a.out |= wd.from & namesFiles
		}
	case "head", "tail", "shuf":
		for _, wd := range a.words {
			if wd.text == "1" || wd.text == "-1" || wd.text == "-n1" {
				return
			}
		}
		a.passesOn()
	case "sort", "uniq", "tac", "tee", "cut", "xargs", "comm", "column", "realpath", "readlink":
		a.passesOn()
	case "tr":
		if len(a.words) > 0 && strings.Contains(a.words[0].text, `\`) {
			a.passesOn()
		}
	case "sed", "awk", "gawk", "mawk", "perl":
		if !a.makesNames() {
			a.passesOn()
		}
	}
}

// passesOn notes that what the program reads goes on as it was: its input, or the output of
// another command that it opens.
func (a *argv) passesOn() {
	a.out |= a.in.bits & namesFiles
	for _, wd := range a.words {
		if strings.HasPrefix(wd.text, "/dev/fd/") {
			a.out |= wd.from & namesFiles
		}
	}
}

// listsFolder notes that ls or its like lists what is in folders, or what its words name.
func (a *argv) listsFolder() {
	what := fromListed | fromFolders
	for _, o := range a.operands {
		switch {
		case strings.HasSuffix(o.text, "/"), strings.Contains(o.text, "/") && !o.glob && o.plain():
			if a.name == "ls" {
				return // of names in another folder, or of folders
			}
		case o.glob && spent(o.text):
			return
		case o.glob && o.from&fromFolders == 0:
			what = fromListed
		}
	}
	for _, u := range a.used {
		switch u.name + " " + u.val.text {
		case "-t d", "--type d", "-t directory":
			return
		}
		if u.name == "-e" || u.name == "-t" {
			what = fromListed
		}
	}
	a.out |= what
}

// makesNames reports whether a script of sed, awk or Perl makes other texts of the lines that it
// prints. To take something from their beginnings leaves a name.
func (a *argv) makesNames() bool {
	for _, wd := range a.words {
		text := strings.TrimSpace(wd.text)
		switch {
		case a.name == "sed" && len(text) > 2 && text[0] == 's' && text[2] != '^',
			a.name == "sed" && strings.Contains(text, ";s"), strings.ContainsAny(text, `"'`),
			a.name == "perl":
			return true
		}
	}
	return false
}
