package classify

import (
	"slices"
	"strings"
)

// The tests and actions of find(1) by how many words they take.
const (
	findNone = " -a -and -daystart -depth -d -empty -executable -false -follow -help " +
		"-ignore_readdir_race -ls -mount -nogroup" +
		" -noignore_readdir_race -noleaf -not -nouser -nowarn -o -or -print -print0 -prune -quit " +
		"-readable -true -version -warn -writable -xdev -H -L -P -E -X -s -x -f --help --version "
	findOne = " -amin -anewer -atime -cmin -cnewer -context -ctime -D -flags -fstype -gid -group " +
		"-ilname -iname -inum -ipath -iregex -iwholename" +
		" -links -lname -maxdepth -mindepth -mmin -mtime -name -path -perm -printf -regex -regextype " +
		"-samefile -size -type -uid -used -user -wholename -xtype" +
		" -Bmin -Btime -mnewer "
)

// find reads find's expression.
func (a *argv) find() {
	var roots []word
	a.base = readOnly
	a.finds()
	begun := false
	for i := 0; i < len(a.words); i++ {
		wd := a.words[i]
		t := wd.text
		// Such a word may be any test or action, -delete too.
		if a.made(wd) || wd.multi && wd.subst && wd.from&fromText != 0 {
			a.p.add(runsHidden, "word:made", "an argument of find that a command makes")
		}
		// The places to search stand before the first test.
		if !strings.HasPrefix(t, "-") || t == "-" {
			begun = begun || t == "(" || t == "!"
			if !begun {
				roots = append(roots, wd)
			}
			continue
		}
		begun = begun || !strings.Contains(" -H -L -P -E -X -d -s -x -D ", " "+t+" ")
		var next word
		if i+1 < len(a.words) {
			next = a.words[i+1]
		}
		switch {
		case t == "-delete":
			a.deletesAll(roots)
			a.p.add(losesFiles, "find -delete", "find -delete deletes what it finds")
		case t == "-exec" || t == "-execdir" || t == "-ok" || t == "-okdir":
			i = a.findExec(i+1, roots)
		case t == "-fprint" || t == "-fprint0" || t == "-fls" || t == "-fprintf":
			a.writes("find "+t, next)
			a.w.overwrites(a.p, next, a.sc)
			if a.out&fromWhole != 0 {
				a.w.keep(fromWhole, []string{a.w.at(next.text, a.sc).abs})
			}
			i++
		case t == "-files0-from":
			a.w.read(a.p, next, a.sc)
			i++
		case findWord(findOne, t) || strings.HasPrefix(t, "-newer"):
			i++
		case findWord(findNone, t) || strings.HasPrefix(t, "-O"):
		default:
			a.p.add(runsHidden, "find "+show(t),
				"the word "+show(t)+" of find is not in the table")
		}
	}
}

// rewrites reports whether the command of an -exec writes anew the file that find puts in it.
func rewrites(words []word) bool {
	switch words[0].text {
	case "chmod", "chown", "touch", "chgrp", "setfacl", "git", "xattr":
		return false
	}
	return !copies(words[0].text) || words[len(words)-1].text == hole && len(words) > 2
}

// testsFiles are programs that find runs to know whether it goes on with a file.
const testsFiles = " grep egrep fgrep rg test [ cmp diff "

// filters reports whether a test of find's leaves out files by their names, age, kind or content.
func (a *argv) filters() bool {
	for i, wd := range a.words {
		if a.anyName(i) {
			continue
		}
		if findWord(findOne, wd.text) && !strings.Contains(" -type -maxdepth -mindepth -printf ",
			" "+wd.text+" ") ||
			strings.HasPrefix(wd.text, "-newer") ||
			inList(" -empty -executable -readable ", wd.text) {
			return true
		}
		next := first(a.words[min(i+1, len(a.words)):], "").text
		if wd.text == "-type" && strings.ContainsAny(next, "lpsbc") ||
			strings.HasPrefix(wd.text, "-exec") && inList(testsFiles, next) {
			return true
		}
	}
	return false
}

// anyName reports whether word i of find is a test of names that leaves out nothing, or one name
// alone.
func (a *argv) anyName(i int) bool {
	if !inList(" -name -iname -path -wholename -ipath ", a.words[i].text) || i+1 >= len(a.words) {
		return false
	}
	name := strings.TrimPrefix(a.words[i+1].text, "./")
	not := i > 0 && inList(" ! -not ", a.words[i-1].text)
	return !not && strings.Trim(name, "*") == "" || not && a.words[i+1].known() &&
		!strings.ContainsAny(name, "*?[")
}

// deletesAll is the rule for -delete without a test that leaves anything out.
func (a *argv) deletesAll(roots []word) {
	for i, wd := range a.words[:max(len(a.words)-1, 0)] { // -path './.git/*'
		if inList(" -path -ipath -wholename ", wd.text) && (i == 0 ||
			!inList(" ! -not ", a.words[i-1].text)) &&
			!slices.ContainsFunc(a.words, func(wd word) bool { return wd.text == "-prune" }) {
			a.deletes(a.words[i+1])
		}
	}
	if a.filters() {
		return
	}
	if len(roots) == 0 {
		roots = []word{lit(".")}
	}
	for _, root := range roots {
		a.deletes(root)
	}
}

// finds notes whether what find prints may be the names of secrets.
func (a *argv) finds() {
	a.out |= a.findsWhole()
	for i, wd := range a.words {
		not := i > 1 && (a.words[i-2].text == "!" || a.words[i-2].text == "-not")
		if !strings.HasPrefix(wd.text, "-") && !not {
			a.lists(wd)
			if i > 0 && inList(" -name -iname -path -wholename ", a.words[i-1].text) {
				a.lists(wd.cut(len(wd.text) - len(strings.TrimLeft(wd.text, "*")))) // * is for a dot too
				if secretFile(wd.text) {
					a.out |= fromNames
				}
			}
		}
	}
}

func findWord(list, t string) bool {
	return !strings.Contains(t, " ") && strings.Contains(list, " "+t+" ")
}

// secretFile reports whether a file of that name is a secret wherever it lies, though the
// name has no ending and no dot by which a word would be seen to be a path.
func secretFile(name string) bool {
	return inList(" credentials credential shadow gshadow secrets passwords keyring hosts.yml "+
		"application_default_credentials.json accessTokens.json ", strings.Trim(name, "*"))
}

// findExec classifies the command of an -exec that begins at word i, and gives
// back where it ends.
func (a *argv) findExec(i int, roots []word) int {
	var words []word
	for ; i < len(a.words); i++ {
		wd := a.words[i]
		if wd.text == ";" || wd.text == "+" && len(words) > 0 && words[len(words)-1].text == hole {
			break
		}
		// {} is a name that find has found, of which only the place is known.
		if strings.Contains(wd.text, "{}") {
			wd.from |= a.out & fromNames
			if from := a.out & fromWhole; beforeName(strings.TrimSuffix(wd.text, "{}")) {
				wd.from |= from
			} else {
				wd.from |= mentioned(from)
			}
			if slices.ContainsFunc(roots,
				func(r word) bool { return a.w.outsideWorkspace(a.w.at(r.text, a.sc)) }) {
				wd.from |= fromOutside
			}
		}
		wd.text = strings.ReplaceAll(wd.text, "{}", hole)
		wd.src = nil
		words = append(words, wd)
	}
	if len(words) == 0 {
		return i
	}
	a.findsHistory(words[0], roots)
	all := slices.ContainsFunc(roots, func(r word) bool { return a.wipes(a.w.at(r.text, a.sc)) }) ||
		len(roots) == 0
	if all && inList(" rm unlink shred srm trash rimraf ", words[0].text) {
		a.deletesAll(roots)
	}
	before := len(a.p.Parts)
	a.out |= a.w.run(words, stream{}, a.sc.sub(), &a.p.Parts).bits
	// In the whole workspace find comes to .git as well.
	if highest(a.p.Parts[before:]) == write && all && !a.filters() && rewrites(words) {
		a.p.add(losesFiles, "find -exec", "find writes all files anew, those of .git too")
	}
	if highest(a.p.Parts[before:]) != write || copies(words[0].text) {
		return i
	}
	for _, root := range roots {
		at := a.w.at(root.text, a.sc)
		if at.abs == "/" || at.abs == "~" ||
			a.w.kinds(at)&(pathSystem|pathGuarded|pathSecret) != 0 &&
				a.w.kinds(at)&pathOpen == 0 {
			a.p.add(losesFiles, "find -exec", "find writes in "+show(root.text))
		}
	}
	return i
}

// findsHistory is the rule for an -exec that deletes the folders .git that find finds: the
// workspace's own is the first of them, unless the search begins deeper.
func (a *argv) findsHistory(program word, roots []word) {
	if !inList(" rm rmdir trash shred unlink gio ", program.text) ||
		slices.ContainsFunc(a.words, func(wd word) bool { return wd.text == "-mindepth" }) {
		return
	}
	for i, wd := range a.words[:max(0, len(a.words)-1)] {
		name := strings.TrimLeft(a.words[i+1].text, "*./")
		not := i > 0 && inList(" ! -not ", a.words[i-1].text)
		if !not && inList(" -name -iname -path -wholename ", wd.text) && strings.HasPrefix(name, "git") {
			for _, root := range roots {
				a.deletes(lit(strings.TrimSuffix(root.text, "/") + "/." + name))
			}
		}
	}
}

// copies reports whether the program leaves as it was what find found.
func copies(name string) bool {
	switch name {
	case "cp", "ln", "rsync", "tar", "zip", "cpio", "mkdir", "install", "convert", "ffmpeg":
		return true
	}
	return false
}

// fd gives what it finds to the command behind -x: names of secrets, if it looks for such.
func (a *argv) fd() {
	for _, u := range a.used {
		if u.name == "-e" || u.name == "--extension" {
			a.lists(lit("./x." + u.val.text))
		}
	}
	for _, o := range a.operands {
		if bare := strings.NewReplacer(`\`, "", "^", "", "$", "", ".*",
			"*").Replace(o.text); secretFile(bare) {
			a.out |= fromNames
		} else {
			a.lists(lit("./" + bare))
		}
	}
	if len(a.rest) == 0 {
		return
	}
	a.passesNames()
	a.wholeNames()
	found := word{text: "{}", from: a.out & fromWhole}
	if a.out&fromNames != 0 {
		found.text, found.from, found.multi = hole, found.from|fromNames, true
	}
	rest, put := slices.Clone(a.rest), false
	for i := range rest {
		if rest[i].text == "{}" || rest[i].text == "./{}" {
			rest[i] = found
		}
		put = put || strings.Contains(rest[i].text, "{") && strings.Contains(rest[i].text, "}")
	}
	if !put || found.text == hole {
		a.found = []word{found}
	}
	a.rest = rest
}
