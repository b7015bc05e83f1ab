package code

import (
	"slices"
	"strings"
)

// harmless reports whether all pieces of a name in a strict language are harmless: each
// is listed as such, or the first is a variable that the text itself sets or binds.
func (r *reader) harmless(i int, full string, method bool) bool {
	if r.lang.name == "lisp" && i > 0 && r.at[i-1].is(":") {
		return true // a keyword
	}
	if r.lang.emacs && r.emacsFamily(i, full) {
		return true
	}
	if r.lang.name == "gnuplot" && (strings.HasPrefix(full, "STATS_") ||
		strings.HasPrefix(full, "GPVAL_") || strings.HasPrefix(full, "FIT_")) {
		return true
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

// local reports whether the name at i is set or bound by the text itself and is no name
// of the language: x = 1, val x = 1, x -> x + 1, for (x in l). In Prolog such a name
// begins with a capital letter.
func (r *reader) local(i int) bool {
	name := r.at[i].text
	if r.lang.name == "prolog" {
		return name[0] == '_' || name[0] >= 'A' && name[0] <= 'Z'
	}
	if r.lang.name == "tcl" {
		return r.tclVariable(i)
	}
	if r.lang.name == "lisp" {
		return r.names.kind(name) == "" && slices.ContainsFunc(indexes(r.at, name), r.lispBinds)
	}
	module := name[0] >= 'A' && name[0] <= 'Z' && (r.lang.name == "ocaml" || r.lang.name == "haskell")
	if r.lang.name == "gnuplot" || module || r.names.kind(name) != "" {
		return false
	}
	// As in x = 1.
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
		// As in val x, def x, int x.
		binds := before.kind == word && strings.Contains(" val var let def for in int long double "+
			"String boolean char auto ", " "+before.text+" ")
		if binds && !before.is("in") && before.text != "in" || after.is("=") || r.parameter(k) ||
			after.text == "in" ||
			after.is("-") && k+2 < len(r.at) && r.at[k+2].is(">") || after.is("->") ||
			after.is("=>") {
			return true
		}
	}
	return false
}

// indexes returns the indexes of the word among the tokens.
func indexes(tokens []token, name string) (list []int) {
	for k, t := range tokens {
		if t.kind == word && t.text == name {
			list = append(list, k)
		}
	}
	return list
}

// parameter reports whether the name at k is the name or a parameter of a function of
// OCaml or Haskell, between let or fun and = or ->.
func (r *reader) parameter(k int) bool {
	if r.lang.name != "ocaml" && r.lang.name != "haskell" {
		return false
	}
	from := k
	for from > 0 && (r.at[from-1].kind == word || r.at[from-1].is("(") || r.at[from-1].is(")") ||
		r.at[from-1].is(",") || r.at[from-1].is("\\")) &&
		!has(" let rec and fun function where ", r.at[from].text) {
		from--
	}
	if !has(" let rec and fun where ", r.at[from].text) && !r.at[from].is("\\") &&
		!(r.lang.name == "haskell" && (from == 0 || r.at[from-1].kind == newline)) {
		return false
	}
	for to := k + 1; to < len(r.at); to++ {
		switch t := r.at[to]; {
		case t.is("="), t.is("->"), t.is("-") && to+1 < len(r.at) && r.at[to+1].is(">"):
			return true
		case t.kind != word && !t.is("(") && !t.is(")") && !t.is(","):
			return false
		}
	}
	return false
}

// lispBinds reports whether the text defines the name at k: a function, a parameter of a
// function or loop, or a name of a let.
func (r *reader) lispBinds(k int) bool {
	if k < 2 {
		return false
	}
	if before := r.at[k-1]; has(" define defun defn def defn- let for ", before.text) {
		return true
	}
	open := r.around(k)
	if open < 1 {
		return false
	}
	head := r.at[open-1].text
	switch {
	case has(" lambda fn define ", head), open > 1 && has(" defun defn defn- ", r.at[open-2].text):
		return true
	case has(" let loop doseq for dotimes ", head) && r.at[open].is("["): // NAME VALUE NAME VALUE
		return r.itemsBefore(open, k)%2 == 0
	case r.itemsBefore(open, k) != 0:
		return false
	case has(" dolist dotimes ", head):
		return true
	}
	outer := r.around(open)
	return outer > 0 && (has(" let let* letrec do for for/list for/sum for/fold for/vector ",
		r.at[outer-1].text) || outer > 1 && r.at[outer-2].text == "let")
}

// around returns the index of the innermost bracket that is open at k, or -1.
func (r *reader) around(k int) int {
	depth := 0
	for k--; k >= 0; k-- {
		switch t := r.at[k]; {
		case t.is(")"), t.is("]"), t.is("}"):
			depth++
		case t.is("("), t.is("["), t.is("{"):
			if depth == 0 {
				return k
			}
			depth--
		}
	}
	return -1
}

// itemsBefore returns how many words, texts and lists are in the bracket before k.
func (r *reader) itemsBefore(open, k int) (n int) {
	for i := open + 1; i < k; i++ {
		switch t := r.at[i]; {
		case t.is("("), t.is("["), t.is("{"):
			i = r.closes(i)
			n++
		case t.kind == word || t.kind == str || t.kind == number:
			n++
		}
	}
	return n
}

// tclVariable reports whether the name at i is a variable of Tcl that the text sets, in a
// place where it is no command: $x after another word or an operator, or the x of set x
// 1.
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
