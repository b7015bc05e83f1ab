package classify

import (
	"path"
	"path/filepath"
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
	return known >= 2 && !strings.HasPrefix(other, "*") && cross(stem, other, 0) &&
		(strings.Contains(stem, hole) || shares(stem, other))
}

// shares reports whether a pattern of a word has two bytes of a rule's name in a row, or one at an
// end of it: where all of the name stands for the pattern's *, and all of the pattern for the
// rule's, only an ending is the same. *.template.json is no service-account*.json.
func shares(stem, rule string) bool {
	for i := 0; i+1 < len(stem); i++ {
		if strings.IndexByte("*?[", stem[i]) < 0 && strings.IndexByte("*?[", stem[i+1]) < 0 &&
			strings.Contains(rule, stem[i:i+2]) {
			return true
		}
	}
	end := rule[len(rule)-1]
	return strings.ContainsAny(stem, "?[") || stem[0] == rule[0] ||
		end != '*' && stem[len(stem)-1] == end
}

// cross reports whether two patterns have a text in common. Brackets count as one
// unknown byte.
func cross(a, b string, depth int) bool {
	// So long a pattern is taken to match, which is the strict answer.
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
