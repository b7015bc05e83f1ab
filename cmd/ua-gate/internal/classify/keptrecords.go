package classify

import "strings"

// What the user has typed and what is scheduled for the user are records that nothing else
// holds: the history files of shells, the crontab, the jobs of at. Whoever wipes one, replaces
// it, or has the shell write it no more is held.

// losesRecord is the rule for a file that is deleted, emptied or replaced.
func (w *walker) losesRecord(p *Part, at place, target word) {
	if !w.inWorkspace(at) && w.kinds(at)&pathRecord != 0 {
		p.hold("path:record", "wipes the record "+show(target.text))
	}
}

// forgetsTyped reports whether setting the variable for all that comes later has the shell keep
// nothing of what is typed.
func forgetsTyped(name, text string) bool {
	switch name {
	case "HISTFILE":
		return text == "" || text == "/dev/null"
	case "HISTSIZE", "HISTFILESIZE", "SAVEHIST":
		return text == "0"
	case "HISTIGNORE":
		return text == "*"
	}
	return false
}

// forgetsTyping is the rule for a builtin that has the shell keep nothing of what is typed: set +o
// history, unset HISTFILE.
func (a *argv) forgetsTyping(operand string) {
	switch {
	case a.name == "unset" && inList(" HISTFILE HISTSIZE HISTFILESIZE ", operand),
		a.name == "set" && operand == "history" && len(a.words) > 0 && a.words[0].text == "+o":
		a.p.hold(a.name+" "+operand, "the shell forgets what it runs")
	case a.name == "set" && operand == "history":
		a.p.raise(destructive, "set history", "the shell may forget what it runs")
	}
}

// writesHistory is history -w, which may put nothing in the place of what was kept.
func (a *argv) writesHistory() {
	if a.flagged("-w") && first(a.operands, "").text == "/dev/null" {
		a.p.hold("history -w", "history -w writes what was typed to nowhere")
	}
}

// crontab is crontab(1), which puts a file or its input in the place of the user's whole
// crontab. Only what has come from crontab -l, and has not been emptied, still holds it.
func (a *argv) crontab() {
	switch {
	case a.flagged("-l"):
		a.out |= fromCrontab
		return
	case a.flagged("-d"):
		a.p.hold("crontab -d", "crontab -d deletes all scheduled jobs")
		return
	case a.flagged("-e"):
		if a.sc.vars["EDITOR"].text != "" || a.sc.vars["VISUAL"].text != "" {
			a.p.hold("crontab -e", "crontab -e has the crontab changed by "+
				show(a.sc.vars["EDITOR"].text+a.sc.vars["VISUAL"].text))
		}
		return
	case a.flagged("-T", "-V", "-c"):
		return
	}
	from := a.in.bits
	if file := first(a.operands, "-"); file.text != "-" && file.text != "/dev/stdin" {
		from = file.from | a.w.keeps(file, a.sc)
	} else if !a.in.open && len(a.operands) == 0 {
		return // at a terminal it waits, or says how it is called
	}
	if from&fromCrontab == 0 {
		a.p.hold("crontab", "crontab replaces all scheduled jobs")
	}
}

// keepsCrontab notes whether a program passes on the crontab that it reads. Those that leave
// nothing of it do not.
func (a *argv) keepsCrontab() {
	from := a.in.bits
	for _, o := range a.words {
		from |= o.from | a.w.keeps(o, a.sc)
	}
	if from&fromCrontab == 0 {
		return
	}
	switch pattern := first(a.operands, "").text; a.name {
	case "grep", "egrep", "fgrep":
		if !a.letter("v") || inList(" . .* ^ ", pattern) || pattern == "" {
			return
		}
	case "sed", "gsed":
		if sedDeletes.match(strings.TrimSpace(pattern)) {
			return
		}
	case "cat", "tee", "sort", "uniq", "awk", "tr", "echo", "printf", "sponge", "perl", "python3":
	default:
		return
	}
	a.out |= fromCrontab
}

// removesJobs is the rule for atrm: a list of jobs from another command is all of them.
func (a *argv) removesJobs() {
	if a.name != "atrm" && !a.flagged("-d", "-r") {
		return
	}
	for _, o := range a.operands {
		if !o.known() {
			a.p.hold(a.name, a.name+" deletes all jobs that another command lists")
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
