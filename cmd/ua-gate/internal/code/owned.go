package code

import "strings"

// binds notes the names to which the text itself gives a meaning: variables, parameters,
// functions and classes. What they stand for is seen where it is written. A name that the
// language has for something that acts is never the text's own.
func (r *reader) binds(tokens []token) {
	outer := r.at
	r.at = tokens
	for i, t := range tokens {
		for _, inner := range t.inner {
			r.binds(inner)
		}
		switch {
		case t.is("="), t.is(":="), t.is("=>") && r.lang.name == "node":
			r.targets(i)
		case t.is("|") && r.lang.name == "ruby":
			r.bindUpTo(i+1, "|", "", "")
		case t.kind != word || i > 0 && r.isMember(tokens[i-1]): // as in x.class.y
		case has(" def class function as lambda const let var catch sub fn global nonlocal for my our "+
			"local ",
			t.text):
			r.bindUpTo(i+1, "{", ":", "=")
		}
	}
	r.at = outer
}

// targets binds the names before the token at i that get a value there.
func (r *reader) targets(i int) {
	for i--; i >= 0 && r.at[i].kind != newline && !r.at[i].is(";") && !r.at[i].is("="); i-- {
		switch t := r.at[i]; {
		case t.kind == word:
			r.bind(t.text)
		case t.kind == mark && has(" , ( ) * : [ ] { } ... . ?. | -> ", t.text):
		default:
			return
		}
	}
}

// bindUpTo binds the names from token i on up to one of the marks, which do not count inside of
// brackets, or the end of the statement.
func (r *reader) bindUpTo(i int, ends ...string) {
	depth := 0
	for ; i < len(r.at) && i >= 0; i++ {
		t := r.at[i]
		if depth += t.turn(); depth < 0 {
			return
		}
		if depth == 0 && (t.kind == newline || t.is(";") || has(" in of ", t.text)) {
			return
		}
		for _, end := range ends {
			if t.is(end) && depth == t.turn() {
				// A pattern may stand in braces: const {a, b} = x.
				if end != "{" || r.at[i-1].kind == word && !has(" const let var ", r.at[i-1].text) ||
					r.at[i-1].is(")") {
					return
				}
			}
		}
		if t.kind == word {
			r.bind(t.text)
		}
	}
}

// bind makes a name the text's own.
func (r *reader) bind(name string) {
	name = strings.TrimLeft(name, "$@%&")
	if k := r.names.kind(name); (k == "" || k == "pure") && !r.names.has("armed", name) &&
		!strings.HasPrefix(name, "__") {
		r.own[name] = true
	}
}
