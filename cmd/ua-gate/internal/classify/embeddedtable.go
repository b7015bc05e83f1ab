package classify

import (
	_ "embed" // for rowsText
	"strings"

	"ua/internal/common/secret"
)

// rowsText is the embedded table. A gate that starts reads only the rows that its commands
// ask for.
//
//go:embed commands.txt
var rowsText string

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
	text  string
	index []uint32 // where names begin in the text, plus 1, by their hashes; a power of 2 long
	next  int      // where the first line begins that is not in the index yet
	// of the names on the line before it
	program nameHash // that of which the next lines may be sub-commands
	before  nameHash // what stands before each of the names
	naming  bool     // they go on
	vars    bool     // the variables have been read
	paths   bool     // the paths have been
}

// lazyTable returns the table of a text in the grammar of commands.txt, of which a row is
// read when it is asked for.
func lazyTable(text string) *Table {
	return &Table{rows: map[string]*row{}, lazy: &lazyText{text: text}}
}

// A nameHash is the hash of a name as far as it has been read (FNV-1a).
type nameHash uint32

const noBytes nameHash = 2166136261

func (h nameHash) add(text string) nameHash {
	for i := range len(text) {
		h = (h ^ nameHash(text[i])) * 16777619
	}
	return h
}

// grow takes the names of the next line into the index.
func (l *lazyText) grow() {
	end, begin := len(l.text), l.next
	if i := strings.IndexByte(l.text[begin:], '\n'); i >= 0 {
		end = begin + i
	}
	for begin < end && l.text[begin] == ' ' {
		begin++
	}
	line := tableLine{indent: begin - l.next, text: l.text[begin:end]}
	l.next = min(end+1, len(l.text))
	names := line.text != "" && line.text[0] != '#'
	switch {
	case !names: // nothing, or a comment
		l.naming = false
	case line.indent == 0:
		l.before, l.naming = noBytes, names
		l.program = noBytes.add(line.text[:nameEnd(line.text)]).add(" ")
	case line.indent == 2:
		l.before, l.naming = l.program, !line.isList()
	}
	for l.naming && begin < end {
		stop := begin + nameEnd(l.text[begin:end])
		h := l.before.add(l.text[begin:stop])
		for l.index[h%nameSlots] != 0 {
			h++
		}
		l.index[h%nameSlots] = uint32(begin) + 1
		l.naming, begin = stop < end && l.text[stop] == ',', stop+2
	}
}

// nameSlots is the length of the index.
const nameSlots = 1 << 14

// nameEnd returns where the name ends with which a line, or what is left of it, begins.
func nameEnd(line string) int {
	for i := range len(line) {
		if (line[i] == ',' || line[i] == ':') && (i+1 == len(line) || line[i+1] == ' ' ||
			line[i+1] == '\n') {
			return i
		}
	}
	return len(line)
}

// row returns the row of that name as it is written.
func (l *lazyText) row(name string) (r namedRow, ok bool) {
	if l.index == nil {
		l.index = make([]uint32, nameSlots)
	}
	for h := noBytes.add(name); ; h++ {
		for l.index[h%nameSlots] == 0 && l.next < len(l.text) {
			l.grow()
		}
		at := int(l.index[h%nameSlots]) - 1
		if at < 0 {
			return r, false
		}
		begin, program := l.begin(at)
		word, sub := strings.CutPrefix(name, program+" ")
		line, _, _ := strings.Cut(l.text[at:], "\n")
		if sub == (program != "") && line[:nameEnd(line)] == word {
			for r, err := range tableRows(l.text[begin:], program) {
				return r, err == nil
			}
		}
	}
}

// begin returns where the row begins of which a name stands at that byte, and the program whose
// sub-command it is.
func (l *lazyText) begin(at int) (begin int, program string) {
	begin = strings.LastIndexByte(l.text[:at], '\n') + 1
	for begin > 1 && strings.HasPrefix(l.text[begin:], "    ") && l.text[begin-2] == ',' {
		begin = strings.LastIndexByte(l.text[:begin-1], '\n') + 1
	}
	top := begin
	for top > 0 && strings.IndexByte(" \n#", l.text[top]) >= 0 {
		top = strings.LastIndexByte(l.text[:top-1], '\n') + 1
	}
	if top < begin {
		line, _, _ := strings.Cut(l.text[top:], "\n")
		program = line[:nameEnd(line)]
	}
	return begin, program
}

// read reads the row of that name. It is nil if there is none.
func (t *Table) read(name string) *row {
	r, ok := t.lazy.row(name)
	if !ok || r.list != "" {
		return nil
	}
	p := tableParser{t: t, like: func(name string) (rowText, bool) {
		r, ok := t.lazy.row(name)
		return r.text, ok
	}}
	if p.row(r.names, r.text) != nil {
		return nil
	}
	return t.rows[name]
}

// lists returns the lists at the text's head whose names begin with that byte, by kind.
func (l *lazyText) lists(begin byte) map[string]string {
	lists := map[string]string{}
	for r := range tableRows(l.text, "") {
		if r.list == "" {
			break
		}
		if r.names[0] == begin {
			lists[r.names[1:]] = r.list
		}
	}
	return lists
}

// variables returns the table's rules for variables.
func (t *Table) variables() *variables {
	if t.lazy != nil && !t.lazy.vars {
		t.lazy.vars = true
		p := tableParser{t: t}
		if p.env(t.lazy.lists('$')) != nil {
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
		if p.path(t.lazy.lists('/')) != nil {
			t.paths = pathRules{}
		}
		t.paths.addSecrets()
	}
	return t
}
