package classify

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A place is where a path leads, as far as it is known, and what is there.
type place struct {
	abs    string   // clean: absolute, or from ~ for a home, or from an unknown folder
	names  []string // its names
	up     int      // how many of them are ..
	rooted bool     // it is absolute, or may be since it goes up
	kind   pathKind // by the table, of the place and of what links lead to
	real   string   // abs with links followed
}

// at returns the place of a path, seen from the scope's folder, with its kind.
func (w *machine) at(text string, sc *scope) place {
	if w.last.text == text && w.last.cwd == sc.cwd && w.last.links == len(w.links) {
		return w.last.at
	}
	given := text
	text = strings.TrimPrefix(text, "file://")
	if strings.HasPrefix(text, "/proc/") {
		text = throughProc(path.Clean(text))
	}
	if !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "~") &&
		!strings.HasPrefix(text, hole) && sc.cwd != "" {
		text = sc.cwd + "/" + text
	}
	p := w.place(text)
	for _, l := range w.links {
		if p.within(l.name) {
			p = w.place(l.target + p.abs[len(l.name):])
			break
		}
	}
	p.kind, p.real = w.kinds(p), p.abs
	if real, other := w.real(p); other {
		const both, itself = pathHere | pathOpen | pathScratch, pathWhole | pathAll | pathRecord
		k := w.kinds(real) &^ itself // what is deleted is the link
		p.kind, p.real = p.kind&k&both|(p.kind&^pathAway|k)&^both, real.abs
	}
	w.last = lookedUp{given, sc.cwd, len(w.links), p}
	return p
}

// A lookedUp is the place last asked for: several rules ask in turn.
type lookedUp struct {
	text, cwd string
	links     int
	at        place
}

// kinds returns what a place is, by the user's rules and the embedded ones, as where the command
// starts leaves it: open or in the workspace it is nobody else's.
func (w *machine) kinds(p place) pathKind {
	k := w.byTable(p)
	if whole := p.whole(); whole.abs != p.abs {
		k |= w.byTable(whole) & (pathWhole | pathMixed | pathRecord | pathSystem)
		p.abs = whole.abs
	}
	if w.inWorkspace(p) {
		k |= pathHere
	}
	if k&pathScratch != 0 && (k&pathGuarded == 0 || k&pathHere == 0) {
		k |= pathOpen
	}
	if last := p.names[len(p.names)-1]; k&pathPublic != 0 && strings.Contains(last, "key") &&
		!strings.Contains(last, ".pub") {
		k &^= pathPublic // the key of a certificate
	}
	if k&pathPublic == 0 && (k&(pathSecret|pathPrivate) != 0 ||
		k&(pathSettings|pathTold|pathSource) == pathSettings|pathTold) {
		k |= pathHidden
	}
	if k&pathOpen != 0 {
		k &^= pathGuarded | pathSystem | pathSettings | pathRecord
	}
	if k&pathHere != 0 {
		k &^= pathSystem | pathSettings
	} else if k&(pathOpen|pathScratch) == 0 && strings.ContainsAny(p.abs[:1], "/~") {
		k |= pathAway
	}
	if cwd := w.folder(w.o.Cwd).abs; w.o.Cwd != "" && (p.holds(cwd) || p.holds(w.o.Home) ||
		k&pathRecord != 0 && p.within(cwd+"/.git")) {
		k |= pathAll
	}
	return k
}

func (w *machine) byTable(p place) pathKind {
	return w.o.embedded().places().kinds(&p) | w.o.Overlay.kinds(&p)
}

// whole returns the folder of which a pattern names all, or the place itself.
func (p place) whole() place {
	for len(p.names) > 0 && everyName(p.names[len(p.names)-1]) {
		p.names = p.names[:len(p.names)-1]
		p.abs = path.Dir(p.abs)
	}
	if len(p.names) == 0 {
		p.names = []string{""}
	}
	return p
}

// holds reports whether the folder is the place or below it.
func (p place) holds(dir string) bool {
	return dir == p.abs || strings.HasPrefix(dir, strings.TrimSuffix(p.abs, "/")+"/")
}

// A link is a symbolic link that the command itself makes.
type link struct {
	name   string // its place
	target string // the place that it leads to
}

// place returns the place of a path that is absolute, or seen from nowhere known.
func (w *machine) place(text string) place {
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
func (p place) within(dir string) bool { return place{abs: dir}.holds(p.abs) }

// throughProc follows /proc/PID/root and /proc/PID/cwd.
func throughProc(clean string) string {
	names := strings.SplitN(clean, "/", 5)
	if len(names) == 4 && names[3] == "cwd" {
		return "."
	}
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

// inWorkspace reports whether the place is below the folder in which the command
// starts, or another that the user works in. A whole home or a folder right
// below the root is too wide to be one.
func (w *machine) inWorkspace(at place) bool {
	return w.below(at, w.o.Cwd) || slices.ContainsFunc(w.o.Workspace,
		func(dir string) bool { return w.below(at, dir) })
}

// below reports whether the place is in the folder, which isn't too wide.
func (w *machine) below(at place, dir string) bool {
	if dir == "" {
		return false
	}
	root := w.folder(dir)
	return len(root.names) >= 2 && at.within(root.abs)
}

// folder is place for a folder that many rules ask about: that of Options.Cwd is kept.
func (w *machine) folder(dir string) place {
	o := w.o
	if dir != o.Cwd {
		return w.place(dir)
	}
	if o.presentOf != [2]string{o.Cwd, o.Home} {
		o.present, o.presentOf = w.place(dir), [2]string{o.Cwd, o.Home}
	}
	return o.present
}

// file returns the path of what a place's name is, as far as it is known.
func (w *machine) file(file string) string {
	if rest, ok := strings.CutPrefix(file, "~"); ok && (rest == "" || rest[0] == '/') {
		file = w.o.Home + rest
	}
	if end := strings.IndexAny(file, "*?[{"+hole); end >= 0 { // the folder is what is known of it
		file = path.Dir(file[:end] + "x")
	}
	return file
}

// real returns the place with its symbolic links followed, as far as it exists.
func (w *machine) real(p place) (place, bool) {
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
	if !strings.HasPrefix(file, "/") || straight(file) {
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
