package classify

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"ua/cmd/ua-gate/internal/code"
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

// ParseTable reads the rows of a policy, whose keys are those of rowText; ua-policy(5) has them.
// The name stands in errors: "policy.toml:14: …". Keys other than command, env
// and path are another's and are passed over.
func ParseTable(name, text string) (*Table, error) {
	var doc tableText
	if _, err := toml.Decode(text, &doc); err != nil {
		if perr, ok := err.(toml.ParseError); ok {
			return nil, fmt.Errorf("%s:%d: %s", name, perr.Position.Line, perr.Message)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &Table{rows: map[string]*row{}}
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

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
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
	r := row{alone: noLevel, reader: text.Reader, why: text.Why}
	var err error
	if r.level, err = verdict.ParseLevel(text.Level); err != nil {
		return p.errorf(at, "%q: level: %v", names, err)
	}
	if text.Alone != "" {
		if r.alone, err = verdict.ParseLevel(text.Alone); err != nil {
			return p.errorf(at, "%q: alone: %v", names, err)
		}
	}
	for _, f := range strings.Fields(text.Facts) {
		i := slices.Index(factNames, f)
		if i < 0 {
			return p.errorf(at, "%q: unknown fact %q", names, f)
		}
		r.facts |= 1 << i
	}
	if r.flags, err = parseFlags(text.Flags); err != nil {
		return p.errorf(at, "%q: flags: %v", names, err)
	}
	if r.slots, err = parseSlots(text.Operands); err != nil {
		return p.errorf(at, "%q: operands: %v", names, err)
	}
	if r.subs, err = parseSubs(text.Subs); err != nil {
		return p.errorf(at, "%q: subs: %v", names, err)
	}
	if r.reader != "" && !inList(readers, r.reader) && !code.Knows(r.reader) {
		return p.errorf(at, "%q: unknown reader %q", names, r.reader)
	}
	// All names of a line share one row; what holds for single ones comes behind it.
	for name := range namesIn(names) {
		r.name = cmp.Or(r.name, name)
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
func (p *tableParser) own(names string, r *row, line string) error {
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
			mine.facts |= 1 << slices.Index(factNames, item)
		case item[0] == '(':
			var err error
			if mine.slots, err = parseSlots(strings.Trim(item, "()")); err != nil {
				return err
			}
		case level < 0 || len(letter) != 1:
			return fmt.Errorf("unknown item %q", item)
		case words == "":
			if level == write && r.level < write && !strings.HasPrefix(list, "-") {
				mine.slots = []slot{{what: isWrite, level: noLevel, star: true}}
			}
			mine.level, mine.alone = level, noLevel
		default:
			mine.subs = slices.DeleteFunc(slices.Clone(mine.subs), func(s sub) bool {
				return slices.Contains(strings.Split(words, "|"), s.name)
			})
			for name := range strings.SplitSeq(words, "|") {
				mine.subs = append(mine.subs, sub{name, level})
			}
		}
	}
	if len(r.subs) == 0 && len(mine.subs) > 0 {
		mine.facts |= factOpen
	}
	slices.SortFunc(mine.subs, func(a, b sub) int { return cmp.Compare(a.name, b.name) })
	known, err := parseFlags(strings.Join(flags, " "))
	mine.flags = append(known, r.flags...)
	for name := range strings.FieldsSeq(list) {
		if name[0] == '-' {
			r.modes = append(r.modes, mode{name, &mine})
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

func (p *tableParser) examples(at string, r row, text rowText) {
	line := p.line(at)
	add := func(list []string, want string) {
		for _, s := range list {
			e := Example{Command: s, Want: want, Row: r.name, Line: line}
			if name, cmd, ok := strings.Cut(s, ": "); ok {
				if _, err := verdict.ParseLevel(name); err == nil {
					e.Command, e.Want = cmd, name
				}
			}
			p.t.examples = append(p.t.examples, e)
		}
	}
	add(text.Match, r.level.String())
	add(text.Not, "not "+r.level.String())
}

// levelLetters are the levels' short names in flags and operands.
const levelLetters = "RBWDNPX"

// parseFlags reads a row's flags: "-o|--output:write -f:D -n:=R -k:1".
func parseFlags(text string) ([]flag, error) {
	words := strings.Fields(text)
	flags := make([]flag, 0, len(words)+strings.Count(text, "|"))
	for _, f := range words {
		name, effects, _ := strings.Cut(f, ":")
		if i := strings.LastIndexByte(f, ':'); f[0] == '?' && i > 0 {
			name, effects = f[:i], f[i+1:]
		}
		if !strings.ContainsAny(f[:1], "-+?") {
			return nil, fmt.Errorf("%q does not begin with a dash", f)
		}
		fl := flag{level: noLevel}
		for e := range strings.SplitSeq(effects, ",") {
			if e == "" {
				continue
			}
			if err := fl.add(e); err != nil {
				return nil, fmt.Errorf("%q: %w", f, err)
			}
		}
		for fl.name = range strings.SplitSeq(name, "|") {
			flags = append(flags, fl)
		}
	}
	return flags, nil
}

func (f *flag) add(e string) error {
	level, base := strings.CutPrefix(e, "=")
	if len(level) == 1 && strings.Contains(levelLetters, level) {
		f.level, f.base = verdict.Level(strings.Index(levelLetters, level)), base
		return nil
	}
	switch e {
	case "first":
		f.drop = 1
		return nil
	case "last":
		f.drop = 2
		return nil
	case "all", "takes", "clears":
		f.all, f.takes, f.clears = f.all || e == "all", f.takes || e == "takes",
			f.clears || e == "clears"
		return nil
	}
	i := slices.Index(effectNames, e)
	if i < 0 {
		return fmt.Errorf("unknown effect %q", e)
	}
	f.value = effect(i)
	return nil
}

// parseSlots reads what a row's operands are: "1 read*", "read* write".
func parseSlots(text string) ([]slot, error) {
	var slots []slot
	for _, s := range strings.Fields(text) {
		sl := slot{level: noLevel}
		s, sl.star = strings.CutSuffix(s, "*")
		for _, e := range strings.Split(s, ",") {
			if len(e) == 1 && strings.Contains(levelLetters, e) {
				sl.level = verdict.Level(strings.Index(levelLetters, e))
				continue
			}
			i := slices.Index(effectNames, e)
			if i < 0 {
				return nil, fmt.Errorf("unknown effect %q", e)
			}
			sl.what = effect(i)
		}
		slots = append(slots, sl)
	}
	return slots, nil
}

func parseSubs(lists map[string]string) ([]sub, error) {
	var subs []sub
	for _, name := range sortedKeys(lists) {
		level, err := verdict.ParseLevel(name)
		if err != nil {
			return nil, err
		}
		for _, s := range strings.Fields(lists[name]) {
			subs = append(subs, sub{s, level})
		}
	}
	slices.SortFunc(subs, func(a, b sub) int { return cmp.Compare(a.name, b.name) })
	for i := range subs[:max(0, len(subs)-1)] {
		if subs[i].name == subs[i+1].name {
			return nil, fmt.Errorf("%q stands twice", subs[i].name)
		}
	}
	return subs, nil
}
