package code

import "strings"

// A reader reads the tokens of one text.
type reader struct {
	lang     language
	names    names
	alias    map[string]string // what a name stands for by an import: "o" for "os"
	vars     map[string]string // values of variables, as far as they are known
	own      map[string]bool   // names that the text gives a meaning itself
	texts    []string          // all texts, for finish
	acts     []Act
	at       []token
	depth    int
	packages bool // a package was loaded that is no part of the language
}

// act notes an act. A text with very many gets no more than 500.
func (r *reader) act(k Kind, name string, args ...string) {
	if len(r.acts) < 500 {
		r.acts = append(r.acts, Act{k, name, args})
	}
}

// read reads tokens, and the code inside their texts.
func (r *reader) read(tokens []token) {
	if r.depth++; r.depth > maxDepth {
		r.act(Unknown, "depth")
		return
	}
	outer := r.at
	r.at = tokens
	for i := 0; i < len(r.at); {
		i = r.token(i)
	}
	r.at = outer
	r.depth--
}

// token reads what begins at token i and returns the token after it.
func (r *reader) token(i int) int {
	t := r.at[i]
	switch t.kind {
	case str, number, command:
		for _, inner := range t.inner {
			r.read(inner)
		}
		if t.kind == command {
			r.act(Shell, "`", t.text)
		} else if t.kind == str {
			r.texts = append(r.texts, t.text)
			if r.lang.name == "perl" && strings.Contains(t.text, "(?") && strings.Contains(t.text, "{") {
				r.act(Unknown, t.text) // a pattern with code in it
			}
			if r.lang.name == "ruby" && r.names.kind("."+t.text) == "unknown" {
				r.act(Unknown, t.text) // the name of a method: inject(:instance_eval)
			}
		}
	case word:
		if strings.HasPrefix(t.text, "&$") {
			r.act(Unknown, t.text)
		}
		if next, ok := r.imports(i); ok {
			return next
		}
		r.assign(i)
		return r.chain(i)
	case mark:
		r.odd(i)
	}
	return i + 1
}

// odd notes what reaches a function without its name: x[k] in JavaScript, &$f, $x->$m and
// *{"f"} in Perl, and tagged templates.
func (r *reader) odd(i int) {
	t := r.at[i]
	next := token{kind: newline}
	if i+1 < len(r.at) {
		next = r.at[i+1]
	}
	switch r.lang.name {
	case "node":
		if t.is("{") && i > 0 && r.at[i-1].is("(") {
			r.nodeParts(i) // ({a: b} = require("m"))
		}
		if !t.is("]") {
			return
		}
		open := r.opening(i)
		if open < 1 || !r.at[open].glued || r.at[open-1].kind == mark && !r.at[open-1].is(")") &&
			!r.at[open-1].is("]") && !r.at[open-1].is("}") {
			return // a list
		}
		if i-open == 2 && r.at[open+1].kind == number {
			return
		}
		key := r.value(r.at[open+1 : i])
		switch {
		case next.is("(") && next.glued, r.names.kind("."+key) == "unknown":
			r.act(Unknown, "[…]")
		case i-open != 2 || r.at[open+1].kind != str:
			r.act(Load, "[…]")
		}
	case "perl":
		if (t.is("&") || t.is("*")) && (next.is("{") || next.is("$") ||
			t.is("&") && strings.HasPrefix(next.text, "$")) ||
			t.is("->") && strings.HasPrefix(next.text, "$") || t.is("=~") && next.kind == str {
			r.act(Unknown, t.text+next.text)
		}
		if t.is("->") && next.is("(") {
			r.act(Load, "->") // the function of that name, or what the text has made
		}
	}
}

// opening returns the index of the bracket that the one at i closes, or -1.
func (r *reader) opening(i int) int {
	for depth := 0; i >= 0; i-- {
		if depth -= r.at[i].turn(); depth == 0 {
			return i
		}
	}
	return -1
}

// closes returns the index of the bracket that closes the one at i, or the end.
func (r *reader) closes(i int) int {
	for depth := 0; i < len(r.at); i++ {
		if depth += r.at[i].turn(); depth == 0 {
			return i
		}
	}
	return len(r.at)
}

// turn returns 1 for a bracket that opens, -1 for one that closes, and else 0.
func (t token) turn() int {
	switch {
	case t.is("("), t.is("["), t.is("{"):
		return 1
	case t.is(")"), t.is("]"), t.is("}"):
		return -1
	}
	return 0
}

// chain reads a name with its members, and what it does. It returns the token after it.
func (r *reader) chain(i int) int {
	name, next := r.name(i)
	if r.isKey(i, next) {
		return next
	}
	if next == i+1 && next < len(r.at) && r.at[next].is("=") && r.lang.name != "perl" {
		return next // it only gets a value
	}
	member := i > 0 && r.isMember(r.at[i-1])
	full := r.resolve(name)
	if member {
		full = "." + name
	} else if module, after := r.moduleCall(full, next); module != "" {
		if full, next = r.members(module, after); next == after && (next >= len(r.at) ||
			!r.at[next].is("[") && !r.at[next].is("(")) {
			return next // what is done with it is seen by the name that it gets
		}
		full = r.canonical(full)
	}
	// As in globalThis["x"], $ENV{x} and Dir["x"].
	if next < len(r.at) && r.at[next].is("[") && r.at[next].glued && r.names.has("armed", full) {
		end := min(r.closes(next), len(r.at))
		key := r.value(r.at[next+1 : end])
		if full == "Dir" {
			r.act(Read, full, key)
			return next
		}
		if key == "" || strings.Contains(key, Hole) {
			r.act(Unknown, full+"[…]")
		}
		full, next = r.canonical(full+"."+key), min(end+1, len(r.at))
	}
	r.meaning(i, full, next)
	return next
}

// isMember reports whether the token joins the pieces of a name.
func (r *reader) isMember(t token) bool {
	return t.kind == mark && has(" "+r.lang.members+" ", t.text)
}

// name returns the name at i, its pieces joined by dots, and the token after it.
func (r *reader) name(i int) (string, int) {
	return r.members(strings.TrimLeft(r.at[i].text, "&"), i+1)
}

// members adds to a name the members that follow it from token next on, and returns the token
// after them.
func (r *reader) members(name string, next int) (string, int) {
	for next+1 < len(r.at) && r.isMember(r.at[next]) && r.at[next+1].kind == word {
		name, next = name+"."+r.at[next+1].text, next+2
	}
	return name, next
}

// isKey reports whether the name is a key: {a: 1}, a => 1, $h{a}, or an argument's name.
func (r *reader) isKey(i, next int) bool {
	if next >= len(r.at) || next != i+1 {
		return false
	}
	prev := token{kind: mark}
	if i > 0 {
		prev = r.at[i-1]
	}
	if has(" ruby node ", r.lang.name) && r.names.kind("."+r.at[i].text) == "unknown" {
		return false // an option that may do anything, or a member that gets a name
	}
	switch t := r.at[next]; r.lang.name {
	case "perl":
		return t.is("=>") || prev.is("{") && prev.glued && t.is("}") && i > 1 &&
			(r.at[i-2].is("}") || r.at[i-2].is("]") || r.at[i-2].is("->") || r.at[i-2].kind == word &&
				strings.IndexByte("$@%", r.at[i-2].text[0]) >= 0)
	case "python":
		return t.is("=") && next+1 < len(r.at) && (prev.is("(") || prev.is(","))
	case "node", "ruby":
		return t.is(":") && t.glued && (prev.is("{") || prev.is(",") || prev.is("("))
	}
	return false
}

// resolve replaces the first piece of the name by what an import has said of it.
func (r *reader) resolve(name string) string {
	first, rest, more := strings.Cut(name, ".")
	if to, ok := r.alias[first]; ok {
		if name = to; more {
			name += "." + rest
		}
	}
	return r.canonical(name)
}

// canonical returns the name by which the lists have a module's member.
func (r *reader) canonical(name string) string {
	for _, prefix := range []string{"node:", "globalThis.", "global.", "window.", "builtins.",
		"__builtins__.", "Kernel.", "CORE.", "CORE.GLOBAL."} {
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}

// moduleCall returns the module of a call such as require("fs"), and the token after it.
func (r *reader) moduleCall(name string, next int) (string, int) {
	if r.names.kind(name) != "module" || next >= len(r.at) || !r.at[next].is("(") {
		return "", next
	}
	end := r.closes(next)
	text := r.value(r.at[next+1 : min(end, len(r.at))])
	if text == "" || strings.Contains(text, Hole) {
		r.act(Unknown, name)
		return "", next
	}
	end = min(end+1, len(r.at))
	module := r.imported(text)
	used := end < len(r.at) && (r.isMember(r.at[end]) || r.at[end].is("["))
	if !used && !r.bound(next) && r.names.has("armed", module) {
		r.act(Unknown, module)
	}
	return module, end
}

// bound reports whether the call at i is the whole value of a variable. What is done with
// it is then seen by that variable's name.
func (r *reader) bound(i int) bool {
	for i--; i > 0 && r.at[i].kind == word; i-- {
		if r.at[i-1].is("=") {
			return true
		}
	}
	return i <= 0 || r.at[i].kind == newline || r.at[i].is(";")
}

// finish notes what only the whole text can tell. If a file of unknown name is read or
// written, each text may be its name.
func (r *reader) finish() {
	reads, writes := r.packages, false
	for _, a := range r.acts {
		unsure := len(a.Args) == 0 || strings.Contains(a.Args[0], Hole)
		reads = reads || unsure && (a.Kind == Read || a.Kind == Write || a.Kind == Load)
		writes = writes || unsure && a.Kind == Write
	}
	for _, text := range r.texts {
		if strings.ContainsAny(text, " \n") || strings.Contains(text, "://") {
			continue
		}
		if reads {
			r.act(Read, InText, text)
		}
		if writes && strings.ContainsAny(text, "/.~") {
			r.act(Write, InText, text)
		}
	}
}
