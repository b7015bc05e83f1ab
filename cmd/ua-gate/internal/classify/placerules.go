package classify

import (
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
)

// writeRules are what writing to a place means: the first that fits counts.
var writeRules = [...]struct {
	kind     pathKind
	act      judgement.Act
	row, why string
}{
	{pathDisk, writesMachine, "path:disk", "writes the device "},
	{pathNever, writesMachine, "path:accounts", "writes who may log in, "},
	{pathGuarded | pathSecret, writesGuarded, "path:guarded",
		"writes what runs or is trusted later, "},
	{pathSettings, writesOutside, "path:home", "writes the settings "},
	{pathSystem, writesOutside, "path:system", "writes the system's "},
}

// write is the rule for a place that a part may write, perhaps anew.
func (w *machine) write(p *Part, target word, sc *scope, anew bool) {
	at := w.at(target.text, sc)
	if !pathLike(target.text) {
		at.kind = 0
	}
	w.reaches(p, at)
	if anew && at.kind&(pathRecord|pathGuarded) == pathRecord {
		p.hold("path:all", "writes anew "+show(target.text)+", which nobody gets back")
	}
	if at.kind&pathSecret != 0 && at.kind&pathAway != 0 {
		p.Secrets = append(p.Secrets, w.file(at.abs))
	}
	for _, r := range &writeRules {
		if at.kind&r.kind != 0 {
			p.addBy(r.act, r.row, r.why+show(target.text), target.text)
			return
		}
	}
	if anew {
		w.overwrites(p, target, sc)
	}
}

// overwrites is the rule for what is lost because it is written anew: outside the workspace
// nothing that the command knows of can make it again.
func (w *machine) overwrites(p *Part, target word, sc *scope) {
	at := w.at(target.text, sc)
	switch {
	case target.from&fromOutside != 0 && !target.plain():
		p.add(writesOutside, "path:outside", "writes files that another command found outside")
	case pathLike(target.text) && at.kind&pathAway != 0 && w.o.Cwd != "" &&
		!at.within(w.folder(w.o.Cwd).abs):
		w.reaches(p, at)
		p.addBy(writesOutside, "path:outside",
			"writes anew "+show(target.text)+", outside the workspace", target.text)
	}
}

// placed is the rule for a path that is written: what is done, which is known to be in the
// workspace only if its folder is.
func (w *machine) placed(p *Part, row, reason string, target word, sc *scope) {
	act := writesHere
	if strings.HasPrefix(target.text, hole) || sc.cwd == "" && w.o.Cwd != "" && !rooted(target.text) {
		act, reason = writesUnknown, reason+", which may lie anywhere"
	}
	p.addBy(act, row, reason, target.text)
}

// writesFile is the rule for a file that a program or a redirection writes. It reports whether it
// is one: what goes into a stream changes none.
func (w *machine) writesFile(p *Part, row, program string, target word, sc *scope,
	anew bool) bool {
	if target.text == "/dev/fd/"+hole || w.at(target.text, sc).kind&pathStream != 0 {
		return false
	}
	w.placed(p, row, program+"writes "+named(target.text), target, sc)
	w.write(p, target, sc, anew)
	return true
}

// reaches notes a place that a part writes if it is outside the workspace.
func (w *machine) reaches(p *Part, at place) {
	file := w.file(at.real)
	if at.kind&pathAway != 0 && strings.HasPrefix(file, "/") && !slices.Contains(p.Outside, file) {
		p.Outside = append(p.Outside, file)
	}
}

// read is the rule for a path that a part reads. It reports whether the path
// is a secret.
func (w *machine) read(p *Part, target word, sc *scope) bool {
	if target.from&fromNames != 0 && !target.plain() {
		p.add(readsSecrets, "path:secret", "reads secrets by the names that another command gives")
		return true
	}
	if target.subst && target.from&fromDecode != 0 && strings.Contains(target.text, hole) &&
		!strings.Contains(target.text, "://") {
		p.add(runsHidden, "word:made", "reads a file whose name a decoder makes")
		return true
	}
	if !pathLike(target.text) {
		return false
	}
	at := w.at(strings.TrimPrefix(target.text, "@"), sc)
	if at.kind&(pathHidden|pathDisk) == 0 {
		return false
	}
	if file := w.file(at.abs); at.kind&pathAway != 0 && strings.HasPrefix(file, "/") {
		p.Secrets = append(p.Secrets, file)
	}
	p.addBy(readsSecrets, "path:secret", "reads the secret "+show(target.text), target.text)
	return true
}

// pathLike keeps the path rules from words that are no paths: without a
// letter, or with spaces as prose has.
func pathLike(text string) bool {
	return text != "" && text != "-" && text != hole && strings.Count(text, " ") < 4 &&
		len(text) < 4096
}

// rooted reports whether the text is a path from the root or from somebody's home: ~slow alone
// is a word of a program's own, since nobody keeps code right in the home of another user.
func rooted(text string) bool {
	return strings.HasPrefix(text, "/") || text == "~" ||
		strings.HasPrefix(text, "~") && strings.Contains(text, "/")
}

// foreign reports whether the text is a path that leads out of the workspace to where
// neither programs are installed nor the project next door lies.
func (w *machine) foreign(text string, sc *scope) bool {
	text = strings.TrimPrefix(text, "file://")
	up := strings.HasPrefix(path.Clean(text), "../..")
	if len(text) < 2 || strings.HasPrefix(text, "//") || !up && text[0] != '/' &&
		!strings.HasPrefix(text, "~/") || strings.Contains(text, hole) &&
		!strings.HasPrefix(text, "/tmp") {
		return false
	}
	at := w.at(text, sc)
	return at.kind&(pathHere|pathInstalled) == 0 &&
		(w.o.Cwd == "" || !at.within(w.folder(w.o.Cwd).abs))
}

// with returns the word with another text, of which it is a piece.
func (w word) with(text string) word {
	w.text = text
	return w
}

// stray raises for the paths in a word that may be written.
func (a *argv) stray(val word) {
	for piece := range strings.FieldsFuncSeq(val.text, partsPlaces) {
		piece = strings.TrimPrefix(piece, "file://")
		if (rooted(piece) || strings.HasPrefix(piece, "../")) && !strings.HasPrefix(piece, "//") {
			a.w.overwrites(a.p, val.with(piece), a.sc)
		}
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
		if strings.ContainsAny(piece[:1], "/~") &&
			a.kinds(val.with(piece))&pathHidden != 0 {
			a.reads(val.with(piece))
		}
	}
}

// partsTexts reports whether c parts the words of an expression.
func partsTexts(c rune) bool { return strings.ContainsRune(" \t\n\"'`()[]{}<>=,:;|&@%", c) }

// partsPlaces reports whether a value's list of paths, or of settings that hold some, is
// parted by c.
func partsPlaces(c rune) bool { return strings.ContainsRune(",;:= \t\n\"'{}[]@", c) }
