package code

import "strings"

// reachesInside reports whether a text, if a package evaluates it, reaches the inside of
// Python.
func reachesInside(text string) bool {
	return strings.Contains(text, "__") &&
		(strings.Contains(text, "__import__(") || strings.Contains(text, "__globals__") ||
			strings.Contains(text, "__subclasses__(") || strings.Contains(text, "__builtins__"))
}

// compared reports whether the text at i is only searched for, printed or written
// elsewhere.
func (r *reader) compared(i int) bool {
	if i+1 < len(r.at) && (r.at[i+1].text == "in" || r.at[i+1].is("=") || r.at[i+1].is("!")) ||
		i > 0 && r.at[i-1].is("=") && i > 1 &&
			(r.at[i-2].is("=") || r.at[i-2].is("!")) {
		return true
	}
	for k := i - 1; k > 0; k-- {
		if r.at[k].is(")") || r.at[k].kind == newline {
			return false
		}
		if r.at[k].is("(") && r.at[k-1].kind == word {
			return has(" print search findall match finditer sub compile split count find replace "+
				"startswith endswith index write write_text info ",
				r.at[k-1].text)
		}
	}
	return false
}

// insideText reads what a text of a strict language may contain besides letters: commands
// in the brackets of Tcl, code after \( in Swift, and in Prolog a name that may be
// called.
func (r *reader) insideText(text string) {
	at := -1
	switch r.lang.name {
	// Tcl runs what is in brackets inside of a text (Tcl(n), Command substitution).
	case "tcl":
		at = strings.IndexByte(text, '[')
	case "swift":
		at = strings.IndexByte(text, '(')
	// A goal may be called by its name.
	case "prolog":
		if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz_") == "" &&
			r.grave(text) {
			r.act(Unknown, text)
		}
	case "scala", "kotlin", "groovy":
		if i := strings.IndexByte(text, '$'); i >= 0 && strings.ContainsAny(text[i:], "{") {
			at = i
		}
	}
	if at < 0 {
		return
	}
	x := lexer{lang: r.lang, text: text[at:], depth: r.depth}
	tokens, ok := x.all()
	if !ok {
		r.act(Unknown, "a text with code in it")
		return
	}
	r.read(tokens)
}
