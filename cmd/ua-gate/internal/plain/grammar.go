package plain

import (
	"cmp"
	"slices"
	"strings"
)

// A usage is a line of Usage.
type usage struct {
	name     string
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

// parse reads a line of Usage without the command's name.
func parse(line string) usage {
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

// free are programs of whose options none runs, writes or sends anything, so that a word may
// become one.
const free = " basename cat cksum comm cut df dirname du echo egrep fgrep grep groups head id " +
	"jq ls md5sum nl nproc od paste readlink realpath seq sha1sum sha256sum stat sum tac tail tr " +
	"type wc which "

// fits reports whether the words behind the command's name are those of the line.
func (u *usage) fits(r *reading, words []word) bool {
	operands, ended, replaced := 0, false, ""
	r.below = true
	for i := 0; i < len(words); i++ {
		w := words[i]
		// The words that a test has between others are no options of its own.
		// Behind its format printf knows no options.
		free := strings.Contains(free, " "+u.name+" ") || u.name == "printf" && operands > 0
		if w.loose() && (u.name != "test" || w.open) {
			if kind := u.kind(operands); !free && !ended ||
				kind != "FILE" && kind != "TEXT" || w.open && !u.many {
				return false
			}
			if u.kind(operands) == "FILE" && !u.mayRead(w) {
				return false
			}
			r.below = r.below && w.inside()
			operands++
			continue
		}
		if kinds, is := u.exact[w.text]; is && !w.glob && !ended {
			r.below = r.below && w.text != "-L" && w.text != "-follow"
			used, ok := u.behind(r, kinds, words[i+1:])
			if i += used; !ok {
				return false
			}
			continue
		}
		kind := u.kind(operands)
		dashed := len(w.text) > 1 && w.text[0] == '-' && !ended &&
			(kind != "N" || !isKind(kind, w)) && !isLiteral(kind, w.text) && u.name != "echo"
		switch {
		case w.text == "--" && u.end && !ended:
			ended = true
			continue
		case dashed:
			// Where a program does not look for options behind an operand, this is one.
			if operands > u.verbs && !u.many {
				return false
			}
			used, ok := u.options(w, words[i+1:])
			if !ok {
				return false
			}
			i += used
			if glued, is := strings.CutPrefix(w.text, "-I"); is && u.name == "xargs" {
				replaced = cmp.Or(glued, words[i].text)
			}
			continue
		case kind == "COMMAND":
			return u.starts(r, words[i:], replaced)
		case kind == "VAR" && !r.variable(w.text), kind == "FILE" && !u.mayRead(w):
			return false
		}
		operands++
		r.below = r.below && w.inside()
		if kind == "" || !(w.glob && (isFile(kind, w) && u.many || free)) && !isKind(kind, w) {
			return false
		}
	}
	return operands >= u.least
}

// behind reports whether the words behind an option begin with its values, and how many they are.
func (u *usage) behind(r *reading, kinds []string, words []word) (used int, ok bool) {
	for i, kind := range kinds {
		if kind == "COMMAND" { // of find
			ends := func(w word) bool { return w.text == ";" || w.text == "+" }
			end := slices.IndexFunc(words, ends)
			if end < 1 {
				return 0, false
			}
			command := replace(words[:end], "{}", "./"+hole, !r.below)
			if words[end].text == "+" { // of several files
				command = append(command, command[end-1])
			}
			return end + 1, r.call(command)
		}
		if i >= len(words) || !isKind(kind, words[i]) {
			return 0, false
		}
		r.below = r.below && !isHidden(words[i].text)
	}
	return len(kinds), true
}

// starts reports whether the command that xargs or a wrapper starts is plain.
func (u *usage) starts(r *reading, words []word, replaced string) bool {
	switch {
	case u.name != "xargs":
	case replaced != "":
		words = replace(words, replaced, hole, !r.fed)
	default:
		words = append(slices.Clone(words), word{text: hole, open: true, any: !r.fed})
	}
	return r.call(words)
}

// replace returns the words with another text in the place of one, which may be any path.
func replace(words []word, text, by string, any bool) []word {
	words = slices.Clone(words)
	for i := range words {
		words[i].any = words[i].any || any && strings.Contains(words[i].text, text)
		words[i].text = strings.ReplaceAll(words[i].text, text, by)
	}
	return words
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
		value := word{text: value, glob: w.glob, open: w.open}
		return 0, kind == "TEXT" && !w.open || kind != "" && isKind(kind, value)
	}
	for i := 1; i < len(w.text) && !w.glob && !w.open; i++ {
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
	return 0, !w.glob && !w.open
}

// isLiteral reports whether a kind is words that stand for themselves, and text is one of them.
func isLiteral(kind, text string) bool {
	return text != "" && strings.Contains("|"+kind+"|", "|"+text+"|")
}

// The forms of a number, of names, of what printf prints and of an expression of yq.
var (
	numberForm = form(`^[-+]?[0-9]+(\.[0-9]+)?[bkKMGTsmhd]?$`)
	nameForm   = form(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`)
	keyForm    = form(`^[A-Za-z0-9]+\.[A-Za-z0-9./_-]+$`)
	printForm  = form(`^([^-%]|%%|%-?[0-9]*[sbq])([^%]|%%|%-?[0-9]*(\.[0-9]+)?[sbq])*$`)
	// the variables of the environment, as jq has them
	environmentForm = form(`\$ENV|(?:^|[^."A-Za-z0-9_])env(?:\W|$)`)

	yamlForm = form(`^\.[]A-Za-z0-9_. "'|,/*:=<>![-]*$`)
)

// isFile reports whether a kind is a file's that a glob may find.
func isFile(kind string, w word) bool {
	return kind == "FILE" || kind == "DATA" && strings.Contains(w.text[:w.at], "/")
}

// isKind reports whether a literal word is one of the kind.
func isKind(kind string, w word) bool {
	switch {
	case w.open || w.glob && kind != "WORD":
		return false
	case kind == "N":
		return numberForm().MatchString(w.text)
	case kind == "NAME":
		return nameForm().MatchString(w.text)
	case kind == "KEY":
		return keyForm().MatchString(w.text)
	case kind == "FORM":
		return printForm().MatchString(w.text)
	case kind == "JQ":
		return !environmentForm().MatchString(w.text)
	case kind == "YQ":
		return yamlForm().MatchString(w.text)
	case kind == "SED":
		return sedForm().MatchString(w.text)
	case kind == "AWK":
		return awk(w.text)
	case kind == "+FORMAT":
		return strings.HasPrefix(w.text, "+")
	case kind == "DIR", kind == "WORD":
		return w.text != "" && !strings.ContainsAny(w.text[:1], "-+"+hole)
	case kind == "DATA": // no host's, no address, and no file of more words
		return w.text != "" && w.text[0] != '@' && !strings.ContainsAny(w.text, ":|"+hole)
	case kind == "FILE":
		return !strings.HasPrefix(w.text, "/inet")
	case kind == "TEXT":
		return true
	}
	return isLiteral(kind, w.text) || kind == "VAR"
}
