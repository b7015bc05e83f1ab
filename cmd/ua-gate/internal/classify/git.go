package classify

import "strings"

// gitMild are the settings of git by which nothing runs, and of which none
// makes a later command more dangerous. A * stands for any bytes.
const gitMild = `user.name user.email user.signingkey user.useconfigonly color.* column.* ` +
	`advice.* init.defaultbranch core.autocrlf core.eol core.quotepath core.ignorecase ` +
	`core.filemode core.longpaths core.abbrev core.precomposeunicode core.safecrlf ` +
	`core.preloadindex core.untrackedcache core.whitespace core.commentchar core.symlinks ` +
	`core.compression core.bigfilethreshold
 log.* diff.noprefix diff.mnemonicprefix diff.context diff.renames diff.renamelimit
 diff.algorithm diff.colormoved* diff.submodule diff.wserrorhighlight status.* branch.*
 pull.rebase pull.ff push.default push.autosetupremote push.followtags fetch.prune
 fetch.prunetags fetch.parallel fetch.showforcedupdates rebase.autosquash rebase.autostash
 rebase.updaterefs rebase.stat rerere.*
 merge.ff merge.conflictstyle merge.renames merge.renamelimit merge.stat commit.gpgsign ` +
	`commit.verbose commit.cleanup tag.gpgsign tag.sort gc.auto gc.autodetach maintenance.auto ` +
	`protocol.version http.postbuffer http.lowspeedlimit http.lowspeedtime http.version ` +
	`pack.threads pack.windowmemory index.threads feature.manyfiles feature.experimental blame.* ` +
	`grep.linenumber grep.patterntype grep.fullname grep.column interactive.singlekey ` +
	`format.pretty format.signoff format.subjectprefix stash.showpatch stash.showstat ` +
	`help.autocorrect transfer.fsckobjects fetch.fsckobjects receive.fsckobjects ` +
	`submodule.recurse submodule.fetchjobs submodule.propagatebranches remote.pushdefault ` +
	`checkout.defaultremote checkout.guess notes.displayref i18n.* safe.bareRepository ` +
	`versionsort.suffix worktree.guessremote apply.whitespace am.threeway am.keepcr ` +
	`mailinfo.scissors showbranch.default `

// gitSafe reports whether a setting, KEY=VALUE or KEY, runs nothing.
func gitSafe(key, value string) bool {
	key = strings.ToLower(key)
	for _, mild := range strings.Fields(gitMild) {
		if glob(mild, key) {
			return true
		}
	}
	switch {
	case strings.HasPrefix(key, "pager."), key == "core.pager":
		return value == "false" || value == "true" || oneOf(value, "cat less more delta")
	case key == "core.editor", key == "sequence.editor":
		return oneOf(value, "true : cat vi vim nvim nano emacs ed code")
	case key == "core.fsmonitor":
		return value == "false" || value == "true"
	case key == "core.hookspath":
		return value == "/dev/null" || value == ".githooks" || value == ".husky"
	case key == "credential.helper":
		return value == ""
	case key == "safe.directory": // whose repository it is, where containers have another user
		return value != "" && !strings.ContainsAny(value, "*")
	case key == "commit.template", key == "core.excludesfile":
		return pathLike(value) && below(value)
	}
	return false
}

// git looks at what every git command has: -c, and URLs that run programs.
func (a *argv) git() {
	a.gitSettings()
	switch a.name {
	case "git checkout", "git switch":
		a.gitCheckout()
	case "git config":
		a.gitConfig()
	}
	// These print files of the folder, which may be a home with its secrets.
	if (a.name == "git grep" || a.name == "git diff" || a.name == "git show" || a.name == "git log" &&
		a.flagged("-p", "-u", "--patch", "-S", "-G")) && a.w.at(".", a.sc).holdsSecrets() &&
		!a.w.inWorkspace(a.w.at(".", a.sc)) {
		a.p.add(readsSecrets, "path:secret", a.name+" reads all of "+show(a.sc.cwd)+", secrets too")
	}
	// git -C FOLDER obeys the settings of the repository there.
	for _, u := range a.used {
		if u.value == isDir && len(a.up) > 0 && a.up[0].owns(u.flag) {
			if at := a.w.at(u.val.text, &scope{}); a.w.kinds(at)&pathScratch != 0 &&
				!a.w.inWorkspace(at) {
				a.p.add(runsHidden, "git -C",
					"the settings of a repository in "+show(u.val.text)+
						" may run programs")
			}
		}
	}
	for _, o := range a.operands {
		// git show REVISION:FILE prints the file as it was.
		if _, file, ok := strings.Cut(o.text, ":"); ok &&
			(a.name == "git show" || a.name == "git cat-file") {
			a.reads(lit(file))
		}
		if strings.HasPrefix(o.text, "ext::") || strings.HasPrefix(o.text, "fd::") ||
			strings.Contains(o.text, "://-") || strings.HasPrefix(o.text, "-o") {
			a.p.add(runsHidden, "git ext::", "the address "+show(o.text)+" runs a program")
		}
	}
}

// owns reports whether the flag is one of the row's.
func (r *row) owns(f *flag) bool {
	for i := range r.flags {
		if f == &r.flags[i] {
			return true
		}
	}
	return false
}

func (a *argv) gitSettings() {
	for _, u := range a.used {
		if u.name != "-c" || len(a.up) == 0 || !a.up[0].owns(u.flag) {
			continue
		}
		key, value, _ := strings.Cut(u.val.text, "=")
		if !u.val.plain() || !gitSafe(key, value) {
			a.p.add(runsHidden, "git -c", "the setting "+show(key)+" may run programs")
		}
	}
}

// gitCheckout tells branches from files, whose changes are lost.
func (a *argv) gitCheckout() {
	if a.flagged("-b", "-B", "--orphan", "-c", "-C", "--create") && a.name != "git restore" {
		return
	}
	if a.dashed >= 0 && a.dashed < len(a.operands) {
		a.p.add(losesFiles, a.name+" FILE",
			a.name+" throws away changes of "+show(a.operands[a.dashed].text))
		return
	}
	for i, o := range a.operands {
		if i > 0 || fileLike(o) {
			a.p.add(losesFiles, a.name+" FILE", a.name+" throws away changes of "+show(o.text))
		}
	}
}

// fileLike reports whether the word looks like files rather than a branch.
func fileLike(wd word) bool {
	t := wd.text
	if wd.glob || t == "." || t == ".." || strings.HasPrefix(t, "./") ||
		strings.HasPrefix(t, "../") || strings.HasPrefix(t, ":/") || strings.HasPrefix(t, ":(") ||
		strings.HasSuffix(t, "/") {
		return true
	}
	base := t[strings.LastIndexByte(t, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	if dot <= 0 || len(base)-dot > 6 || dot == len(base)-1 {
		return false
	}
	if strings.Trim(base, "v0123456789.") == "x" {
		return false // a branch of versions: 2.x, v1.12.x
	}
	for _, c := range base[dot+1:] {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// gitConfig tells reading from writing, and harmless settings from others.
func (a *argv) gitConfig() {
	for _, o := range a.operands {
		a.effect(isSetting, o, "")
	}
	if a.flagged("-l", "--list", "--get-regexp") {
		a.out |= fromSecret // addresses may hold passwords, and headers tokens
	}
	if a.fixed {
		return
	}
	ops := a.operands
	if len(ops) > 0 && (ops[0].text == "get" || ops[0].text == "list" || ops[0].text == "set" ||
		ops[0].text == "unset" || ops[0].text == "edit") {
		if ops[0].text == "get" || ops[0].text == "list" {
			a.base = readOnly
			return
		}
		ops = ops[1:]
	} else if len(ops) == 1 && !a.flagged("--unset", "--unset-all", "--remove-section",
		"--rename-section", "--edit", "-e", "--add") {
		a.base = readOnly
		return
	}
	if a.flagged("--unset", "--unset-all", "--remove-section") {
		return
	}
	value := ""
	if len(ops) > 1 {
		value = ops[1].text
	}
	if len(ops) == 2 && strings.HasPrefix(ops[0].text, "alias.") && ops[1].known() &&
		!strings.HasPrefix(value, "!") && !strings.HasPrefix(value, "-") {
		return
	}
	if len(ops) == 0 || !ops[0].known() || !gitSafe(ops[0].text, value) {
		a.p.add(runsHidden, "git config", "the setting may run programs later")
	}
}
