package code

import "strings"

// value returns the value of an expression as far as it can be read: texts that are
// joined, variables of known value, paths that are put together, and ~ for the user's
// home. Everything else is a Hole.
func (r *reader) value(tokens []token) string {
	outer := r.at
	r.at = tokens
	defer func() { r.at = outer }()
	var out strings.Builder
	for i := 0; i < len(tokens) && out.Len() < 4096; {
		switch t := tokens[i]; t.kind {
		case str, number:
			out.WriteString(t.text)
		case command:
			out.WriteString(Hole)
		case word:
			var text string
			from := i
			text, i = r.nameValue(i)
			if text == Hole && from > 0 && t.glued &&
				(tokens[from-1].is("/") || tokens[from-1].is(".")) &&
				out.Len() > 0 {
				text = t.text // a path without quotes
			}
			out.WriteString(text)
			continue
		case mark:
			switch t.text {
			case "/":
				out.WriteString("/")
			case ".":
				if strings.HasSuffix(out.String(), "/") {
					out.WriteString(".")
				}
			case "+", "..", "(", ")", "<>", "[", "]":
			case ",":
				return out.String()
			default:
				out.WriteString(Hole)
			}
		}
		i++
	}
	return out.String()
}

// nameValue returns the value of the name that begins at i, and the token after it.
func (r *reader) nameValue(i int) (string, int) {
	// These words stand before a value and add nothing to it.
	if strings.Contains(" await new my our local const let var not ", " "+r.at[i].text+" ") {
		return "", i + 1
	}
	name, next := r.name(i)
	full := r.resolve(name)
	text, known := r.vars[name]
	if m, after := r.moduleCall(full, next); m != "" {
		full, next = r.members(m, after)
	}
	kind := r.names.kind(full)
	var args string
	if next < len(r.at) && (r.at[next].is("(") || r.at[next].is("[") || r.at[next].is("{")) {
		end := r.closes(next)
		// Each argument is a part of a path.
		if kind == "join" {
			args = r.joined(r.at[next+1 : min(end, len(r.at))])
		} else {
			args = r.value(r.at[next+1 : min(end, len(r.at))])
		}
		next = min(end+1, len(r.at))
	}
	switch {
	case kind == "home" || kind == "env" && (args == "HOME" || strings.HasSuffix(full, ".HOME")):
		return "~", next
	case kind == "join":
		return args, next
	case known:
		return text, next
	}
	return Hole, next
}

// joined returns the path that the arguments are the parts of.
func (r *reader) joined(tokens []token) string {
	var parts []string
	for _, arg := range split(tokens) {
		parts = append(parts, r.value(arg))
	}
	return strings.Join(parts, "/")
}

// split divides the arguments of a call, as tokens, at their commas.
func split(tokens []token) (args [][]token) {
	depth, from := 0, 0
	for i, t := range tokens {
		if t.kind != mark {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ",":
			if depth == 0 {
				args, from = append(args, tokens[from:i]), i+1
			}
		}
	}
	if from < len(tokens) {
		args = append(args, tokens[from:])
	}
	return args
}

// arguments returns the arguments of the call whose name ends before token i, and whether
// there is a call at all.
func (r *reader) arguments(i int) (args [][]token, called bool) {
	if i >= len(r.at) {
		return nil, false
	}
	if r.at[i].is("(") && (r.at[i].glued || !r.lang.bare) {
		end := min(r.closes(i), len(r.at))
		return split(r.at[i+1 : end]), true
	}
	// Only a bare language calls without brackets.
	if !r.lang.bare || r.at[i].kind == newline {
		return nil, false
	}
	end, depth := i, 0
	for ; end < len(r.at); end++ {
		t := r.at[end]
		if depth == 0 && (t.kind == newline || t.is(";") || t.is("}") || t.is(")") || t.is("]") ||
			t.kind == word && strings.Contains(" if unless do for foreach while and or end ",
				" "+t.text+" ")) {
			break
		}
		if t.is("(") || t.is("[") || t.is("{") {
			depth++
		} else if t.is(")") || t.is("]") || t.is("}") {
			depth--
		}
	}
	return split(r.at[i:end]), end > i && !r.operator(r.at[i])
}

// operator reports whether a mark after a name shows that the name is a value.
func (r *reader) operator(t token) bool {
	return t.kind == mark && !strings.Contains(" [ { \\ * & - ( ", " "+t.text+" ")
}

// assign notes the value that a variable gets at token i.
func (r *reader) assign(i int) {
	if i+2 >= len(r.at) || !r.at[i+1].is("=") && !r.at[i+1].is(":=") {
		return
	}
	from := i + 2
	end, depth := from, 0
	for ; end < len(r.at); end++ {
		t := r.at[end]
		if depth == 0 && (t.kind == newline && r.lang.lines || t.is(";") || t.is(",") ||
			t.is(")") ||
			t.is("}")) {
			break
		}
		if t.is("(") || t.is("[") || t.is("{") {
			depth++
		} else if t.is(")") || t.is("]") || t.is("}") {
			depth--
		}
	}
	name := r.at[i].text
	text := r.value(r.at[from:end])
	// The text is not read in the order in which it runs, so either value may hold.
	if old, was := r.vars[name]; was && old != text {
		text = Hole
	}
	r.vars[name] = text
	r.aliases(name, from, end)
}

// aliases notes that a variable is a module: fs = require("fs"), o = os.
func (r *reader) aliases(name string, from, end int) {
	if from >= end || r.at[from].kind != word {
		return
	}
	if r.at[from].text == "await" && from+1 < end {
		from++
	}
	to, next := r.name(from)
	if m, after := r.moduleCall(r.resolve(to), next); m != "" {
		if to, next = r.members(m, after); next == end {
			r.alias[name] = to
		}
	}
}
