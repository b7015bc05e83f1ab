package code

import "strings"

// tclCommand is the rule for a command of Tcl that is harmless in some of its uses: open reads a
// file, file asks about one, package brings in a part of the language, env is read by a name.
// It reports false if this use is another.
func (r *reader) tclCommand(i int, full string) bool {
	words := r.tclWords(i + 1)
	first := Hole
	if len(words) > 0 {
		first = words[0]
	}
	switch full {
	case "open":
		return r.tclOpen(words)
	case "file":
		if has(" mkdir ", first) && len(words) > 1 {
			r.act(Write, full, words[1:]...)
			return true
		}
		return has(" exists size tail rootname extension dirname isfile isdirectory join normalize "+
			"mtime atime stat lstat type split nativename readable writable executable pathtype "+
			"separator readlink owned ", first)
	case "package":
		module := Hole
		if len(words) > 1 {
			module, _, _ = strings.Cut(strings.TrimPrefix(words[1], "::"), ":")
		}
		return has(" versions vsatisfies vcompare names present ", first) ||
			first == "require" && has(" Tcl tcl json csv struct math tcltest md5 sha1 sha256 base64 yaml "+
				"textutil cmdline sqlite3 tdom ", module)
	case "env":
		if i+2 < len(r.at) && i > 0 && r.at[i-1].is("$") && r.at[i+1].is("(") {
			r.act(Env, full, r.at[i+2].text)
			return i+3 < len(r.at) && r.at[i+3].is(")")
		}
	case "apply":
		return i+1 < len(r.at) && r.at[i+1].is("{")
	}
	return false
}

// tclOpen is open of Tcl, which starts a program where its file begins with |.
func (r *reader) tclOpen(words []string) bool {
	if len(words) == 0 || strings.HasPrefix(words[0], "|") {
		return false
	}
	kind := Write
	if len(words) == 1 || has(" r rb rt RDONLY ", strings.Trim(words[1], "{} ")) {
		kind = Read
	}
	if strings.Contains(words[0], Hole) {
		for k, t := range r.at {
			if t.is("|") || t.kind == str && strings.Contains(t.text, "|") {
				return false
			}
			if !t.glued && t.kind != newline {
				if path := r.tclWord(k); strings.ContainsAny(path, "/~") {
					r.act(kind, "open", path)
				}
			}
		}
	}
	r.act(kind, "open", words[0])
	return true
}

// tclWords returns the words of a command from token i on, with a Hole for what is filled in.
func (r *reader) tclWords(i int) (words []string) {
	for i < len(r.at) && !r.tclEnds(i) {
		words = append(words, r.tclWord(i))
		for i = r.tclNext(i); i < len(r.at) && r.at[i].glued && !r.tclEnds(i); i = r.tclNext(i) {
			continue
		}
	}
	return words
}

func (r *reader) tclNext(i int) int {
	if r.at[i].is("[") || r.at[i].is("{") || r.at[i].is("(") {
		return r.closes(i) + 1
	}
	return i + 1
}

func (r *reader) tclEnds(i int) bool {
	t := r.at[i]
	return t.kind == newline || t.is(";") || t.is("]") || t.is("}")
}

// tclWord returns the word that begins at token i.
func (r *reader) tclWord(i int) string {
	var out strings.Builder
	for first := true; i < len(r.at) && !r.tclEnds(i) && (first || r.at[i].glued); first = false {
		switch t := r.at[i]; {
		case t.is("$"), t.is("["), t.is(`\`):
			out.WriteString(Hole)
		case t.is("{"):
			for _, inner := range r.at[i:min(r.closes(i)+1, len(r.at))] {
				out.WriteString(inner.text)
			}
		case t.kind == str && strings.ContainsAny(t.text, "$["):
			out.WriteString(Hole)
		default:
			out.WriteString(t.text)
		}
		i = r.tclNext(i)
	}
	return out.String()
}

// tclComputes reports whether the token at i makes Tcl run what a text or a value says: a
// command whose name is a text, a value or put together, or a body that is none in braces.
func (r *reader) tclComputes(i int) bool {
	t := r.at[i]
	begins := r.tclBegins(i)
	switch {
	case t.is("-") && i+2 < len(r.at) && r.at[i+1].text == "command" && r.at[i+2].is("$"):
		return true
	case t.is(`\`) && i+1 < len(r.at) && r.at[i+1].glued:
		return begins && !(i > 0 && r.at[i-1].is("{") && !codeOfByte(r.at[i+1].text)) ||
			i > 0 && r.at[i-1].kind == word && t.glued && r.tclBegins(i-1)
	case t.kind == str && strings.Count(t.text, "[") > strings.Count(t.text, "]"):
		return true
	case !begins:
		return false
	case t.kind == str:
		return !r.tclOperand(i + 1)
	case t.is("["):
		return !r.tclOperand(r.closes(i) + 1)
	case t.is("{"):
		return i+1 < len(r.at) && r.at[i+1].is("*")
	case t.kind == word && has(tclBodies, t.text):
		return r.tclBody(i)
	}
	return false
}

func (r *reader) tclBegins(i int) bool {
	if i == 0 {
		return r.depth == 1 // and not inside a text
	}
	t := r.at[i-1]
	return t.kind == newline || t.is(";") || t.is("[") || t.is("{")
}

// tclOperand reports whether what ends before token i is a value: of an expression, or all that
// its braces hold.
func (r *reader) tclOperand(i int) bool {
	if i >= len(r.at) {
		return false
	}
	t := r.at[i]
	return t.kind == mark && strings.Contains("+-*/%<>=!&|^?:}),==!=<=>=&&||**", t.text) ||
		t.kind == word && has(" eq ne in ni ", t.text)
}

// tclBodies are commands of Tcl whose last word, or the first of catch and time, is a script.
const tclBodies = " if while for foreach lmap proc switch catch time timerate try dict "

// tclBody reports whether a word of the command at i that stands where a script does is a value.
func (r *reader) tclBody(i int) bool {
	words := r.tclWords(i + 1)
	name := r.at[i].text
	switch {
	case len(words) == 0:
		return false
	case name == "dict":
		return has(" for map filter update with ", words[0]) && strings.Contains(words[len(words)-1],
			Hole)
	case name == "catch", name == "time", name == "timerate", name == "try":
		return strings.HasPrefix(words[0], Hole)
	}
	return strings.HasPrefix(words[len(words)-1], Hole)
}

// codeOfByte reports whether the text behind a backslash is the number of a character.
func codeOfByte(text string) bool {
	return text != "" && strings.IndexByte("xuU01234567", text[0]) >= 0
}
