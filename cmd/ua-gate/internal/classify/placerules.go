package classify

import (
	"path"
	"slices"
	"strings"
)

// kinds returns what the place is, by the user's rules and the embedded ones.
func (w *walker) kinds(p place) pathKind {
	k := w.o.embedded().places().kinds(&p) | w.o.Overlay.kinds(&p)
	if k&pathScratch != 0 && (k&pathGuarded == 0 || !w.inWorkspace(p)) {
		k |= pathOpen
	}
	if last := p.names[len(p.names)-1]; k&pathPublic != 0 && strings.Contains(last, "key") &&
		!strings.Contains(last, ".pub") {
		k &^= pathPublic // the key of a certificate
	}
	if k&pathPublic == 0 && p.saysSecret() {
		k |= pathPrivate
	}
	return k
}

// saysSecret reports whether a file in a program's hidden folder of the home says by its name
// what it holds: no list knows all programs. Packages with their sources are none.
func (p place) saysSecret() bool {
	if len(p.names) < 2 || len(p.names) > 6 || p.names[0] != "~" ||
		!strings.HasPrefix(p.names[1], ".") ||
		inList(" .cargo .rustup .npm .nvm .pyenv .rbenv .cache .gradle .m2 .ivy2 .vscode .oh-my-zsh "+
			".claude ", p.names[1]) {
		return false
	}
	base := p.names[len(p.names)-1]
	if inList(" .md .rst .js .ts .py .go .rs .c .h .rb .lua .vim .el .sh .bash .zsh .fish .html "+
		".css .1 .log ", path.Ext(base)) {
		return false
	}
	return inAny(" token tokens secret secrets credential credentials password passwords passwd "+
		"apikey apikeys auth "+
		"oauth cookie cookies keyring keystore wallet passphrase ", keyWords(base))
}

// read is the rule for a path that a part reads. It reports whether the path
// is a secret.
func (w *walker) read(p *Part, target word, sc *scope) bool {
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
	k := w.kinds(at)
	if real, other := w.real(at); other {
		k |= w.kinds(real)
	}
	if k&(pathSecret|pathPrivate|pathDisk) == 0 || k&pathPublic != 0 {
		return false
	}
	if file := w.file(at); w.outsideWorkspace(at) && strings.HasPrefix(file, "/") {
		p.Secrets = append(p.Secrets, file)
	}
	p.addBy(readsSecrets, "path:secret", "reads the secret "+show(target.text), target.text)
	return true
}

// names reports whether the path is that of a secret, so that whoever prints it tells
// others where to look.
func (w *walker) names(target word, sc *scope) bool {
	if !pathLike(target.text) || !strings.ContainsAny(target.text, "/.*_") {
		return false
	}
	k := w.kinds(w.at(target.text, sc))
	return k&(pathSecret|pathPrivate) != 0 && k&pathPublic == 0
}

// write is the rule for a path that a part writes.
func (w *walker) write(p *Part, target word, sc *scope) {
	if !pathLike(target.text) {
		return
	}
	at := w.at(target.text, sc)
	w.reaches(p, at)
	w.writeAt(p, target, at)
	if real, other := w.real(at); other {
		w.writeAt(p, target, real)
	}
}

// placed is the rule for a path that is written: what is done, which is known to be in the
// workspace only if its folder is.
func (w *walker) placed(p *Part, row, reason string, target word, sc *scope) {
	act := writesHere
	if strings.HasPrefix(target.text, hole) || sc.cwd == "" && w.o.Cwd != "" && !rooted(target.text) {
		act, reason = writesUnknown, reason+", which may lie anywhere"
	}
	p.addBy(act, row, reason, target.text)
}

func (w *walker) writeAt(p *Part, target word, at place) {
	k := w.kinds(at)
	act, row, reason := readsFiles, "", ""
	switch {
	case k&pathDisk != 0:
		act, row, reason = writesMachine, "path:disk", "writes the device "
	case k&pathNever != 0:
		act, row, reason = writesMachine, "path:accounts", "writes who may log in, "
	case k&pathOpen != 0:
		return
	case k&(pathGuarded|pathSecret) != 0:
		act, row, reason = writesGuarded, "path:guarded", "writes what runs or is trusted later, "
	case k&pathSystem != 0 && !w.inWorkspace(at):
		act, row, reason = writesOutside, "path:system", "writes the system's "
	case len(at.names) > 1 && at.names[0] == "~" && strings.HasPrefix(at.names[1], ".") &&
		!w.inWorkspace(at):
		act, row, reason = writesOutside, "path:home", "writes the settings "
	case at.abs == "/", len(at.names) == 1 && strings.HasPrefix(at.abs, "/") &&
		systemRoot(at.names[0]):
		act, row, reason = writesOutside, "path:system", "writes the system's "
	}
	if k&pathSecret != 0 && w.outsideWorkspace(at) {
		p.Secrets = append(p.Secrets, w.file(at))
	}
	if act != readsFiles {
		p.addBy(act, row, reason+show(target.text), target.text)
	}
}

// reaches notes a place that a part writes if it is outside the workspace.
func (w *walker) reaches(p *Part, at place) {
	if real, other := w.real(at); other {
		at = real
	}
	if !w.outsideWorkspace(at) {
		return
	}
	if file := w.file(at); strings.HasPrefix(file, "/") && !slices.Contains(p.Outside, file) {
		p.Outside = append(p.Outside, file)
	}
}

// file returns the path of a place, as far as it is known.
func (w *walker) file(at place) string {
	file := at.abs
	if rest, ok := strings.CutPrefix(file, "~"); ok && (rest == "" || rest[0] == '/') {
		file = w.o.Home + rest
	}
	if end := strings.IndexAny(file, "*?[{"+hole); end >= 0 { // the folder is what is known of it
		file = path.Dir(file[:end] + "x")
	}
	return file
}

// overwrites is the rule for a file whose content is lost because it is written anew:
// outside the workspace nothing that the command knows of can make it again.
func (w *walker) overwrites(p *Part, target word, sc *scope) {
	if target.from&fromOutside != 0 && !target.plain() {
		p.add(writesOutside, "path:outside", "writes files that another command found outside")
		return
	}
	if !pathLike(target.text) || w.o.Cwd == "" {
		return
	}
	at := w.at(target.text, sc)
	w.reaches(p, at)
	if w.outsideWorkspace(at) && !at.within(w.folder(w.o.Cwd).abs) {
		p.addBy(writesOutside, "path:outside",
			"writes anew "+show(target.text)+", outside the workspace", target.text)
	}
}

// outsideWorkspace reports whether the place is known and neither in the workspace nor where
// everybody puts what may be lost.
func (w *walker) outsideWorkspace(at place) bool {
	return (strings.HasPrefix(at.abs, "/") || strings.HasPrefix(at.abs, "~")) &&
		!w.inWorkspace(at) && w.kinds(at)&(pathOpen|pathScratch) == 0
}

// holdsSecrets reports whether secrets are in many a folder of that name, so that who reads
// all of it reads them too.
func (p place) holdsSecrets() bool {
	folder := strings.TrimSuffix(strings.TrimSuffix(p.abs, "/*"), "/.*")
	return inList(" ~ / /home /Users /root ~/.config ~/.local ~/.local/share /var/lib /run/secrets ",
		folder) ||
		p.abs == "/"
}

// inWorkspace reports whether the place is below the folder in which the command
// starts, or another that the user works in. A whole home or a folder right
// below the root is too wide to be one.
func (w *walker) inWorkspace(at place) bool {
	return w.below(at, w.o.Cwd) || slices.ContainsFunc(w.o.Workspace,
		func(dir string) bool { return w.below(at, dir) })
}

// below reports whether the place is in the folder, which isn't too wide.
func (w *walker) below(at place, dir string) bool {
	if dir == "" {
		return false
	}
	root := w.folder(dir)
	return len(root.names) >= 2 && at.within(root.abs)
}

// folder is place for a folder that many rules ask about: that of Options.Cwd is kept.
func (w *walker) folder(dir string) place {
	o := w.o
	if dir != o.Cwd {
		return w.place(dir)
	}
	if o.presentOf != [2]string{o.Cwd, o.Home} {
		o.present, o.presentOf = w.place(dir), [2]string{o.Cwd, o.Home}
	}
	return o.present
}

// pathLike keeps the path rules from words that are no paths: without a
// letter, or with spaces as prose has.
func pathLike(text string) bool {
	return text != "" && text != "-" && text != hole && strings.Count(text, " ") < 4 &&
		len(text) < 4096
}
