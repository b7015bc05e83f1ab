package plainreaders

import (
	"regexp"
	"slices"
	"strings"
)

// A usage is a line of Usage.
type usage struct {
	letters  string              // that may be joined behind one dash
	values   map[byte]string     // the kind of value that a letter has
	exact    map[string][]string // whole words, with the kinds of the values behind them
	glued    map[string]string   // --word= and the kind of what follows
	end      bool                // -- ends the options
	operands []string            // their kinds; the last may be repeated
	verbs    int                 // so many come first that stand for themselves
	least    int                 // so many have to be there
	many     bool                // the last kind may be repeated
}

// usages returns the lines of a text for a command, which alone are parsed.
func usages(text, name string) (list []usage) {
	joined := strings.ReplaceAll(strings.TrimSpace(text), "\n    ", " ")
	for line := range strings.Lines(joined) {
		if !strings.Contains(line, name) {
			continue
		}
		names, rest := "", strings.TrimSpace(line)
		for more := true; more; more = strings.HasSuffix(names, ", ") {
			var next string
			next, rest, _ = strings.Cut(rest, " ")
			names += next + " "
		}
		if slices.Contains(strings.Split(strings.TrimSpace(names), ", "), name) {
			list = append(list, usageOf(rest))
		}
	}
	return list
}

// usageOf reads a line of Usage without the command's name.
func usageOf(line string) usage {
	u := usage{values: map[byte]string{}, exact: map[string][]string{}, glued: map[string]string{}}
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
	if n := len(u.operands); n == u.verbs+1 && strings.ToUpper(kind) != kind {
		u.verbs = n
	}
}

// option adds what stands between two brackets.
func (u *usage) option(item string) {
	choices := strings.Split(item, "|")
	for _, choice := range choices {
		kinds := strings.Fields(choice)
		name := kinds[0]
		long, glued, is := strings.Cut(name, "=")
		switch {
		case name == "--":
			u.end = true
		case name == "+FORMAT":
			u.operands = append(u.operands, name)
		case is:
			u.glued[long+"="] = glued
		case len(choices) > 1 || len(name) > 2 && len(kinds) > 1 || strings.HasPrefix(name, "--"):
			u.exact[name] = kinds[1:]
		case len(kinds) > 1:
			u.values[name[1]] = kinds[1]
		default:
			u.letters += name[1:]
		}
	}
}

// fits reports whether the words behind the command's name are those of the line. file says which
// files they may name.
func (u *usage) fits(words []string, file func(string) bool) bool {
	operands, ended := 0, false
	for i := 0; i < len(words); i++ {
		w := words[i]
		if kinds, is := u.exact[w]; is && !ended {
			for _, kind := range kinds {
				if i++; i == len(words) || !isKind(kind, words[i], file) {
					return false
				}
			}
			continue
		}
		kind := u.kind(operands)
		switch {
		case w == "--" && u.end && !ended:
			ended = true
		case len(w) > 1 && w[0] == '-' && !ended && !isLiteral(kind, w):
			// Where a program does not look for options behind an operand, this is one.
			used, ok := u.options(w, words[i+1:], file)
			if !ok || operands > u.verbs && !u.many {
				return false
			}
			i += used
		case kind == "" || !isKind(kind, w, file):
			return false
		default:
			operands++
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
func (u *usage) options(w string, behind []string, file func(string) bool) (used int, ok bool) {
	if name, value, is := strings.Cut(w, "="); is && strings.HasPrefix(name, "--") {
		kind := u.glued[name+"="]
		return 0, kind != "" && isKind(kind, value, file)
	}
	for i := 1; i < len(w); i++ {
		kind, is := u.values[w[i]]
		switch {
		case is && i+1 < len(w):
			return 0, isKind(kind, w[i+1:], file)
		case is:
			return 1, len(behind) > 0 && isKind(kind, behind[0], file)
		case strings.IndexByte(u.letters, w[i]) < 0:
			return 0, false
		}
	}
	return 0, true
}

// isLiteral reports whether a kind is words that stand for themselves, and text is one of them.
func isLiteral(kind, text string) bool {
	return text != "" && strings.Contains("|"+kind+"|", "|"+text+"|")
}

// isKind reports whether a word is one of the kind.
func isKind(kind, text string, file func(string) bool) bool {
	switch kind {
	case "N":
		return regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?[bkKMGTsmhd]?$`).MatchString(text)
	case "NAME":
		return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`).MatchString(text)
	case "AWK": // prints fields
		return regexp.MustCompile(`^(NR *[=><]=? *\d+ *)?\{ *print( *\$(\d+|NF),?)* *\}$`).
			MatchString(text)
	case "JQ": // prints members
		return regexp.MustCompile(`^\.[].A-Za-z0-9_[| ,-]*$`).MatchString(text) &&
			!regexp.MustCompile(`[[| ,-] *[A-Za-z]`).MatchString(text)
	case "+FORMAT":
		return strings.HasPrefix(text, "+")
	case "DIR", "WORD":
		return text != "" && !strings.ContainsAny(text[:1], "-+")
	case "PORT":
		return regexp.MustCompile(`^(?i:tcp|udp)?(:\d+)?$`).MatchString(text)
	case "PORTS":
		return regexp.MustCompile(`^[sd]port = :\d+$`).MatchString(text)
	case "COLUMNS": // not the environment
		return regexp.MustCompile(`^[a-z%,=]+$`).MatchString(text) && !strings.Contains(text, "env")
	case "STATE":
		return regexp.MustCompile(`^\{\{ *\.(State|NetworkSettings)[A-Za-z.]* *\}\}$`).MatchString(text)
	case "FILE":
		return file(text)
	case "TEXT":
		return true
	}
	return isLiteral(kind, text)
}
