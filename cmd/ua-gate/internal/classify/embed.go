package classify

import (
	_ "embed" // for rowsText
	"slices"
	"strings"

	"ua/internal/common/secret"
)

// rowsText is the embedded table. A gate that starts decodes only the rows that
// its commands ask for.
//
//go:embed commands.toml
var rowsText string

// Embedded is the whole table that comes with the program, with the examples of
// its rows.
func Embedded() (*Table, error) {
	t, err := ParseTable("commands.toml", rowsText)
	if err == nil {
		t.paths.addSecrets()
	}
	return t, err
}

// addSecrets takes in the places and names of secrets that all programs share.
func (l *pathRules) addSecrets() {
	for _, p := range secret.Paths() {
		name := p.Name
		switch {
		case p.Kernel:
			continue
		case !p.Absolute && !p.Anywhere:
			name = "~/" + name
		}
		if p.Folder {
			name += "/"
		}
		l.add(name, pathSecret)
	}
	for _, name := range secret.Names() {
		l.add(name, pathPrivate)
	}
	for _, name := range secret.PublicNames() {
		l.add(name, pathPublic)
	}
}

// A lazyText is a table's text in which rows are found by their names.
type lazyText struct {
	keys   string         // the keys of all rows, "sort" or "cp, gcp", each between line ends
	starts []int          // where each key begins in keys
	rows   []string       // each row's text, which begins with its key
	places map[string]int // from names to rows, once enough have been asked for
	asked  int            // how many names have been
	lists  string         // the tables of variables and paths, which end the text
	vars   bool           // the variables have been decoded
	paths  bool           // the paths have been
}

// rowHead begins a row: [command.NAME] or [command."NAME, NAME"].
const rowHead = "[command."

// lazyTable is the table of a text in the layout that commands.toml promises, of
// which a row is decoded when it is asked for.
func lazyTable(text string) *Table {
	lazy := &lazyText{starts: make([]int, 0, 1024), rows: make([]string, 0, 1024)}
	keys := make([]byte, 1, 1<<15)
	keys[0] = '\n'
	for from := nextRow(text, 0); from < len(text); {
		end := nextRow(text, from+1)
		row := text[from+len(rowHead) : end]
		key, _, _ := strings.Cut(row, "]\n")
		lazy.starts = append(lazy.starts, len(keys))
		lazy.rows = append(lazy.rows, row)
		keys = append(append(keys, strings.Trim(key, `"`)...), '\n')
		from = end
	}
	lazy.keys = string(keys)
	if last := len(lazy.rows) - 1; last >= 0 {
		lazy.rows[last], lazy.lists, _ = strings.Cut(lazy.rows[last], "\n[env]\n")
	}
	return &Table{rows: map[string]*row{}, lazy: lazy}
}

// key is the key of a row.
func (l *lazyText) key(row int) string {
	key, _, _ := strings.Cut(l.keys[l.starts[row]:], "\n")
	return key
}

// nextRow is where the first row that doesn't begin before the byte begins, or the
// text's length. A table of sub-commands, [command.NAME.subs], belongs to its row. It
// looks for one byte at a time, which is much faster than for the whole rowHead.
func nextRow(text string, from int) int {
	for {
		i := strings.IndexByte(text[from:], '[')
		if i < 0 {
			return len(text)
		}
		if from += i; text[max(0, from-1)] == '\n' && strings.HasPrefix(text[from:], rowHead) {
			line, _, _ := strings.Cut(text[from:], "\n")
			if !strings.HasSuffix(line, ".subs]") {
				return from
			}
		}
		from++
	}
}

// fewNames is how many names are looked for in the keys themselves. A map is
// faster for each name, but takes as long to make as these.
const fewNames = 16

// place is the number of the row of that name, or -1.
func (l *lazyText) place(name string) int {
	if l.asked++; l.asked <= fewNames {
		return l.search(name)
	}
	if l.places == nil {
		l.places = make(map[string]int, 4096)
		for i := range l.rows {
			for n := range namesIn(l.key(i)) {
				l.places[n] = i
			}
		}
	}
	if i, ok := l.places[name]; ok {
		return i
	}
	return -1
}

// search looks for a name in the keys themselves.
func (l *lazyText) search(name string) int {
	for from := 0; name != ""; {
		i := strings.Index(l.keys[from:], name)
		if i < 0 {
			break
		}
		at, end := from+i, from+i+len(name)
		begins := at > 0 && (l.keys[at-1] == '\n' || strings.HasSuffix(l.keys[:at], ", "))
		if begins && end < len(l.keys) && (l.keys[end] == ',' || l.keys[end] == '\n') {
			row, _ := slices.BinarySearch(l.starts, at+1)
			return row - 1
		}
		from = at + 1
	}
	return -1
}

// decode reads the row of that name. It is nil if there is none.
func (t *Table) decode(name string) *row {
	i := t.lazy.place(name)
	if i < 0 {
		return nil
	}
	p := tableParser{t: t, like: func(name string) (rowText, bool) {
		if i := t.lazy.place(name); i >= 0 {
			return plainRow(t.lazy.rows[i]), true
		}
		return rowText{}, false
	}}
	if p.row(t.lazy.key(i), plainRow(t.lazy.rows[i])) != nil {
		return nil
	}
	return t.rows[name]
}

// plainRow reads the text of one row, without its examples.
func plainRow(text string) (r rowText) {
	subs := false
	for key, val := range plainKeys(text) {
		switch {
		case strings.HasPrefix(key, "["):
			subs = strings.HasSuffix(key, ".subs]")
		case subs || strings.HasPrefix(key, "subs."):
			if r.Subs == nil {
				r.Subs = map[string]string{}
			}
			r.Subs[strings.TrimPrefix(key, "subs.")] = val
		case key == "level":
			r.Level = val
		case key == "alone":
			r.Alone = val
		case key == "facts":
			r.Facts = val
		case key == "reader":
			r.Reader = val
		case key == "flags":
			r.Flags = val
		case key == "operands":
			r.Operands = val
		case key == "like":
			r.Like = val
		case key == "why":
			r.Why = val
		}
	}
	return r
}

// list decodes one of the lists that end the text, by kind.
func (l *lazyText) list(head string) map[string]string {
	list := map[string]string{}
	at := "[env]"
	for key, val := range plainKeys(l.lists) {
		if strings.HasPrefix(key, "[") {
			at = key
		} else if at == head {
			list[key] = val
		}
	}
	return list
}

// variables are the table's rules for variables.
func (t *Table) variables() *variables {
	if t.lazy != nil && !t.lazy.vars {
		t.lazy.vars = true
		p := tableParser{t: t}
		if p.env(t.lazy.list("[env]")) != nil {
			t.vars = variables{}
		}
	}
	return &t.vars
}

// places is the table with its rules for paths.
func (t *Table) places() *Table {
	if t.lazy != nil && !t.lazy.paths {
		t.lazy.paths = true
		p := tableParser{t: t}
		if p.path(t.lazy.list("[path]")) != nil {
			t.paths = pathRules{}
		}
		t.paths.addSecrets()
	}
	return t
}
