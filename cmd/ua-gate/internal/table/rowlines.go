package table

import (
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strings"

	"ua/internal/common/verdict"
)

// A tableLine is a line of the embedded table with those in which it goes on.
type tableLine struct {
	at     int // where it begins in the text
	indent int
	text   string // without its indent
}

// tableLines yields the lines of a text in the grammar of commands.txt, but for comments.
func tableLines(text string) iter.Seq[tableLine] {
	return func(yield func(tableLine) bool) {
		var l tableLine
		next := 0
		for raw := range strings.Lines(text) {
			at := next
			next += len(raw)
			line := strings.TrimLeft(raw, " ")
			indent := len(raw) - len(line)
			nothing := line == "\n" || line == "" || line[0] == '#'
			if !nothing && l.text != "" && indent == l.indent+4 {
				l.text = text[l.at+l.indent : next]
				continue
			}
			if l.text != "" && !yield(l) {
				return
			}
			if l = (tableLine{}); !nothing {
				l = tableLine{at, indent, line}
			}
		}
		if l.text != "" {
			yield(l)
		}
	}
}

// isList reports whether a line names sub-commands of one level.
func (l tableLine) isList() bool {
	return l.indent > 0 && len(l.text) > 2 && l.text[1] == ' ' && levelOf(l.text[:1]) != ""
}

// A namedRow is a row of the embedded table, or a list: its only name is then $KIND or /KIND.
type namedRow struct {
	at    int // where it begins in the text
	names string
	text  rowText
	list  string
}

// tableRows yields the rows and lists of a text in the grammar of commands.txt, and the first
// line that is wrong. A text may begin at a row of sub-commands, whose program is given.
func tableRows(text, program string) iter.Seq2[namedRow, error] {
	return func(yield func(namedRow, error) bool) {
		var r *namedRow
		indent := 0
		for l := range tableLines(text) {
			var err error
			own, isOwn := strings.CutPrefix(l.text, "only ")
			switch {
			case l.isList() || isOwn:
				switch {
				case r == nil || l.indent != indent+2 || r.list != "":
					err = fmt.Errorf("%q belongs to no row", l.first())
				case isOwn:
					r.text.Own += strings.Join(strings.Fields(own), " ") + "\n"
				default:
					err = r.text.addSubs(l.text)
				}
			default:
				if r != nil && !yield(*r, nil) {
					return
				}
				if l.indent == 0 {
					program = ""
				}
				if r, err = l.row(program); l.indent == 0 && err == nil {
					program, _, _ = strings.Cut(r.names, ",")
				}
				indent = l.indent
			}
			if err != nil {
				yield(namedRow{at: l.at}, err)
				return
			}
		}
		if r != nil {
			yield(*r, nil)
		}
	}
}

// first returns the first words of a line, for errors.
func (l tableLine) first() string {
	first, _, _ := strings.Cut(l.text, "\n")
	return first
}

// row reads the line that begins a row. One that is indented has sub-commands of the program.
func (l tableLine) row(program string) (*namedRow, error) {
	end := 0
	for end < len(l.text) {
		end += nameEnd(l.text[end:]) + 1
		if end <= len(l.text) && l.text[end-1] == ':' {
			break
		}
	}
	if end > len(l.text) || l.text[end-1] != ':' {
		return nil, fmt.Errorf("%q is no row: a colon ends its names", l.first())
	}
	r, rest := &namedRow{at: l.at, names: l.text[:end-1]}, l.text[end:]
	switch {
	case r.names == "", l.indent != 0 && (l.indent != 2 || program == ""):
		return nil, fmt.Errorf("%q is no row", l.first())
	case r.names[0] == '$' || r.names[0] == '/':
		r.list = rest
		return r, nil
	}
	names := slices.Collect(namesIn(r.names))
	next := ",\n" + strings.Repeat(" ", l.indent+4)
	if whole := strings.ReplaceAll(r.names, next, ", "); slices.Contains(names, "") ||
		strings.Join(names, ", ") != whole || strings.Contains(whole, "\n") {
		return nil, fmt.Errorf("%q: a comma and a space part names", l.first())
	}
	for i := range names {
		if program != "" {
			names[i] = program + " " + names[i]
		}
	}
	r.names = strings.Join(names, ", ")
	return r, r.text.parse(rest)
}

// parse reads what stands behind a row's names.
func (r *rowText) parse(line string) error {
	line, why, _ := strings.Cut(line, " ; ")
	r.Why = strings.Join(strings.Fields(why), " ")
	words := strings.Fields(line)
	for i := 0; i < len(words); i++ {
		word := words[i]
		model, like := strings.CutPrefix(word, "like=")
		switch level, alone, _ := strings.Cut(word, "/"); {
		case strings.ContainsRune("-+?", rune(word[0])):
			r.Flags = strings.Join(words[i:], " ")
			return nil
		case like && i == 0:
			r.Like = model
		case i == 0 || r.Like != "" && i == 1 && levelOf(level) != "":
			r.Level, r.Alone = levelOf(level), levelOf(alone)
			if r.Level == "" || len(word) > 1 && r.Alone == "" {
				return fmt.Errorf("unknown level %q", word)
			}
		case word[0] == '@':
			r.Reader = word[1:]
		case word[0] == '(':
			begin := i
			for !strings.HasSuffix(words[i], ")") {
				if i++; i == len(words) {
					return fmt.Errorf("%q is not closed", word)
				}
			}
			r.Operands = strings.Trim(strings.Join(words[begin:i+1], " "), "()")
		default:
			r.Facts = strings.TrimSpace(r.Facts + " " + word)
		}
	}
	return nil
}

// addSubs reads a line of sub-commands without rows of their own.
func (r *rowText) addSubs(line string) error {
	level := levelOf(line[:1])
	if r.Subs == nil {
		r.Subs = map[string]string{}
	}
	if r.Subs[level] != "" {
		return fmt.Errorf("a second line of sub-commands at %s", line[:1])
	}
	r.Subs[level] = line[2:]
	return nil
}

// levelOf returns the name of a level by its letter, "" if there is none.
func levelOf(letter string) string {
	i := strings.Index(levelLetters, letter)
	if i < 0 || len(letter) != 1 {
		return ""
	}
	return verdict.Level(i).String()
}

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
