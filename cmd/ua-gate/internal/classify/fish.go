package classify

import "strings"

// shell is the name of the shell whose language is being read.
func (w *walker) shell() string {
	if w.o.Shell == "" {
		return "bash"
	}
	return w.o.Shell
}

// dialect reads the script of a shell that the command starts in its language.
func (a *argv) dialect(run func()) {
	outer := a.w.o
	switch a.name {
	case "zsh", "bash", "fish":
		a.w.o = outer.in(a.name)
	case "sh", "dash", "ash", "ksh", "mksh":
		a.w.o = outer.in("bash")
	}
	run()
	a.w.o = outer
}

// fishShell reads the words of fish: -c and -C run scripts.
func (a *argv) fishShell() {
	for _, u := range a.used {
		if u.name != "-c" && u.name != "--command" && u.name != "-C" && u.name != "--init-command" {
			continue
		}
		if !u.val.plain() {
			a.p.raise(destructive, "fish -c", "fish runs a script that is not known")
			continue
		}
		text := u.val.text
		a.dialect(func() { a.w.fish(text, a.sc.sub(), &a.p.Parts) })
		a.base = readOnly
	}
	switch {
	case a.base == readOnly:
	case len(a.operands) > 0:
		a.scriptFile(a.operands[0])
	default:
		a.w.scriptInput(a.p, a.in, a.name)
	}
}

// fish classifies a command for fish, of which no parser is at hand. What fish
// reads as the other shells do is read with theirs: plain and quoted words,
// pipes, lists, redirections. All else is not seen, and so at least
// destructive. Words that fish knows and they don't, such as begin and and, are
// no programs of the table.
func (w *walker) fish(command string, sc *scope, parts *[]Part) {
	if strings.ContainsAny(command, "$(){}[]`\\<!^#%?") || strings.Contains(command, "&|") {
		w.unread(parts, nil, "dialect:fish", "only plain words, pipes and lists of fish are understood")
	}
	w.text(command, stream{}, sc, parts)
}
