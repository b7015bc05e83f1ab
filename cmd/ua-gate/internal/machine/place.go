package machine

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
)

// At returns the place of a path, seen from the scope's folder, with its kind.
func (m *State) At(text string, sc *shell.Scope) table.Place {
	if m.last.text == text && m.last.cwd == sc.Cwd && m.last.links == len(m.Links) {
		return m.last.at
	}
	given := text
	text = strings.TrimPrefix(text, "file://")
	if strings.HasPrefix(text, "/proc/") {
		text = table.ThroughProc(path.Clean(text))
	}
	if !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "~") &&
		!strings.HasPrefix(text, match.Hole) && sc.Cwd != "" {
		text = sc.Cwd + "/" + text
	}
	p := m.Place(text)
	for _, l := range m.Links {
		if p.Within(l.Name) {
			p = m.Place(l.Target + p.Abs[len(l.Name):])
			break
		}
	}
	p.Kind, p.Real = m.Kinds(p), p.Abs
	if real, other := m.real(p); other {
		const both, itself = table.PathHere | table.PathOpen | table.PathScratch,
			table.PathWhole | table.PathAll | table.PathRecord
		k := m.Kinds(real) &^ itself // what is deleted is the link
		p.Kind, p.Real = p.Kind&k&both|(p.Kind&^table.PathAway|k)&^both, real.Abs
	}
	m.last = lookedUp{given, sc.Cwd, len(m.Links), p}
	return p
}

// Kinds returns what a place is, by the user's rules and the embedded ones, as where the command
// starts leaves it: open or in the workspace it is nobody else's.
func (m *State) Kinds(p table.Place) table.PathKind {
	k := m.ByTable(p)
	if whole := p.Whole(); whole.Abs != p.Abs {
		k |= m.ByTable(whole) & (table.PathWhole | table.PathMixed | table.PathRecord | table.PathSystem)
		p.Abs = whole.Abs
	}
	if m.InWorkspace(p) {
		k |= table.PathHere
	}
	if k&table.PathScratch != 0 && (k&table.PathGuarded == 0 || k&table.PathHere == 0) {
		k |= table.PathOpen
	}
	if last := p.Names[len(p.Names)-1]; k&table.PathPublic != 0 && strings.Contains(last, "key") &&
		!strings.Contains(last, ".pub") {
		k &^= table.PathPublic // the key of a certificate
	}
	if k&table.PathPublic == 0 && (k&(table.PathSecret|table.PathPrivate) != 0 ||
		k&(table.PathSettings|table.PathTold|table.PathSource) == table.PathSettings|table.PathTold) {
		k |= table.PathHidden
	}
	if k&table.PathOpen != 0 {
		k &^= table.PathGuarded | table.PathSystem | table.PathSettings | table.PathRecord
	}
	if k&table.PathHere != 0 {
		k &^= table.PathSystem | table.PathSettings
	} else if k&(table.PathOpen|table.PathScratch) == 0 && strings.ContainsAny(p.Abs[:1], "/~") {
		k |= table.PathAway
	}
	if cwd := m.Folder(m.Cwd).Abs; m.Cwd != "" && (p.Holds(cwd) || p.Holds(m.Home) ||
		k&table.PathRecord != 0 && p.Within(cwd+"/.git")) {
		k |= table.PathAll
	}
	return k
}

// Look returns what is at a place, or nil, also where the machine is not looked at.
func (m *State) Look(at table.Place) os.FileInfo {
	if !m.Resolve {
		return nil
	}
	found, err := os.Stat(m.File(at.Abs))
	if err != nil {
		return nil
	}
	return found
}

// ByTable returns what the rules of the tables say of a place.
func (m *State) ByTable(p table.Place) table.PathKind {
	return m.embedded().Kinds(&p) | m.Overlay.Kinds(&p)
}

// Place returns the place of a path that is absolute, or seen from nowhere known.
func (m *State) Place(text string) table.Place { return table.PlaceOf(text, m.Home) }

// InWorkspace reports whether the place is below the folder in which the command
// starts, or another that the user works in. A whole home or a folder right
// below the root is too wide to be one.
func (m *State) InWorkspace(at table.Place) bool {
	return m.below(at, m.Cwd) || slices.ContainsFunc(m.Workspace,
		func(dir string) bool { return m.below(at, dir) })
}

// below reports whether the place is in the folder, which isn't too wide.
func (m *State) below(at table.Place, dir string) bool {
	if dir == "" {
		return false
	}
	root := m.Folder(dir)
	return len(root.Names) >= 2 && at.Within(root.Abs)
}

// Folder is place for a folder that many rules ask about: that of Options.Cwd is kept.
func (m *State) Folder(dir string) table.Place {
	o := m.Options
	if dir != o.Cwd {
		return m.Place(dir)
	}
	if o.presentOf != [2]string{o.Cwd, o.Home} {
		o.present, o.presentOf = m.Place(dir), [2]string{o.Cwd, o.Home}
	}
	return o.present
}

// File returns the path of what a place's name is, as far as it is known.
func (m *State) File(file string) string {
	if rest, ok := strings.CutPrefix(file, "~"); ok && (rest == "" || rest[0] == '/') {
		file = m.Home + rest
	}
	// Of a pattern the folder is what is known.
	if end := strings.IndexAny(file, "*?[{"+match.Hole); end >= 0 {
		file = path.Dir(file[:end] + "x")
	}
	return file
}

// real returns the place with its symbolic links followed, as far as it exists.
func (m *State) real(p table.Place) (table.Place, bool) {
	if !m.Resolve || strings.ContainsAny(p.Abs, "*?["+match.Hole) {
		return p, false
	}
	file := p.Abs
	if strings.HasPrefix(file, "~") {
		if m.Home == "" {
			return p, false
		}
		file = m.Home + file[1:]
	}
	if !strings.HasPrefix(file, "/") || straight(file) {
		return p, false
	}
	there := 0 // what stands before it in the path is there
	for i := 1; i <= len(file); i++ {
		if i < len(file) && file[i] != '/' {
			continue
		}
		if _, err := os.Stat(file[:i]); err != nil {
			break
		}
		there = i
	}
	got, err := filepath.EvalSymlinks(file[:there])
	if there == 0 || err != nil {
		return p, false
	}
	q := m.Place(got + file[there:])
	return q, q.Abs != p.Abs
}
