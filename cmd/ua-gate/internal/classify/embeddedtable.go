package classify

import (
	"bytes"
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

// Embedded returns the whole table that comes with the program, with the examples of
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
	text string
	next int // where the first row begins that nobody has looked for yet
	// the keys of the rows before it, "sort" or "cp, gcp", each between line ends
	keys   []byte
	starts []int32          // where each key begins in keys
	rows   []int32          // where each row begins in the text
	places map[string]int32 // from names to rows, once enough have been asked for
	asked  int              // how many names have been
	vars   bool             // the variables have been decoded
	paths  bool             // the paths have been
}

// rowHead begins a row: [command.NAME] or [command."NAME, NAME"].
const rowHead = "[command."

// listsHead begins the tables behind the rows.
const listsHead = "\n[env]\n"

// lazyTable returns the table of a text in the layout that commands.toml promises, of
// which a row is decoded when it is asked for.
func lazyTable(text string) *Table {
	lazy := &lazyText{text: text, starts: make([]int32, 0, 1024), rows: make([]int32, 0, 1024)}
	lazy.keys = append(make([]byte, 0, 1<<15), '\n')
	lazy.next = nextRow(text, 0)
	return &Table{rows: map[string]*row{}, lazy: lazy}
}

// grow finds the next row of the text. It reports false when there is none.
func (l *lazyText) grow() bool {
	if l.next == len(l.text) {
		return false
	}
	key, _, _ := strings.Cut(l.text[l.next+len(rowHead):], "]\n")
	l.starts = append(l.starts, int32(len(l.keys)))
	l.rows = append(l.rows, int32(l.next))
	l.keys = append(append(l.keys, strings.Trim(key, `"`)...), '\n')
	l.next = nextRow(l.text, l.next+1)
	return true
}

// key returns the key of a row.
func (l *lazyText) key(row int) string {
	key, _, _ := strings.Cut(l.text[int(l.rows[row])+len(rowHead):], "]\n")
	return strings.Trim(key, `"`)
}

// row returns the text of a row, which begins with its key.
func (l *lazyText) row(i int) string {
	end := l.next
	if i+1 < len(l.rows) {
		end = int(l.rows[i+1])
	}
	row, _, _ := strings.Cut(l.text[int(l.rows[i])+len(rowHead):end], listsHead)
	return row
}

// nextRow returns where the first row that doesn't begin before the byte begins, or the
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

// place returns the number of the row of that name, or -1.
func (l *lazyText) place(name string) int {
	if l.asked++; l.asked <= fewNames {
		return l.search(name)
	}
	if l.places == nil {
		for l.grow() {
			continue
		}
		l.places = make(map[string]int32, 9000)
		for i := range l.rows {
			for n := range namesIn(l.key(i)) {
				l.places[n] = int32(i)
			}
		}
		l.keys, l.starts = nil, nil // which nobody searches any more
	}
	if i, ok := l.places[name]; ok {
		return int(i)
	}
	return -1
}

// search looks for a name in the keys themselves, and then in those of the rows that
// have not been found yet.
func (l *lazyText) search(name string) int {
	if name == "" {
		return -1
	}
	row := l.known(name, 0)
	for row < 0 && l.grow() {
		row = l.known(name, int(l.starts[len(l.starts)-1])-1)
	}
	return row
}

// known looks for a name in the keys from that byte on, which is a line end.
func (l *lazyText) known(name string, from int) int {
	for {
		i := bytes.Index(l.keys[from:], []byte(name))
		if i < 0 {
			return -1
		}
		at, end := from+i, from+i+len(name)
		begins := at > 0 && (l.keys[at-1] == '\n' || bytes.HasSuffix(l.keys[:at], []byte(", ")))
		if begins && end < len(l.keys) && (l.keys[end] == ',' || l.keys[end] == '\n') {
			row, _ := slices.BinarySearch(l.starts, int32(at+1))
			return row - 1
		}
		from = at + 1
	}
}

// decode reads the row of that name. It is nil if there is none.
func (t *Table) decode(name string) *row {
	i := t.lazy.place(name)
	if i < 0 {
		return nil
	}
	p := tableParser{t: t, like: func(name string) (rowText, bool) {
		if i := t.lazy.place(name); i >= 0 {
			return plainRow(t.lazy.row(i)), true
		}
		return rowText{}, false
	}}
	if p.row(t.lazy.key(i), plainRow(t.lazy.row(i))) != nil {
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
		case key == "own":
			r.Own = val
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
	from := strings.LastIndex(l.text, listsHead)
	if from < 0 {
		return list
	}
	for key, val := range plainKeys(l.text[from:]) {
		if strings.HasPrefix(key, "[") {
			at = key
		} else if at == head {
			list[key] = val
		}
	}
	return list
}

// variables returns the table's rules for variables.
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

// places returns the table with its rules for paths.
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
