package plain

import (
	"regexp"
	"strings"
	"sync"
)

// A usage is a line of Usage without the command's name.
type usage struct {
	letters  string            // that may be joined behind one dash
	values   map[byte]string   // the kind of value that a letter has
	exact    map[string]string // whole words, with the kind of value behind them, "" for none
	glued    map[string]string // --word= and the kind of what follows
	end      bool              // -- ends the options
	operands []string          // their kinds; the last may be repeated
	least    int               // so many have to be there
	many     bool              // the last kind may be repeated
}

// parse reads a line of Usage.
func parse(line string) usage {
	u := usage{values: map[byte]string{}, exact: map[string]string{}, glued: map[string]string{}}
	for line != "" {
		var item string
		if optional := line[0] == '['; optional {
			item, line, _ = strings.Cut(line[1:], "]")
			// The dots of [FILE...] stand inside.
			if item[0] != '-' && item != "+FORMAT" && !strings.Contains(item, "|") {
				u.operand(item, false)
			} else {
				u.option(item)
			}
		} else {
			item, line, _ = strings.Cut(line, " ")
			u.operand(item, true)
		}
		line = strings.TrimSpace(line)
	}
	return u
}

// operand adds an operand of a kind.
func (u *usage) operand(kind string, needed bool) {
	kind, u.many = strings.CutSuffix(kind, "...")
	u.operands = append(u.operands, kind)
	if needed {
		u.least++
	}
}

// option adds what stands between two brackets.
func (u *usage) option(item string) {
	choices := strings.Split(item, "|")
	for _, choice := range choices {
		name, kind, _ := strings.Cut(choice, " ")
		long, glued, is := strings.Cut(name, "=")
		switch {
		case name == "--":
			u.end = true
		case name == "+FORMAT":
			u.operands = append(u.operands, name)
		case is:
			u.glued[long+"="] = glued
		case len(choices) > 1 || strings.HasPrefix(name, "--"):
			u.exact[name] = kind
		case kind != "":
			u.values[name[1]] = kind
		default:
			u.letters += name[1:]
		}
	}
}

// fits reports whether the words behind the command's name are those of the line.
func (u *usage) fits(words []word) bool {
	operands, ended := 0, false
	for i := 0; i < len(words); i++ {
		w := words[i]
		if value, is := u.exact[w.text]; is && !w.glob && !ended {
			if value == "" {
				continue
			}
			if i++; i == len(words) || !isKind(value, words[i]) {
				return false
			}
			continue
		}
		kind := u.kind(operands)
		dashed := len(w.text) > 1 && w.text[0] == '-' && !ended && kind != "N" && kind != w.text
		switch {
		case w.text == "--" && u.end && !ended:
			ended = true
			continue
		case dashed:
			// Where a program does not look for options behind an operand, this is one.
			if operands > 0 && !u.many {
				return false
			}
			used, ok := u.options(w, words[i+1:])
			if !ok {
				return false
			}
			i += used
			continue
		}
		operands++
		if kind == "" || !(w.glob && kind == "FILE") && !isKind(kind, w) {
			return false
		}
	}
	return operands >= u.least
}

// kind returns the kind of the operand behind n others, "" for none.
func (u *usage) kind(n int) string {
	switch last := len(u.operands) - 1; {
	case n <= last:
		return u.operands[n]
	case u.many:
		return u.operands[last]
	}
	return ""
}

// options reports whether a word is options of the line, and how many of the words behind it
// are their values.
func (u *usage) options(w word, behind []word) (used int, ok bool) {
	if name, value, is := strings.Cut(w.text, "="); is && strings.HasPrefix(name, "--") {
		kind := u.glued[name+"="]
		return 0, kind == "TEXT" || kind != "" && isKind(kind, word{text: value, glob: w.glob})
	}
	for i := 1; i < len(w.text) && !w.glob; i++ {
		kind, is := u.values[w.text[i]]
		switch {
		case is && i+1 < len(w.text):
			return 0, isKind(kind, word{text: w.text[i+1:]})
		case is:
			return 1, len(behind) > 0 && isKind(kind, behind[0])
		case strings.IndexByte(u.letters, w.text[i]) < 0:
			return 0, false
		}
	}
	return 0, !w.glob
}

// The forms of a number, of a name, and of the lines that sed prints.
var (
	numberForm = form(`^[-+]?[0-9]+(\.[0-9]+)?[bkKMGT]?$`)
	nameForm   = form(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`)
	linesForm  = form(strings.ReplaceAll(`^(A(,A)?p; ?)*A(,A)?p$`, "A",
		`([0-9]+|\$|/[^/\\\n]*/)`))
)

// form returns a form that is compiled when a hook first asks for it, not at each start.
func form(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// isKind reports whether a literal word is one of the kind.
func isKind(kind string, w word) bool {
	switch {
	case w.glob:
		return false
	case kind == "N":
		return numberForm().MatchString(w.text)
	case kind == "NAME":
		return nameForm().MatchString(w.text)
	case kind == "+FORMAT":
		return strings.HasPrefix(w.text, "+")
	case kind == "LINES":
		return linesForm().MatchString(w.text)
	case kind == "DIR":
		return w.text != "" && !strings.ContainsAny(w.text[:1], "-+")
	case kind == "TEXT" || kind == "FILE":
		return true
	}
	return w.text == kind
}
