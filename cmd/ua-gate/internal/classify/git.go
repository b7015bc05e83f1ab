package classify

import "strings"

// gitSafe reports whether a setting, KEY=VALUE or KEY, runs nothing.
func (w *machine) gitSafe(key, value string) bool {
	key = strings.ToLower(key)
	section, _, _ := strings.Cut(key, ".")
	mild := w.row("settings of git")
	if _, ok := mild.sub(key); ok {
		return true
	} else if _, ok := mild.sub(section + ".*"); ok {
		return true
	}
	switch {
	case section == "alias":
		return value != "" && !strings.ContainsAny(value, hole) && !strings.ContainsAny(value[:1], "!-")
	case strings.HasPrefix(key, "pager."), key == "core.pager", key == "core.editor",
		key == "sequence.editor", key == "core.fsmonitor":
		return value == "false" || w.toolValue(value)
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
	switch a.name {
	case "git checkout", "git switch":
		a.gitCheckout()
	case "git config", "git config set":
		a.gitConfig()
	}
	// These print files of the folder, which may be a home with its secrets.
	if (a.name == "git grep" || a.name == "git diff" || a.name == "git show" || a.name == "git log" &&
		a.flagged("-p", "-u", "--patch", "-S", "-G")) &&
		a.kinds(lit("."))&(pathMixed|pathHere) == pathMixed {
		a.p.add(readsSecrets, "path:secret", a.name+" reads all of "+show(a.sc.cwd)+", secrets too")
	}
	for _, u := range a.used {
		if len(a.up) == 0 || !a.up[0].owns(u.flag) {
			continue
		}
		switch u.name {
		case "-c":
			key, value, _ := strings.Cut(u.val.text, "=")
			if !u.val.plain() || !a.w.gitSafe(key, value) {
				a.p.add(runsHidden, "git -c", "the setting "+show(key)+" may run programs")
			}
		case "-C": // it obeys the settings of the repository there
			if a.w.at(u.val.text, &scope{}).kind&(pathScratch|pathHere) == pathScratch {
				a.p.add(runsHidden, "git -C",
					"the settings of a repository in "+show(u.val.text)+" may run programs")
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
		if i > 0 || o.glob || fileLike.match(o.text) && !versionBranch.match(o.text) {
			a.p.add(losesFiles, a.name+" FILE", a.name+" throws away changes of "+show(o.text))
		}
	}
}

// fileLike finds a word that looks like files rather than a branch: a folder, or a name with an
// ending.
var fileLike = regex{text: `^(?:\.{1,2}(?:/.*)?|:[/(].*|.*/|(?:.*/)?[^/]+\.[A-Za-z]{1,5})$`}

// versionBranch finds a branch of versions: 2.x, v1.12.x.
var versionBranch = regex{text: `(?:^|/)[v0-9.]*x[v0-9.]*$`}

// gitConfig tells reading from writing, and harmless settings from others.
func (a *argv) gitConfig() {
	ops := a.operands
	for _, o := range ops {
		a.effect(isSetting, o, "")
	}
	switch {
	case a.fixed, a.flagged("--unset", "--unset-all", "--remove-section"):
		return
	case len(ops) == 1 && a.name == "git config" && !a.flagged("--rename-section", "--add"):
		a.base = readOnly
		return
	}
	value := first(ops[min(1, len(ops)):], "").text
	if len(ops) == 0 || !ops[0].known() || !a.w.gitSafe(ops[0].text, value) {
		a.p.add(runsHidden, "git config", "the setting may run programs later")
	}
}
