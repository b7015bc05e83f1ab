package classify

import (
	"slices"
	"strings"
)

// namesPlace is the rule for a variable of a command, or an exported one, whose value holds
// paths: a program may write there what it logs, traces, caches or builds, or take code and
// settings from there. What the variable's row says of its other dangers comes beside it.
func (w *walker) namesPlace(p *Part, s setting, words []word, sc *scope) {
	kind, known := w.variable(s.name)
	if kind == varPath {
		w.runsWritten(p, s, sc)
		if len(words) == 0 {
			w.exported = append(w.exported, s)
		}
	}
	if !strings.ContainsAny(s.val.text, "/~") && !strings.HasPrefix(s.val.text, ".") {
		return
	}
	// Their rows say of what they name whatever there is to say.
	if known && (kind == varSearch || kind == varPager || kind == varEditor || kind == varTool) {
		return
	}
	puts, loads := placeWords(s.name)
	exported := len(words) == 0
	// An exported variable goes to programs that nobody knows yet.
	if exported && !puts {
		return
	}
	for piece := range strings.FieldsFuncSeq(strings.ReplaceAll(s.val.text, "file://", " "),
		partsPlaces) {
		if i := strings.IndexAny(piece, "/~"); piece[0] == '-' && i == 2 {
			piece = piece[2:] // glued to a flag
		}
		if !strings.ContainsAny(piece[:1], "/~.") && !strings.Contains(piece, "/") ||
			strings.HasPrefix(piece, "//") {
			continue
		}
		at := w.at(piece, sc)
		switch k := w.kinds(at); {
		case k&pathOpen != 0:
		case k&(pathGuarded|pathDisk|pathNever) != 0:
			w.write(p, s.val.with(piece), sc)
			continue
		case k&(pathSecret|pathPrivate|pathSystem) != 0 && puts:
			w.write(p, s.val.with(piece), sc)
			continue
		}
		// The name says that code or settings are loaded from there.
		if !exported && kind != varPath && loads && w.foreignPlace(piece, sc) {
			p.add(runsHidden, "env:"+s.name,
				s.name+" may make a program run code from "+show(piece))
		}
		if puts && !installs(s.name, words) {
			w.overwrites(p, s.val.with(piece), sc)
		}
		if installs(s.name, words) && w.installsOver(at) {
			p.add(runsHidden, "env:"+s.name, "what is installed goes into "+show(piece))
		}
	}
}

// runsWritten is the rule for a variable of a command that names what was written before it.
func (w *walker) runsWritten(p *Part, s setting, sc *scope) {
	if len(w.written) > 0 && w.namesWritten(s, sc) {
		p.add(runsHidden, "env:"+s.name, s.name+" names what this command has written")
	}
}

// namesWritten reports whether a variable that holds paths names a file that this command has
// written, or a tool's own folder that such a file is in. Modules in a folder where interpreters
// search, and the sources in Go's workspace, are judged where the code that loads them is.
func (w *walker) namesWritten(s setting, sc *scope) bool {
	holds := !inList(searched+"GOPATH ", s.name) // code and settings, whatever loads them
	for dir := range strings.SplitSeq(s.val.text, ":") {
		at := w.at(dir, sc)
		if dir != "" && slices.ContainsFunc(w.written, func(file string) bool {
			return file == at.abs || holds && w.place(file).within(at.abs)
		}) {
			return true
		}
	}
	return false
}

// partsPlaces reports whether a value's list of paths, or of settings that hold some, is
// parted by c.
func partsPlaces(c rune) bool { return strings.ContainsRune(",;:= \t\n\"'{}[]@", c) }

// with returns the word with another text, of which it is a piece.
func (w word) with(text string) word {
	w.text = text
	return w
}

// putWords begin or end the words of a variable's name by which its value is where
// something is put: a trace, a cache, a report.
var putWords = strings.Fields(`out cov coverage cache report log logs logfile junit temp tmp ` +
	`tmpdir target
 dest destdir trace result artifact store dump save write export runtime build dist hist profile
 bytecode pycache sslkeylog snapshot download upload coverdir`)

// dataWords are words by which it is read, and is no code.
const dataWords = ` data metadata sock socket url uri cert certs ca key keys tz locale ` +
	`database db sqlite dsn host
 input fixture fixtures test tests media static asset assets session pid lock state src seed corpus
 display mail prefix model models dataset datasets prefix schema image images sysroot `

// loadWords are words by which it is code, or settings that say which code runs;
// folderWords may be so, where no other word says that the folder is for something else.
const (
	loadWords = ` driver override start startup asdf mise rtx pyenv rbenv nvm volta sdkman goenv ` +
		`nodenv proto jenv fnm config conf cfg plugin plugins preload require module modules loader ` +
		`project toolchain
 rcfile conffile configfile opt python interpreter flags rustflags opts options script scripts ` +
		`init rc extension extensions include
 theme template templates gowork jar agent brew compose venv virtualenv virtualenvs `
	folderWords = ` lib library bin home sdk root ruby node perl java profiles `
)

// neutralWords say nothing of what a path is for.
const neutralWords = ` dir folder path paths file files name in base pwd oldpwd work workdir ` +
	`workspace user `

// placeWords reports what a variable's name says of the paths in its value: that something
// is put there, and that it may be code or settings.
func placeWords(name string) (puts, loads bool) {
	reads, folder, neutral := false, false, true
	for _, w := range keyWords(name) {
		switch {
		case inList(loadWords, w):
			loads = true
		case inList(dataWords, w):
			reads = true
		case slices.ContainsFunc(putWords, func(put string) bool {
			return strings.HasPrefix(w, put) && len(w) < len(put)+4 ||
				strings.HasSuffix(w, put) && inList(" log cache tmp tmpdir logfile coverdir ", put)
		}):
			puts = true
		case inList(folderWords, w):
			folder = true
		default:
			neutral = neutral && inList(neutralWords, w)
		}
	}
	// In doubt code is loaded from there; only a name that says data or output is
	// believed.
	return puts && !loads, loads || folder && !puts && !reads || !neutral && !puts && !reads
}

// installs reports whether the variable says where the words, make install and its like,
// install to.
func installs(name string, words []word) bool {
	if low := strings.ToLower(name); low != "destdir" && low != "prefix" && low != "install_root" {
		return false
	}
	installed := false
	for _, wd := range words {
		if strings.HasPrefix(wd.text, "DESTDIR=") && len(wd.text) > len("DESTDIR=") &&
			name != "DESTDIR" {
			return false // the prefix is below it
		}
		installed = installed || strings.HasPrefix(wd.text, "install")
	}
	return installed
}

// installsOver reports whether what is installed there changes the system, or the user's
// own programs and settings.
func (w *walker) installsOver(at place) bool {
	k := w.kinds(at)
	return at.abs == "/" || at.abs == "~" || at.abs == "~/.local" ||
		k&(pathSystem|pathGuarded) != 0 && k&pathOpen == 0 &&
			!w.inWorkspace(at)
}
