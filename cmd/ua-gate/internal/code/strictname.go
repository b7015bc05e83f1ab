package code

import "strings"

// harmless reports whether all pieces of a name in a strict language are: each is listed, or
// the first is a variable that the text itself sets or binds.
func (r *reader) harmless(i int, full string, method bool) bool {
	if full == "clojure.edn/read-string" || full == "edn/read-string" || r.lang.name == "lisp" &&
		i > 0 && r.at[i-1].is(":") {
		return true // which reads no code, or a keyword
	}
	if space, name, ok := strings.Cut(full, "/"); ok && name != "" && r.lang.name == "lisp" {
		if has(computingSpaces, r.alias[space]) {
			return name != "read"
		}
		return strings.Contains(" clojure.string clojure.set clojure.math clojure.walk str string set "+
			"math Math Long Integer Double Character ",
			" "+space+" ")
	}
	for n := 0; full != ""; n++ {
		piece, rest, _ := strings.Cut(full, ".")
		if r.names.kind(piece) != "pure" && r.names.kind("."+piece) != "pure" &&
			!(n == 0 && !method && r.local(i)) {
			return false
		}
		full = rest
	}
	return true
}

// local reports whether the name at i is one that the text itself sets or binds and no name
// of the language: x = 1, val x = 1, x -> x + 1, for (x in l). In Prolog it begins with a
// capital letter.
func (r *reader) local(i int) bool {
	name := r.at[i].text
	if r.lang.name == "prolog" {
		return name[0] == '_' || name[0] >= 'A' && name[0] <= 'Z'
	}
	if r.lang.name == "tcl" {
		return r.tclVariable(i)
	}
	if r.lang.name == "lisp" || r.lang.name == "gnuplot" ||
		r.names.kind(name) != "" {
		return false
	}
	if _, set := r.vars[name]; set {
		return true
	}
	for k, t := range r.at {
		if t.kind != word || t.text != name {
			continue
		}
		before, after := token{kind: mark}, token{kind: mark}
		if k > 0 {
			before = r.at[k-1]
		}
		if k+1 < len(r.at) {
			after = r.at[k+1]
		}
		binds := before.kind == word && strings.Contains(" val var let def for in int long double "+
			"String boolean char auto ", " "+before.text+" ")
		if binds && !before.is("in") && before.text != "in" || after.is("=") ||
			after.text == "in" ||
			after.is("-") && k+2 < len(r.at) && r.at[k+2].is(">") || after.is("->") ||
			after.is("=>") {
			return true
		}
	}
	return false
}

// tclVariable reports whether the name at i is that of a variable of Tcl which the text sets,
// where it is no command: $x behind another word or an operator, or the x of set x 1.
func (r *reader) tclVariable(i int) bool {
	const sets = " set foreach incr append lappend variable global "
	if i == 0 {
		return false
	}
	if has(sets, r.at[i-1].text) {
		return true
	}
	if !r.at[i-1].is("$") || !r.at[i].glued || i < 2 {
		return false
	}
	switch before := r.at[i-2]; {
	case before.kind == newline, before.is(";"), before.is("["):
		return false
	case before.is("{"):
		return i+1 < len(r.at) && r.at[i+1].kind == mark && !r.at[i+1].is("$") &&
			!r.at[i+1].is("[") && !r.at[i+1].is("{") && !r.at[i+1].is("}")
	}
	return true
}
