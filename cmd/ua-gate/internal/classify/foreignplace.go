package classify

import (
	"path"
	"strings"
)

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
// small language do: a secret that it names counts as read. What is searched for names none.
func (a *argv) readsInside(val word) {
	program, _, _ := strings.Cut(a.name, " ")
	if inList(" grep egrep fgrep zgrep rg ag ack git test [ diff logger man complete alias ",
		program) {
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
	if w.inWorkspace(at) || w.o.Cwd != "" && at.within(w.folder(w.o.Cwd).abs) {
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
