package classify

import (
	"slices"
	"strings"
)

// find reads find's expression.
func (a *argv) find() {
	var roots []word
	a.base = readOnly
	a.finds()
	begun := false
	defer func() { a.operands = roots }()
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
		f, _ := a.lookup(t)
		switch {
		case t == "-delete":
			a.deletesAll(roots)
			a.p.add(losesFiles, "find -delete", "find -delete deletes what it finds")
		case f == nil && strings.HasPrefix(t, "-newer"):
			i++
		case f == nil && !strings.HasPrefix(t, "-O"):
			a.p.add(runsHidden, "find "+show(t),
				"the word "+show(t)+" of find is not in the table")
		case f != nil && f.value == isArgv:
			i = a.findExec(i+1, roots)
		case f != nil && f.value != isNothing:
			a.effect(f.value, next, t)
			i++
		}
	}
}

// filters reports whether a test of find's leaves out files by their names, age, kind or content:
// names by letters in them, and not by being others than these, as those before -prune are. The
// folders of version control are what nobody deletes.
func (a *argv) filters() bool {
	from := 0
	for i, wd := range a.words {
		if wd.text == "-prune" && inList(" -o -or ", first(a.words[i+1:], "").text) {
			from = i
		}
	}
	for i, wd := range a.words {
		next, not := "", i < from || i > 0 && inList(" ! -not ", a.words[i-1].text)
		if i+1 < len(a.words) {
			next = a.words[i+1].text
		}
		switch name := strings.Trim(next, "*./"); {
		case not:
		case inList(" -name -iname -path -ipath -wholename -regex -iregex ", wd.text):
			if top, _, _ := strings.Cut(name, "/"); lettered(name) &&
				(a.w.byTable(a.w.place(top))|a.w.byTable(a.w.place("."+top)))&pathRecord == 0 {
				return true
			}
		case wd.text == "-type" && strings.ContainsAny(next, "lpsbc"),
			a.tests(wd.text), inList(" -empty -executable -readable ", wd.text),
			strings.HasPrefix(wd.text, "-exec") && inList(" grep egrep fgrep rg test [ ", next):
			return true
		}
	}
	return false
}

// tests reports whether a word of find's is a test with a value that leaves files out.
func (a *argv) tests(text string) bool {
	f, _ := a.lookup(text)
	return strings.HasPrefix(text, "-newer") || f != nil && f.value == isText &&
		!inList(" -type -maxdepth -mindepth -printf ", text)
}

// deletesAll is the rule for -delete without a test that leaves anything out.
func (a *argv) deletesAll(roots []word) {
	if a.filters() {
		return
	}
	if len(roots) == 0 {
		roots = []word{lit(".")}
	}
	if slices.ContainsFunc(a.words, func(wd word) bool { return inList(" ! -not ", wd.text) }) &&
		!a.inFolders(roots) {
		roots = []word{{text: hole}} // all but some
	}
	for _, root := range roots {
		a.deletes(root)
	}
}

// finds notes whether what find prints may be the names of secrets.
func (a *argv) finds() {
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
			if a.filters() || a.inFolders(roots) {
				wd.from |= fromFilter
			}
			if slices.ContainsFunc(roots,
				func(r word) bool { return a.kinds(r)&pathAway != 0 }) {
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
	all := slices.ContainsFunc(roots, func(r word) bool { return a.kinds(r)&pathAll != 0 }) ||
		len(roots) == 0
	if all && inList(" rm unlink shred srm trash rimraf ", words[0].text) {
		a.deletesAll(roots)
	}
	a.out |= a.w.runWords(words, stream{}, a.sc.sub(), &a.p.Parts).bits
	return i
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
	found := word{text: "{}"}
	if from := a.out & fromNames; from != 0 || a.filtered() == 0 {
		found = word{text: hole, multi: true, from: from}
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
