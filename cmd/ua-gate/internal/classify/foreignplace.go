package classify

import (
	"path"
	"slices"
	"strings"
)

// foreign is the rule for a build in a folder outside the workspace, which runs the code there,
// and for words that name a place outside where the table does not say what becomes of them:
// what the program does there, or runs from there, nobody has read.
func (a *argv) foreign() {
	level := max(a.p.Level, a.base)
	program, _, _ := strings.Cut(a.name, " ")
	if a.fixed && a.base == readOnly || level > write || program == "git" ||
		inList(seeking, program) {
		return
	}
	if a.base == buildTest && a.sc.cwd != a.w.o.Cwd && a.w.foreignPlace(a.sc.cwd, a.sc) &&
		!a.w.nextDoor(a.sc.cwd, a.sc) {
		a.p.add(runsUnread, a.name, a.name+" runs the code of "+show(a.sc.cwd))
	}
	known := map[string]bool{}
	for i, o := range a.operands {
		known[o.text] = told(a.row.slot(a.slots, i, len(a.operands)).what)
	}
	for _, u := range a.used {
		a.leaves(u.name, u.val)
		known[u.val.text] = told(u.value)
	}
	for i, wd := range a.words[:len(a.words)-len(a.rest)] {
		flagged := strings.HasPrefix(wd.text, "-") || i > 0 && strings.HasPrefix(a.words[i-1].text, "-")
		if known[wd.text] || strings.HasPrefix(wd.text, "--prefix") ||
			level == readOnly && (a.strange == 0 || !flagged) {
			continue
		}
		for piece := range strings.FieldsFuncSeq(wd.text, partsPlaces) {
			if j := strings.IndexAny(piece, "/~"); j == 2 && piece[0] == '-' {
				piece = piece[2:] // glued to a flag of one letter
			}
			if level == buildTest && a.w.foreignPlace(piece, a.sc) ||
				rooted(piece) && !strings.HasPrefix(piece, "//") &&
					!strings.HasPrefix(piece, "/dev/") &&
					(piece[0] == '~' || strings.Count(piece, "/") > 1) &&
					a.w.outsideWorkspace(a.w.at(piece, a.sc)) {
				a.p.add(runsUnread, a.name, "nobody has read what "+a.name+" does with "+show(piece))
				return
			}
		}
	}
}

// told reports whether the table says what becomes of what is named so.
func told(what effect) bool {
	switch what {
	case isText, isGlued, isAny, isLoose, isDir, isDefine, isPlug, isNothing, isPair:
		return false
	}
	return true
}

// seeking are programs that look for such texts, compare or keep them.
const seeking = ` grep egrep fgrep zgrep rg ugrep ag ack pcregrep pcre2grep rga sift ast-grep
 comby git hg svn jj fossil fzf sk peco
 logger wall write espeak say spd-say figlet toilet banner cowsay cowthink zenity complete compgen
 alias
 string read trap printf print
 cspell codespell typos aspell hunspell look test [ semgrep ctags global gtags cscope man apropos
 tldr logger notify-send
 diff wdiff wc expr xsel xclip bat less more `

// leaves is the rule for a flag whose name says that its value is another machine.
func (a *argv) leaves(name string, val word) {
	_, rest, ok := strings.Cut(val.text, "://")
	if !ok || strings.HasPrefix(val.text, "file:") || strings.HasPrefix(rest, "localhost") ||
		strings.HasPrefix(rest, "127.") ||
		strings.HasPrefix(rest, "[::1]") || !inAny(remoteNames, keyWords(name)) &&
		name != "--url" {
		return
	}
	a.p.add(talks, a.name+" "+name, a.name+" "+name+" talks to "+show(val.text))
}

// remoteNames are words in the name of a flag by which its value is a machine to talk to.
const remoteNames = ` remote executor backend server endpoint proxy collector upload broker ` +
	`exporter bes sink webhook notify rules ruleset
 telemetry grpc otlp reporter registry mirror submit push send post download share ping ` +
	`template templates `

// putNames are words in the name of a flag by which its value is written.
const putNames = ` out output outfile outdir log logfile dump save write dest destination ` +
	`export record binlog binarylog
 outputs prefix cache tofile saveto writeto report reports artifact artifacts `

// namesPut reports whether the flag's name says that its value is written.
func namesPut(name string) bool {
	return name == "-o" || name == "-O" || len(name) > 2 && inAny(putNames, keyWords(name))
}

// stray raises for the paths in a word that may be written. A doubtful one may be no path at
// all, so it has to look like one; and what lies in the system's folders is read by it.
func (a *argv) stray(val word, doubtful bool) {
	for piece := range strings.FieldsFuncSeq(val.text, partsPlaces) {
		piece = strings.TrimPrefix(piece, "file://")
		switch {
		case !rooted(piece) && !strings.HasPrefix(piece, "../"),
			strings.HasPrefix(piece, "//"):
			continue
		case doubtful && (strings.ContainsAny(piece, `^$\|()<>#;`) || piece[0] == '/' &&
			(strings.Count(piece, "/") < 2 ||
				strings.HasSuffix(piece, "/") && strings.Count(piece, "/") < 3)):
			continue
		}
		a.w.overwrites(a.p, val.with(piece), a.sc)
	}
}

// readsInside is the rule for a value that is no path but may hold some, as the words of a
// small language do: a secret that it names counts as read.
func (a *argv) readsInside(val word) {
	if program, _, _ := strings.Cut(a.name, " "); inList(seeking, program) {
		return
	}
	for piece := range strings.FieldsFuncSeq(val.text, partsTexts) {
		if (piece[0] == '/' || piece[0] == '~') &&
			a.kinds(val.with(piece))&(pathSecret|pathPrivate) != 0 {
			a.reads(val.with(piece))
		}
	}
}

// partsTexts reports whether c parts the words of an expression.
func partsTexts(c rune) bool { return strings.ContainsRune(" \t\n\"'`()[]{}<>=,:;|&@%", c) }

// partsPlaces reports whether a value's list of paths, or of settings that hold some, is
// parted by c.
func partsPlaces(c rune) bool { return strings.ContainsRune(",;:= \t\n\"'{}[]@", c) }

// with returns the word with another text, of which it is a piece.
func (w word) with(text string) word {
	w.text = text
	return w
}

// nextDoor reports whether the folder is in the one that holds the workspace: another project of
// the same person.
func (w *walker) nextDoor(text string, sc *scope) bool {
	parent := path.Dir(w.folder(w.o.Cwd).abs)
	at := w.at(text, sc)
	return w.o.Cwd != "" && at.within(parent) && at.abs != parent && parent != "/" &&
		!strings.HasPrefix(at.abs[len(parent):], "/.")
}

// worksIn reports whether the place is in a folder where containers have the project by custom,
// and the command goes there to work.
func (w *walker) worksIn(at place) bool {
	return len(w.worktrees) > 0 && strings.HasPrefix(at.abs, "/") && len(at.names) > 0 &&
		slices.Contains(w.worktrees, at.names[0])
}

// worktreesIn returns the names of such folders that the command goes to.
func worktreesIn(command string) (list []string) {
	if !strings.Contains(command, "cd ") {
		return nil
	}
	command = strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(command)
	for _, name := range []string{"testbed", "workspace", "workspaces", "repo", "app", "code",
		"project"} {
		i := strings.Index(command, "cd /"+name)
		if i >= 0 && (i == 0 || strings.IndexByte(" \n;&({", command[i-1]) >= 0) {
			list = append(list, name)
		}
	}
	return list
}

// foreignPlace reports whether the text is a path that leads out of the workspace to where
// neither the system nor the project next door lies.
func (w *walker) foreignPlace(text string, sc *scope) bool {
	text = strings.TrimPrefix(text, "file://")
	if len(text) < 2 || strings.HasPrefix(text, "//") || strings.Contains(text, hole) &&
		!strings.HasPrefix(text, "/tmp") {
		return false
	}
	up := strings.HasPrefix(path.Clean(text), "../..")
	if text[0] != '/' && !strings.HasPrefix(text, "~/") && !up {
		return false
	}
	at := w.at(text, sc)
	if w.inWorkspace(at) || w.worksIn(at) || w.o.Cwd != "" && at.within(w.folder(w.o.Cwd).abs) {
		return false
	}
	if up {
		around := path.Dir(path.Dir(w.folder(w.o.Cwd).abs))
		return w.o.Cwd != "" && (around == "/" || !at.within(around))
	}
	for _, root := range []string{"/usr", "/opt", "/bin", "/nix", "/Library", "/System",
		"/Applications", "/dev", "/proc", "/etc/ssl",
		"/snap", "~/.cache", "~/.local/share", "~/.cargo", "~/.rustup", "~/go", "~/.nvm", "~/.pyenv",
		"~/.m2",
		"~/.gradle"} {
		if at.within(root) {
			return false
		}
	}
	text = strings.TrimSuffix(text, "/") // /parser/ is a pattern, or where a site will be found
	return strings.Count(text, "/") > 1 || text[0] == '~' || text == "/tmp"
}
