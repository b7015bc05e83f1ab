package classify

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A place is a path that a word names, as far as it is known.
type place struct {
	abs    string   // clean: absolute, or from ~ for a home, or from an unknown folder
	names  []string // its names
	up     int      // how many of them are ..
	rooted bool     // it is absolute, or may be since it goes up
}

// at returns the place of a path, seen from the scope's folder.
func (w *walker) at(text string, sc *scope) place {
	text = strings.TrimPrefix(text, "file://")
	if i := strings.LastIndexByte(text, '('); i > 0 && w.o.Shell == "zsh" &&
		strings.HasSuffix(text, ")") {
		text = text[:i] // the qualifiers of a pattern
	}
	if !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "~") &&
		!strings.HasPrefix(text, hole) && sc.cwd != "" {
		text = sc.cwd + "/" + text
	}
	p := w.place(text)
	for _, l := range w.links {
		if p.within(l.name) {
			return w.place(l.target + p.abs[len(l.name):])
		}
	}
	return p
}

// A link is a symbolic link that the command itself makes.
type link struct {
	name   string // its place
	target string // the place that it leads to
}

// place returns the place of a path that is absolute, or seen from nowhere known.
func (w *walker) place(text string) place {
	clean := path.Clean(text)
	if strings.HasPrefix(clean, "/proc/") {
		clean = throughProc(clean)
	}
	if strings.HasPrefix(clean, "/private/etc") {
		clean = clean[len("/private"):]
	}
	if home, rest := splitHome(clean, w.o.Home); home {
		clean = "~" + rest
	}
	p := place{abs: clean, names: strings.Split(strings.TrimPrefix(clean, "/"), "/")}
	for p.up < len(p.names) && p.names[p.up] == ".." {
		p.up++
	}
	p.rooted = p.up > 0 || strings.HasPrefix(clean, "/")
	return p
}

// within reports whether the place is the folder or inside it.
func (p place) within(dir string) bool {
	return p.abs == dir || strings.HasPrefix(p.abs, strings.TrimSuffix(dir, "/")+"/")
}

// throughProc follows /proc/PID/root and /proc/PID/cwd.
func throughProc(clean string) string {
	names := strings.SplitN(clean, "/", 5)
	if len(names) == 5 && names[3] == "root" {
		return "/" + names[4]
	}
	if len(names) == 5 && names[3] == "cwd" {
		return names[4]
	}
	return clean
}

// splitHome reports whether the path is in somebody's home, and what follows it.
func splitHome(clean, home string) (bool, string) {
	if home != "" && home != "/" && (clean == home || strings.HasPrefix(clean, home+"/")) {
		return true, clean[len(home):]
	}
	if strings.HasPrefix(clean, "~") {
		i := strings.IndexByte(clean, '/')
		if i < 0 {
			return true, ""
		}
		return true, clean[i:]
	}
	for _, root := range []string{"/home/", "/Users/", "/root/", "/var/root/"} {
		if !strings.HasPrefix(clean+"/", root) {
			continue
		}
		if strings.HasSuffix(root, "root/") {
			return true, strings.TrimSuffix((clean + "/")[len(root)-1:], "/")
		}
		if len(clean) < len(root) {
			return false, ""
		}
		rest := clean[len(root):]
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			return true, rest[i:]
		}
		return rest != "", ""
	}
	return false, ""
}

// begins matches names with a pattern's names: all of them, or with tree the
// first ones.
func begins(names []string, pattern string, tree bool) bool {
	for {
		head, tail, more := strings.Cut(pattern, "/")
		if len(names) == 0 || !meet(names[0], head) {
			return false
		}
		names = names[1:]
		if !more {
			return tree || len(names) == 0
		}
		pattern = tail
	}
}

// meet reports whether a name of a word, in which patterns and holes stand for
// unknown bytes, and a name of a rule can be the same.
func meet(name, rule string) bool {
	if !uncertain(name) {
		return glob(rule, name)
	}
	if first := name[0]; rule != "*" && first != rule[0] && !uncertain(name[:1]) && rule[0] != '*' {
		return false // the rest can't matter
	}
	if name == rule || rule == "*" {
		return true
	}
	if strings.HasPrefix(rule, ".") && !strings.HasPrefix(name, ".") && name[0] != 0 {
		return false
	}
	stem, other := name, rule
	if dot := strings.LastIndexByte(rule, '.'); dot > 0 && strings.HasSuffix(name, rule[dot:]) {
		stem, other = name[:len(name)-len(rule)+dot], rule[:dot] // an ending alone says nothing
	}
	known := 0
	for i := 0; i < len(stem); i++ {
		if strings.IndexByte("*?[]"+hole, stem[i]) < 0 {
			known++
		}
	}
	return known >= 2 && !strings.HasPrefix(other, "*") && cross(stem, other, 0)
}

// cross reports whether two patterns have a text in common. Brackets count as one
// unknown byte.
func cross(a, b string, depth int) bool {
	if depth > 64 {
		return true
	}
	switch {
	case a == "" && b == "":
		return true
	case a != "" && (a[0] == '*' || a[0] == 0):
		return cross(a[1:], b, depth+1) || b != "" && cross(a, b[1:], depth+1)
	case b != "" && b[0] == '*':
		return cross(a, b[1:], depth+1) || a != "" && cross(a[1:], b, depth+1)
	case a == "" || b == "":
		return false
	case a[0] == '[':
		if i := strings.IndexByte(a, ']'); i > 0 {
			return cross(a[i+1:], b[1:], depth+1)
		}
	}
	return (a[0] == '?' || a[0] == b[0]) && cross(a[1:], b[1:], depth+1)
}

// real returns the place with its symbolic links followed, as far as it exists.
func (w *walker) real(p place) (place, bool) {
	if !w.o.Resolve || strings.ContainsAny(p.abs, "*?["+hole) {
		return p, false
	}
	file := p.abs
	if strings.HasPrefix(file, "~") {
		if w.o.Home == "" {
			return p, false
		}
		file = w.o.Home + file[1:]
	}
	if !strings.HasPrefix(file, "/") || file == w.plainPath {
		return p, false
	}
	if straight(file) {
		w.plainPath = file
		return p, false
	}
	for rest := ""; file != "/"; {
		if got, err := filepath.EvalSymlinks(file); err == nil {
			q := w.place(got + rest)
			return q, q.abs != p.abs
		}
		rest, file = "/"+path.Base(file)+rest, path.Dir(file)
	}
	return p, false
}

// kinds returns what the place is, by the user's rules and the embedded ones.
func (w *walker) kinds(p place) pathKind {
	k := w.o.embedded().places().kinds(p) | w.o.Overlay.kinds(p)
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
		p.raise(destructive, "path:secret", "reads secrets by the names that another command gives")
		return true
	}
	if target.subst && target.from&fromDecode != 0 && strings.Contains(target.text, hole) &&
		!strings.Contains(target.text, "://") {
		p.raise(destructive, "word:made", "reads a file whose name a decoder makes")
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
	p.raiseBy(destructive, "path:secret", "reads the secret "+show(target.text), target.text)
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
	w.writeAt(p, target, at)
	if real, other := w.real(at); other {
		w.writeAt(p, target, real)
	}
}

func (w *walker) writeAt(p *Part, target word, at place) {
	k := w.kinds(at)
	level, row, reason := readOnly, "", ""
	switch {
	case k&pathDisk != 0:
		level, row, reason = denied, "path:disk", "writes the device "
	case k&pathNever != 0:
		level, row, reason = denied, "path:accounts", "writes who may log in, "
	case k&pathOpen != 0:
		return
	case k&(pathGuarded|pathSecret) != 0:
		level, row, reason = destructive, "path:guarded", "writes what runs or is trusted later, "
	case k&pathSystem != 0 && !w.inWorkspace(at):
		level, row, reason = destructive, "path:system", "writes the system's "
	case len(at.names) > 1 && at.names[0] == "~" && strings.HasPrefix(at.names[1], ".") &&
		!w.inWorkspace(at):
		level, row, reason = destructive, "path:home", "writes the settings "
	case at.abs == "/", len(at.names) == 1 && strings.HasPrefix(at.abs, "/") &&
		systemRoot(at.names[0]):
		level, row, reason = destructive, "path:system", "writes the system's "
	}
	if level > readOnly {
		p.raiseBy(level, row, reason+show(target.text), target.text)
	}
}

// overwrites is the rule for a file whose content is lost because it is written anew:
// outside the workspace nothing that the command knows of can make it again.
func (w *walker) overwrites(p *Part, target word, sc *scope) {
	if target.from&fromOutside != 0 && !target.plain() {
		p.raise(destructive, "path:outside", "writes files that another command found outside")
		return
	}
	if !pathLike(target.text) || w.o.Cwd == "" {
		return
	}
	at := w.at(target.text, sc)
	if w.outside(at) && !at.within(w.place(w.o.Cwd).abs) {
		p.raiseBy(destructive, "path:outside",
			"writes anew "+show(target.text)+", outside the workspace", target.text)
	}
}

// outside reports whether the place is known and neither in the workspace nor where
// everybody puts what may be lost.
func (w *walker) outside(at place) bool {
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
	root := w.place(dir)
	return len(root.names) >= 2 && at.within(root.abs)
}

// pathLike keeps the path rules from words that are no paths: without a
// letter, or with spaces as prose has.
func pathLike(text string) bool {
	return text != "" && text != "-" && text != hole && strings.Count(text, " ") < 4 &&
		len(text) < 4096
}
