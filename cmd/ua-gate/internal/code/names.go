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

// look returns what a name means by itself, by its module or by its last piece, and the name by
// which the list has it; or "". A member that is named like a module is that module, so that a
// module's other members are known only up to there.
func (n names) look(full string) (kind, listed string) {
	if k := n.kind(full); k != "" {
		return k, full
	}
	first, rest, member := strings.Cut(full, ".")
	mild := !strings.Contains(full, ".class.") // in Ruby another object
	for piece := range strings.SplitSeq(full, ".") {
		if n.kind("."+piece) == "unknown" {
			return "unknown", "." + piece
		}
		mild = mild && (piece == first || !n.has("std", piece) && !n.has("armed", piece) &&
			!strings.HasPrefix(piece, "_"))
	}
	if !member {
		return "", ""
	}
	// What a module says of itself: json.__version__.
	i := strings.LastIndexByte(full, '.')
	if k := n.kind(full[i:]); k == "pure" && strings.HasPrefix(full[i:], ".__") {
		return k, full[i:]
	}
	for i := len(full) - 1; i > 0; i-- {
		if full[i] != '.' {
			continue
		}
		if k := n.kind(full[:i] + ".*"); k != "" && (mild || k != "pure") {
			return k, full[:i] + ".*"
		}
		// Of a module only what is listed is known.
		if n.has("std", full[:i]) || n.has("armed", full[:i]) {
			return "", ""
		}
		// A method of what a listed name is: sys.argv.index.
		if k := n.kind(full[:i]); i < len(full) && k != "" && first != "" {
			if k == "pure" || k == "join" {
				return n.look(full[i:])
			}
		}
	}
	// Each member but the last has to be listed, too: a value's x.y.z().
	if k := n.kind(full[i:]); k != "pure" || first != "" {
		return k, full[i:]
	}
	for piece := range strings.SplitSeq(rest, ".") {
		if k := n.kind("." + piece); k == "" {
			return "", ""
		}
	}
	return "pure", full[i:]
}
