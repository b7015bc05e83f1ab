package table

import (
	_ "embed"
	"strings"

	"ua/internal/common/secret"
)

// rowsText is the embedded table. A gate that starts reads only the rows that its commands
// ask for.
//
//go:embed commands.txt
var rowsText string

// Embedded returns the table that comes with the program.
func Embedded() *Table { return lazyTable(rowsText) }

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
		l.add(name, PathSecret)
	}
	for _, name := range secret.Names() {
		l.add(name, PathPrivate)
	}
	for _, name := range secret.PublicNames() {
		l.add(name, PathPublic)
	}
}

// lazyTable returns the table of a text in the grammar of commands.txt, of which a row is
// read when it is asked for.
func lazyTable(text string) *Table {
	return &Table{rows: map[string]*Row{}, lazy: &lazyText{text: text}}
}

// Find returns the row of that name, or nil.
func (t *Table) Find(name string) *Row {
	if t == nil {
		return nil
	}
	if r, ok := t.rows[name]; ok || t.lazy == nil {
		return r
	}
	return t.read(name)
}

// Variable returns what setting the variable means, if the table knows it.
func (t *Table) Variable(name string) (VarKind, bool) {
	if t == nil {
		return 0, false
	}
	if t.lazy != nil && !t.lazy.vars {
		t.lazy.vars = true
		p := tableParser{t: t}
		if p.env(t.lazy.lists('$')) != nil {
			t.vars = variables{}
		}
	}
	return t.vars.kind(name)
}

// Kinds returns what the place is, by all rules of the table.
func (t *Table) Kinds(p *Place) (k PathKind) {
	if t == nil {
		return 0
	}
	rules, begin := &t.places().paths, 0
	if strings.HasPrefix(p.Abs, "/") {
		begin = 1
	}
	for i, name := range p.Names {
		end, plain := begin+len(name), !uncertain(name)
		if plain && (i+1 == len(p.Names) || !uncertain(p.Names[i+1])) {
			k |= rules.chain(name, p, i)
			if i+1 < len(p.Names) {
				k |= rules.chain(p.Abs[begin:end+1+len(p.Names[i+1])], p, i)
			}
		} else {
			k |= matchAll(rules.named, p, i, plain)
		}
		k |= matchAll(rules.wild, p, i, plain)
		begin = end + 1
	}
	if last := len(p.Names) - 1; k&PathSettings != 0 {
		k |= matchAll(rules.told, p, last, !uncertain(p.Names[last]))
	}
	return k
}

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
func (t *Table) read(name string) *Row {
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
