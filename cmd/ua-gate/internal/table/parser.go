package table

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"ua/cmd/ua-gate/internal/code"
	"ua/cmd/ua-gate/internal/match"
	"ua/internal/common/verdict"
)

// rowText is a row as it stands in a table's text.
type rowText struct {
	Level    string            `toml:"level"`
	Alone    string            `toml:"alone"`
	Facts    string            `toml:"facts"`
	Reader   string            `toml:"reader"`
	Flags    string            `toml:"flags"`
	Operands string            `toml:"operands"`
	Subs     map[string]string `toml:"subs"`
	Like     string            `toml:"like"`
	Own      string            `toml:"own"`
	Why      string            `toml:"why"`
	Match    []string          `toml:"match"`
	Not      []string          `toml:"not"`
}

// tableText is the table's text: rows by their names, and the lists.
type tableText struct {
	Command map[string]rowText `toml:"command"`
	Env     map[string]string  `toml:"env"`
	Path    map[string]string  `toml:"path"`
}

// Parse reads the rows of a policy, whose keys are those of rowText; ua-policy(5) has them.
// The name stands in errors: "policy.toml:14: …". Keys other than command, env
// and path are another's and are passed over.
func Parse(name, text string) (*Table, error) {
	var doc tableText
	if _, err := toml.Decode(text, &doc); err != nil {
		if perr, ok := err.(toml.ParseError); ok {
			return nil, fmt.Errorf("%s:%d: %s", name, perr.Position.Line, perr.Message)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &Table{rows: map[string]*Row{}}
	like := map[string]rowText{}
	for names, r := range doc.Command {
		for n := range namesIn(names) {
			like[n] = r
		}
	}
	p := tableParser{file: name, lines: strings.Split(text, "\n"), t: t}
	p.like = func(name string) (r rowText, ok bool) { r, ok = like[name]; return r, ok }
	for _, names := range sortedKeys(doc.Command) {
		if err := p.row(names, doc.Command[names]); err != nil {
			return nil, err
		}
	}
	if err := p.env(doc.Env); err != nil {
		return nil, err
	}
	return t, p.path(doc.Path)
}

// A tableParser reads the rows of one table into t. Its errors name the line that is wrong.
type tableParser struct {
	file  string
	lines []string // of the file; nil where examples and places don't matter
	t     *Table
	like  func(name string) (rowText, bool) // a row by one of its names
	first int                               // in place of lines: that of the row
}

// namesIn yields the programs of a row's key, which commas part.
func namesIn(key string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := range strings.SplitSeq(key, ",") {
			if !yield(strings.TrimSpace(n)) {
				return
			}
		}
	}
}

// line returns where the row begins, or else where the text first names what is wrong.
func (p *tableParser) line(what string) int {
	for i, l := range p.lines {
		if strings.Contains(l, what) {
			return i + 1
		}
	}
	return max(1, p.first)
}

func (p *tableParser) errorf(near, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.file, p.line(near), fmt.Sprintf(format, args...))
}

// row reads one row. Its key may name several programs, parted by commas.
func (p *tableParser) row(names string, text rowText) error {
	at := `"` + names + `"`
	if !strings.ContainsAny(names, " ,.+") {
		at = "[command." + names + "]"
		if p.line(at) == 1 {
			at = names
		}
	}
	if text.Like != "" {
		model, ok := p.like(text.Like)
		if !ok {
			return p.errorf(at, "like: no row %q", text.Like)
		}
		text = inherit(text, model)
	}
	r := Row{Alone: NoLevel, Reader: text.Reader, Why: text.Why}
	var err error
	if r.Level, err = verdict.ParseLevel(text.Level); err != nil {
		return p.errorf(at, "%q: level: %v", names, err)
	}
	if text.Alone != "" {
		if r.Alone, err = verdict.ParseLevel(text.Alone); err != nil {
			return p.errorf(at, "%q: alone: %v", names, err)
		}
	}
	for _, f := range strings.Fields(text.Facts) {
		i := slices.Index(factNames, f)
		if i < 0 {
			return p.errorf(at, "%q: unknown fact %q", names, f)
		}
		r.Facts |= 1 << i
	}
	if r.Flags, err = parseFlags(text.Flags); err != nil {
		return p.errorf(at, "%q: flags: %v", names, err)
	}
	if r.Slots, err = parseSlots(text.Operands); err != nil {
		return p.errorf(at, "%q: operands: %v", names, err)
	}
	if r.Subs, err = parseSubs(text.Subs); err != nil {
		return p.errorf(at, "%q: subs: %v", names, err)
	}
	if r.Reader != "" && !match.InList(readers, r.Reader) && !code.Knows(r.Reader) {
		return p.errorf(at, "%q: unknown reader %q", names, r.Reader)
	}
	// All names of a line share one row; what holds for single ones comes behind it.
	for name := range namesIn(names) {
		r.Name = cmp.Or(r.Name, name)
		if p.t.rows[name] != nil {
			return fmt.Errorf("%s:%d: a second row for %q", p.file, p.line(name), name)
		}
		p.t.rows[name] = &r
	}
	for line := range strings.Lines(text.Own) {
		if err = p.own(names, &r, line); err != nil {
			return p.errorf(strings.TrimSpace(line), "%q: own: %v", names, err)
		}
	}
	if p.lines != nil {
		p.examples(at, r, text)
	}
	return nil
}

// readers are the names of what reads words or code that no row can describe; package code has
// more, of languages.
const readers = " awk builtin echo eval fd find fish gdb git inside mv parallel perl python ruby" +
	" runner scripts sed shell sql stdin-names unread xargs "

// own reads a line of what holds for single programs of a row, as "airport nettop: =N -z:W rm:D":
// their level, facts, flags, which come before the row's, and sub-commands; or for all where a
// flag is given, with what the operands are then, as "-x: =W (list*)".
func (p *tableParser) own(names string, r *Row, line string) error {
	list, items, _ := strings.Cut(strings.TrimSpace(line), ": ")
	mine := *r
	var flags []string
	for item := range strings.FieldsSeq(items) {
		end := strings.LastIndexAny(item, ":=") + 1
		words, letter := item[:max(0, end-1)], item[end:]
		level := verdict.Level(strings.Index(levelLetters, letter))
		switch {
		case item[0] == '-' || item[0] == '+':
			flags = append(flags, item)
		case slices.Contains(factNames, item):
			mine.Facts |= 1 << slices.Index(factNames, item)
		case item[0] == '(':
			var err error
			if mine.Slots, err = parseSlots(strings.Trim(item, "()")); err != nil {
				return err
			}
		case level < 0 || len(letter) != 1:
			return fmt.Errorf("unknown item %q", item)
		case words == "":
			if level == verdict.Write && r.Level < verdict.Write && !strings.HasPrefix(list, "-") {
				mine.Slots = []Slot{{What: IsWrite, Level: NoLevel, Star: true}}
			}
			mine.Level, mine.Alone = level, NoLevel
		default:
			mine.Subs = slices.DeleteFunc(slices.Clone(mine.Subs), func(s sub) bool {
				return slices.Contains(strings.Split(words, "|"), s.name)
			})
			for name := range strings.SplitSeq(words, "|") {
				mine.Subs = append(mine.Subs, sub{name, level})
			}
		}
	}
	if len(r.Subs) == 0 && len(mine.Subs) > 0 {
		mine.Facts |= FactOpen
	}
	slices.SortFunc(mine.Subs, func(a, b sub) int { return cmp.Compare(a.name, b.name) })
	known, err := parseFlags(strings.Join(flags, " "))
	mine.Flags = append(known, r.Flags...)
	for name := range strings.FieldsSeq(list) {
		if name[0] == '-' {
			r.Modes = append(r.Modes, mode{name, &mine})
			continue
		}
		if p.t.rows[name] != r {
			return fmt.Errorf("%q is not in the row, or stands twice", name)
		}
		p.t.rows[name] = &mine
	}
	return err
}

// inherit returns the row with what it leaves out taken from another.
func inherit(r, model rowText) rowText {
	r.Level = cmp.Or(r.Level, model.Level)
	r.Alone = cmp.Or(r.Alone, model.Alone)
	r.Reader = cmp.Or(r.Reader, model.Reader)
	r.Facts = cmp.Or(r.Facts, model.Facts)
	r.Operands = cmp.Or(r.Operands, model.Operands)
	r.Why = cmp.Or(r.Why, model.Why)
	r.Flags += " " + model.Flags
	if r.Subs == nil {
		r.Subs = model.Subs
	}
	return r
}

func (p *tableParser) examples(at string, r Row, text rowText) {
	line := p.line(at)
	add := func(list []string, want string) {
		for _, s := range list {
			e := Example{Command: s, Want: want, Row: r.Name, Line: line}
			if name, cmd, ok := strings.Cut(s, ": "); ok {
				if _, err := verdict.ParseLevel(name); err == nil {
					e.Command, e.Want = cmd, name
				}
			}
			p.t.examples = append(p.t.examples, e)
		}
	}
	add(text.Match, r.Level.String())
	add(text.Not, "not "+r.Level.String())
}

func (p *tableParser) path(lists map[string]string) error {
	rules := &p.t.paths
	rules.chains = make(map[string]int, 640)
	rules.named = make([]pathRule, 0, 768)
	for _, kind := range sortedKeys(lists) {
		k := slices.Index(pathKinds, kind)
		if k < 0 {
			return p.errorf(kind, "path: unknown kind %q", kind)
		}
		for text := range strings.FieldsSeq(lists[kind]) {
			rules.add(text, 1<<k)
		}
	}
	return nil
}

func (p *tableParser) env(lists map[string]string) error {
	p.t.vars.named = make(map[string]VarKind, 1024)
	for _, kind := range sortedKeys(lists) {
		k := slices.Index(varKinds, kind)
		if k < 0 {
			return p.errorf(kind, "env: unknown kind %q", kind)
		}
		for name := range strings.FieldsSeq(lists[kind]) {
			if strings.Contains(name, "*") {
				p.t.vars.wild = append(p.t.vars.wild, variable{name, VarKind(k)})
			} else {
				p.t.vars.named[name] = max(p.t.vars.named[name], VarKind(k))
			}
		}
	}
	slices.SortStableFunc(p.t.vars.wild, func(a,
		b variable) int {
		return len(b.name) - len(a.name)
	})
	return nil
}
