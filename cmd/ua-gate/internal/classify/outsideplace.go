package classify

import (
	"strings"
)

// strays is the rule for words that name a place outside the workspace where the table does
// not say that the program only reads them: what lies there may be written anew. In a program
// that writes it holds for every word but those known to be read, in another for flags whose
// names the table does not know, or say that something is put there.
func (a *argv) strays() {
	if a.fixed && a.base == readOnly || max(a.p.Level, a.base) > write ||
		strings.HasPrefix(a.name, "git ") && a.base == readOnly {
		return
	}
	writes := max(a.base, a.p.Level) == write
	if writes {
		a.writesHere()
	}
	// Flags of the table, by what it says of their values.
	for _, u := range a.used {
		a.leaves(u.name, u.val)
		switch u.value {
		case isText, isGlued, isAny, isPair:
			if writes || u.value == isText && namesPut(u.name) ||
				u.value == isGlued && a.base == readOnly {
				a.stray(u.val, true)
			}
		case isOut, isTree:
			a.stray(u.val, false)
		case isDir:
			if writes && !strings.HasPrefix(a.name, "git ") {
				a.stray(u.val, false)
			}
		}
	}
	// Operands, by what the row says of their places.
	for i, o := range a.operands {
		switch s := a.row.slot(a.slots, i, len(a.operands)); {
		case !writes:
		case s.what == isOut || s.what == isTree:
			a.stray(o, false)
		case (s.what == isAny || s.what == isLoose) && (a.row.reader == "" || a.base < write):
			a.stray(o, true)
		}
	}
	// Flags that the table lacks, by their names alone.
	for _, s := range a.unlisted {
		a.leaves(s.name, s.val)
		if !a.installsLater(s.name) {
			a.stray(s.val, true)
			if k := a.kinds(s.val); k&(pathGuarded|pathDisk) != 0 && k&(pathOpen|pathSecret) == 0 {
				a.w.write(a.p, s.val, a.sc)
			}
		}
	}
}

// listens is the rule for a server of a program that builds, or that a flag says listens: on all
// addresses, other machines
// may ask it.
func (a *argv) listens() {
	if a.base > write {
		return
	}
	for _, u := range a.used { // the debugger of node, which takes any code
		if strings.HasPrefix(u.name, "--inspect") && strings.Contains(u.val.text, ".") &&
			!thisMachine("http://"+u.val.text) {
			a.p.add(talks, a.name+" "+u.name, a.name+" listens for other machines")
		}
	}
	for k, wd := range a.words[:len(a.words)-len(a.rest)] {
		if !strings.Contains(wd.text, "0.0.0.0") {
			continue
		}
		if a.base != buildTest && !inAny(" listen bind serve listening host addr address ip ",
			keyWords(wd.text)) &&
			(k == 0 ||
				!inAny(" runserver listen bind serve listening host addr address ip ",
					keyWords(a.words[k-1].text))) {
			continue
		}
		if i := strings.Index(wd.text, "0.0.0.0"); i == 0 || i > 0 && wd.text[i-1] == '=' {
			a.p.add(talks, a.name+" "+wd.text, a.name+" listens for other machines")
		}
	}
}

// writesHere is the rule for a program that makes files of names which its words do not say,
// in a folder outside the workspace that the command went to.
func (a *argv) writesHere() {
	if a.sc.cwd == a.w.o.Cwd || a.sc.cwd == "" || a.w.o.Cwd == "" ||
		strings.HasPrefix(a.name, "git ") && a.w.nextDoor(a.sc.cwd, a.sc) {
		return
	}
	for i := range a.operands {
		switch a.row.slot(a.slots, i, len(a.operands)).what {
		case isWrite, isFolder, isLink, isDelete:
			return // its own rules
		}
	}
	if at := a.w.at(".", a.sc); a.w.outsideWorkspace(at) {
		a.p.addBy(writesOutside, "path:outside",
			a.name+" writes files in "+show(a.sc.cwd)+", outside the workspace", a.sc.cwd)
	}
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

// A named is a flag that no row knows, with the path outside that may be its value.
type named struct {
	name string
	val  word
}

// unlistedPath notes a long flag of which the row knows nothing, where a path that is not in
// the workspace may be its value.
func (a *argv) unlistedPath(wd word, next []word) {
	name, text, eq := strings.Cut(wd.text, "=")
	if len(wd.text) > 3 && wd.text[1] != '-' && (wd.text[2] == '/' || wd.text[2] == '~') {
		a.gluedPath(wd.text[:2], wd.cut(2))
		return
	}
	if inList(checkFlags, name) || !a.outputLetter(name, next) &&
		(len(name) < 4 || name[1] != '-' &&
			a.row.facts&factSingle == 0 && len(name) < 7) {
		return
	}
	val := wd.cut(len(wd.text) - len(text))
	if !eq {
		val = first(next, "")
		if strings.HasPrefix(val.text, "--") {
			return // a flag, which is judged on its own
		}
	}
	if strings.ContainsAny(val.text, "/~") {
		a.unlisted = append(a.unlisted, named{name, val})
	}
}

// putsByWord is the rule for -outfile FILE and its like where the row knows no flags of several
// letters behind one dash.
func (a *argv) putsByWord(wd word, next []word) {
	val := first(next, "")
	if len(wd.text) > 3 && strings.ContainsAny(val.text, "/~") && !a.has(wd.text) &&
		inAny(putNames, keyWords(wd.text)) {
		a.unlisted = append(a.unlisted, named{wd.text, val})
	}
}

// gluedPath notes a path that is glued to the one letter of a flag of which the row knows nothing.
func (a *argv) gluedPath(name string, val word) {
	program, _, _ := strings.Cut(a.name, " ")
	if a.row.level <= write && !inList(seeking, program) &&
		(name == "-o" || strings.HasPrefix(a.w.at(val.text, a.sc).abs, "~")) {
		a.unlisted = append(a.unlisted, named{name, val})
	}
}

// outputLetter reports whether a flag is one of the letters by which programs name outputs, and
// a place in a home follows.
func (a *argv) outputLetter(name string, next []word) bool {
	if len(name) != 2 || len(next) == 0 || strings.IndexByte("oOwWdpPxXST", name[1]) < 0 ||
		a.row.level != write && strings.IndexByte("oOwW", name[1]) < 0 && len(next) < 2 ||
		!strings.ContainsAny(next[0].text, "/~") || a.row.facts&factLoose != 0 &&
		(a.row.level != readOnly ||
			a.row.facts&factText != 0 || a.row.reader != "") {
		return false
	}
	program, _, _ := strings.Cut(a.name, " ")
	return !inList(seeking, program) && strings.HasPrefix(a.w.at(next[0].text, a.sc).abs, "~")
}

// putNames are words in the name of a flag by which its value is written, inputNames those by
// which it is read or is no file, and placeNames those of files and folders that a program
// which writes may write.
const (
	putNames = ` out output outfile outdir log logfile dump save write dest destination export ` +
		`record binlog binarylog
 outputs prefix cache tofile saveto writeto report reports artifact artifacts `
	inputNames = ` from in input read source src sources include exclude ignore search
 template templates ref reference schema data db database key cert cacert font fonts against ` +
		`compare relative stdin load
 config query filter pattern pid hosts inventory tags name names id match regex glob url uri ` +
		`host subject title message
 author `
	placeNames = ` file files root base cwd dir directory path paths chdir project repo ` +
		`repository workdir working context under
 home user `
)

// namesPut reports whether the flag's name says that its value is written.
func namesPut(name string) bool {
	return name == "-o" || name == "-O" || len(name) > 2 && inAny(putNames, keyWords(name))
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

// leaves is the rule for a flag whose name says that its value is another machine.
func (a *argv) leaves(name string, val word) {
	_, rest, ok := strings.Cut(val.text, "://")
	if !ok || strings.HasPrefix(val.text, "file:") || strings.HasPrefix(rest, "localhost") ||
		strings.HasPrefix(rest, "127.") ||
		strings.HasPrefix(rest, "[::1]") || !inAny(remoteNames, keyWords(name)) && !a.saysCode(name) &&
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
