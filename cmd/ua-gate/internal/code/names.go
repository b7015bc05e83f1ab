package code

import (
	_ "embed" // for namesText
	"strings"
	"sync"
)

// namesText says what the names of each language mean. The head of the file explains the
// form.
//
//go:embed names.txt
var namesText string

// names is what the names of one language mean.
type names map[string]meaning

// A meaning is what the lists say of one name. Most names are in one list.
type meaning struct {
	listed          // the first list
	more   []listed // the others
	call   string   // the gravest of kinds that a call of it may have, or ""
}

// lists yields the lists that have the name.
func (m *meaning) lists(yield func(listed) bool) {
	if m.kind == "" || !yield(m.listed) {
		return
	}
	for _, l := range m.more {
		if !yield(l) {
			return
		}
	}
}

// in returns what follows the name in the list of a kind.
func (m *meaning) in(kind string) (at string, ok bool) {
	for l := range m.lists {
		if l.kind == kind {
			return l.at, true
		}
	}
	return "", false
}

// A listed is one list that has a name, and what follows the name there: "@1".
type listed struct{ kind, at string }

// tables keeps the names of the languages that were asked for. They do not change.
var tables = struct {
	sync.Mutex
	of map[string]names
}{of: map[string]names{}}

// namesOf returns the names of a language.
func namesOf(language string) names {
	tables.Lock()
	defer tables.Unlock()
	n, ok := tables.of[language]
	if !ok {
		n = readNames(language)
		tables.of[language] = n
	}
	return n
}

// readNames reads the names of a language from names.txt.
func readNames(language string) names {
	n := names{}
	n.section(language)
	for name, m := range n {
		m.call = m.gravest()
		n[name] = m
	}
	return n
}

// section adds the names of one section.
func (n names) section(name string) {
	_, text, _ := strings.Cut(namesText, "\n["+name+"]\n")
	// Up to the next section.
	text, _, _ = strings.Cut(text, "\n[")
	kind := ""
	for line := range strings.Lines(text) {
		if k, rest, ok := strings.Cut(line, ": "); ok && line[0] != ' ' {
			kind, line = k, rest
		}
		for name := range strings.FieldsSeq(line) {
			at := ""
			if i := strings.LastIndexByte(name, '@'); i > 0 &&
				strings.Trim(name[i+1:], "0123456789,*") == "" {
				name, at = name[:i], name[i:]
			}
			m := n[name]
			// The first list that has a name with this kind says its arguments.
			if _, ok := m.in(kind); !ok && m.kind == "" {
				m.listed = listed{kind, at}
			} else if !ok {
				m.more = append(m.more, listed{kind, at})
			}
			n[name] = m
		}
	}
}

// gravest returns the kind that a call of the name has, which is pure if any list says
// so.
func (m meaning) gravest() string {
	if _, ok := m.in("pure"); ok {
		return "pure"
	}
	for _, k := range kinds {
		if _, ok := m.in(k); ok {
			return k
		}
	}
	return ""
}

// has reports whether a list of that kind has the name.
func (n names) has(kind, name string) bool {
	_, ok := n.suffix(kind, name)
	return ok
}

// suffix returns what follows a name in the list of a kind: "@1".
func (n names) suffix(kind, name string) (string, bool) {
	m := n[name]
	return m.in(kind)
}

// kinds are those that a call can have, the gravest first.
var kinds = [...]string{"unknown", "code", "shell", "argv", "net", "delete", "write", "open",
	"load", "sql", "env", "read", "module", "home", "join", "pure"}

// kind returns what the name itself means, or "".
func (n names) kind(name string) string { return n[name].call }

// find returns what a name means by itself, or by its module or its last piece, or "".
func (n names) find(full string) string {
	k, _ := n.look(full)
	return k
}

// look returns what find does, and the name by which the list has it.
func (n names) look(full string) (kind, listed string) {
	if k := n.kind(full); k != "" {
		return k, full
	}
	for piece := range strings.SplitSeq(full, ".") { // x.__self__.y
		if strings.HasPrefix(piece, "__") && n.kind("."+piece) == "unknown" {
			return "unknown", "." + piece
		}
	}
	last := full[strings.LastIndexByte(full, '.')+1:]
	if last != full && n.kind("."+last) == "unknown" {
		return "unknown", "." + last // FileUtils.send
	}
	for i := len(full) - 1; i > 0; i-- {
		if full[i] == '.' {
			if k := n.kind(full[:i] + ".*"); k != "" {
				return k, full[:i] + ".*"
			}
		}
	}
	if i := strings.LastIndexByte(full, '.'); i >= 0 {
		if k := n.kind(full[i:]); k != "" {
			return k, full[i:]
		}
	}
	return "", ""
}

// armed reports whether a module that is handed on as a value could do anything.
func (n names) armed(module string) bool { return n.has("armed", module) }
