package classify

import "strings"

// gitHistory sees the commands of git after which the workspace's history is gone, as it is
// after rm -rf .git: the branch under HEAD or all branches are deleted, the commits are
// written anew without the old ones, or what only the reflog remembers is deleted with it.
// One branch, a stash or a reflog alone can be found again.
func (a *argv) gitHistory() {
	for _, u := range a.used {
		key, val, _ := strings.Cut(strings.ToLower(u.val.text), "=")
		if u.name == "-c" && strings.HasPrefix(key, "gc.reflogexpire") && atOnce(lit(val)) {
			a.w.forgets = true
		}
	}
	switch a.name {
	case "git reflog expire":
		for _, wd := range a.words {
			name, val, _ := strings.Cut(wd.text, "=")
			if (name == "--expire" || name == "--expire-unreachable") && atOnce(wd.with(val)) {
				a.w.forgets = true
			}
		}
	// Only after the reflog is gone nothing leads to the old commits.
	case "git gc":
		if val, ok := a.value("--prune"); ok && a.w.forgets && atOnce(val) {
			a.p.hold("git gc --prune", "git gc deletes all commits that no branch holds")
		}
	case "git prune":
		if a.w.forgets && !(a.fixed && a.base == readOnly) {
			a.p.hold(a.name, "git prune deletes all commits that no branch holds")
		}
	case "git filter-repo", "git-filter-repo":
		a.filterRepo()
	case "git symbolic-ref":
		if a.flagged("-d", "--delete") {
			a.p.hold(a.name+" -d", "git symbolic-ref -d takes HEAD from its branch")
		}
	case "git update-ref":
		a.updateRef()
	}
}

// atOnce reports whether a time by which git forgets is the present, or not known.
func atOnce(val word) bool {
	return inList(" now all 0 ", val.text) || !val.known()
}

// filterRepo is git filter-repo, which writes all commits anew and deletes the old ones.
func (a *argv) filterRepo() {
	for _, wd := range a.words {
		if inList(" --analyze --dry-run --partial --version --help -h ", wd.text) {
			return
		}
	}
	a.p.hold(a.name, a.name+" writes all commits anew and deletes the old ones")
}

// updateRef is git update-ref, which deletes a branch, or all that its input names.
func (a *argv) updateRef() {
	if a.flagged("--stdin") {
		if !a.in.known || strings.Contains("\n"+a.in.text, "\ndelete HEAD") ||
			strings.Contains("\n"+a.in.text, "\ndelete refs/heads/") {
			a.p.hold(a.name, "git update-ref may delete all branches")
		}
		return
	}
	// A branch that is set to no commit is deleted.
	none := len(a.operands) > 1 && strings.Trim(a.operands[1].text, "0") == ""
	if !none && !a.flagged("-d", "--delete") {
		return
	}
	for _, o := range a.operands {
		if o.text == "HEAD" || strings.HasPrefix(o.text, "refs/heads/") || !o.known() {
			a.p.hold(a.name+" -d", "git update-ref deletes "+show(o.text))
		}
	}
}
