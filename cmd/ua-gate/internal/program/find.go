package program

import (
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// find reads find's expression.
func (a *argv) find() {
	var roots []shell.Word
	a.base = verdict.ReadOnly
	a.finds()
	begun := false
	defer func() { a.operands = roots }()
	for i := 0; i < len(a.words); i++ {
		wd := a.words[i]
		t := wd.Text
		// Such a word may be any test or action, -delete too.
		if a.made(wd) || wd.Multi && wd.Subst && wd.From&shell.FromText != 0 {
			a.p.AddHidden("word:made", "an argument of find that a command makes")
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
		var next shell.Word
		if i+1 < len(a.words) {
			next = a.words[i+1]
		}
		f, _ := a.lookup(t)
		switch {
		case t == "-delete":
			a.deletesAll(roots)
			a.p.Add(judgement.LosesFiles, "find -delete", "find -delete deletes what it finds")
		case f == nil && strings.HasPrefix(t, "-newer"):
			i++
		case f == nil && !strings.HasPrefix(t, "-O"):
			a.p.AddHidden("find "+match.Show(t), "the word "+match.Show(t)+" of find is not in the table")
		case f != nil && f.Value == table.IsArgv:
			i = a.findExec(i+1, roots)
		case f != nil && f.Value != table.IsNothing:
			a.effect(f.Value, next, t)
			i++
		}
	}
}

// deletesAll is the rule for -delete without a test that leaves anything out.
func (a *argv) deletesAll(roots []shell.Word) {
	if a.filters() {
		return
	}
	if len(roots) == 0 {
		roots = []shell.Word{shell.Lit(".")}
	}
	if slices.ContainsFunc(a.words,
		func(wd shell.Word) bool { return match.InList(" ! -not ", wd.Text) }) &&
		!a.inFolders(roots) {
		roots = []shell.Word{{Text: match.Hole}} // all but some
	}
	for _, root := range roots {
		a.deletes(root)
	}
}

// finds notes whether what find prints may be the names of secrets.
func (a *argv) finds() {
	for i, wd := range a.words {
		not := i > 1 && (a.words[i-2].Text == "!" || a.words[i-2].Text == "-not")
		if !strings.HasPrefix(wd.Text, "-") && !not {
			a.lists(wd)
			if i > 0 && match.InList(" -name -iname -path -wholename ", a.words[i-1].Text) {
				a.lists(wd.Cut(len(wd.Text) - len(strings.TrimLeft(wd.Text, "*")))) // * is for a dot too
				if secretFile(wd.Text) {
					a.out |= shell.FromNames
				}
			}
		}
	}
}

// secretFile reports whether a file of that name is a secret wherever it lies, though the
// name has no ending and no dot by which a word would be seen to be a path.
func secretFile(name string) bool {
	return match.InList(" credentials credential shadow gshadow secrets passwords keyring hosts.yml "+
		"application_default_credentials.json accessTokens.json ", strings.Trim(name, "*"))
}

// findExec classifies the command of an -exec that begins at word i, and gives
// back where it ends.
func (a *argv) findExec(i int, roots []shell.Word) int {
	var words []shell.Word
	for ; i < len(a.words); i++ {
		wd := a.words[i]
		if wd.Text == ";" || wd.Text == "+" && len(words) > 0 && words[len(words)-1].Text == match.Hole {
			break
		}
		// {} is a name that find has found, of which only the place is known.
		if strings.Contains(wd.Text, "{}") {
			wd.From |= a.out & shell.FromNames
			if a.filters() || a.inFolders(roots) {
				wd.From |= shell.FromFilter
			}
			if slices.ContainsFunc(roots,
				func(r shell.Word) bool { return a.kinds(r)&table.PathAway != 0 }) {
				wd.From |= shell.FromOutside
			}
		}
		wd.Text = strings.ReplaceAll(wd.Text, "{}", match.Hole)
		wd.Src = nil
		words = append(words, wd)
	}
	if len(words) == 0 {
		return i
	}
	all := slices.ContainsFunc(roots,
		func(r shell.Word) bool { return a.kinds(r)&table.PathAll != 0 }) ||
		len(roots) == 0
	judged := a.p.Held || a.p.Level == verdict.Denied
	if all && !judged && match.InList(" rm unlink shred srm trash rimraf ", words[0].Text) {
		a.deletesAll(roots)
	}
	a.out |= a.s.runWords(words, shell.Stream{}, a.sc.Sub(), &a.p.Parts).Bits
	return i
}

// fd gives what it finds to the command behind -x: names of secrets, if it looks for such.
func (a *argv) fd() {
	for _, u := range a.used {
		if u.Name == "-e" || u.Name == "--extension" {
			a.lists(shell.Lit("./x." + u.val.Text))
		}
	}
	for _, o := range a.operands {
		if bare := strings.NewReplacer(`\`, "", "^", "", "$", "", ".*",
			"*").Replace(o.Text); secretFile(bare) {
			a.out |= shell.FromNames
		} else {
			a.lists(shell.Lit("./" + bare))
		}
	}
	if len(a.rest) == 0 {
		return
	}
	found := shell.Word{Text: "{}"}
	if from := a.out & shell.FromNames; from != 0 || a.filtered() == 0 {
		found = shell.Word{Text: match.Hole, Multi: true, From: from}
	}
	rest, put := slices.Clone(a.rest), false
	for i := range rest {
		if rest[i].Text == "{}" || rest[i].Text == "./{}" {
			rest[i] = found
		}
		put = put || strings.Contains(rest[i].Text, "{") && strings.Contains(rest[i].Text, "}")
	}
	if !put || found.Text == match.Hole {
		a.found = []shell.Word{found}
	}
	a.rest = rest
}
