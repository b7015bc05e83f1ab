package code

import (
	"slices"
	"strings"
)

// A reader reads the tokens of one text.
type reader struct {
	lang  language
	names names
	alias map[string]string // what a name stands for: "o" for "os"
	stars []string          // modules of which all names were imported
	vars  map[string]string // values of variables, as far as they are known
	from  map[string]string // what the chain begins with that gave a variable its value
	texts []string          // all texts, for Paths
	acts  []Act
	at    []token
	depth int

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
	r.at = globCalls(r.lang, tokens)
	for i := 0; i < len(r.at); {
		i = r.token(i)
	}
	r.at = outer
	r.depth--
}

// token reads what begins at token i and returns the token after it. The arguments of a
// call are read once more on their own, so that calls in them are seen.
func (r *reader) token(i int) int {
	t := r.at[i]
	switch t.kind {
	case str, number, command:
		outer := r.at
		for _, inner := range t.inner {
			r.read(inner)
		}
		r.at = outer
		if t.kind == command {
			r.act(Shell, "`", t.text)
		} else if t.kind == str {
			r.texts = append(r.texts, t.text)
			if r.lang.name == "python" && reachesInside(t.text) && !r.compared(i) {
				r.act(Unknown, "a text that reaches inside")
			}
		}
	case word:
		if r.lang.name == "perl" && strings.HasPrefix(t.text, "&$") {
			r.act(Unknown, t.text)
		}
		if next, ok := r.imports(i); ok {
			return next
		}
		r.assign(i)
		r.binds(i)
		return r.chain(i)
	case mark:
		r.odd(i)
	}
	return i + 1
}

// opening returns the index of the bracket that the one at i closes, or -1.
func (r *reader) opening(i int) int {
	depth := 0
	for ; i >= 0; i-- {
		switch r.at[i].text {
		case ")", "]", "}":
			if r.at[i].kind == mark {
				depth++
			}
		case "(", "[", "{":
			if r.at[i].kind == mark {
				if depth--; depth == 0 {
					return i
				}
			}
		}
	}
	return -1
}

// closes returns the index of the bracket that closes the one at i, or the end.
func (r *reader) closes(i int) int {
	depth := 0
	for ; i < len(r.at); i++ {
		if r.at[i].kind != mark {
			continue
		}
		switch r.at[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(r.at)
}

// chain reads a name with its members, and what it does if it is called. It returns the
// token after the name.
func (r *reader) chain(i int) int {
	name, next := r.name(i)
	if r.isKey(i, next) {
		return next
	}
	full := r.resolve(name)
	method := i > 0 && r.isMember(r.at[i-1]) &&
		!(r.lang.name == "python" && throughModules(name) != name)
	if !method && r.handsOn(name, full, next) &&
		!(i > 1 && r.at[i-1].is("=") && r.alias[r.at[i-2].text] == full) {
		r.act(Unknown, full)
	}
	if r.lang.name == "python" && !method && r.names.kind(full) == "module" &&
		(next >= len(r.at) || !r.at[next].is("(")) && (i == 0 || r.at[i-1].text != "import") {
		r.act(Unknown, full)
	}
	if module, after := r.moduleCall(full, next); module != "" && !method {
		full, next = module, after
		for next+1 < len(r.at) && r.isMember(r.at[next]) && r.at[next+1].kind == word {
			full, next = full+"."+r.at[next+1].text, next+2
		}
		full = r.canonical(full)
	}
	if next < len(r.at) && r.at[next].is("[") && r.at[next].glued && r.names.armed(full) {
		end := r.closes(next)
		key := r.value(r.at[next+1 : min(end, len(r.at))])
		if key == "" || strings.Contains(key, Hole) || end-next > 2 && r.lang.name == "node" &&
			has(" globalThis global window self ", full) {
			r.act(Unknown, full+"[…]")
		} else if full != "env" {
			full, next = r.canonical(full+"."+key), min(end+1, len(r.at))
		}
	}
	args, _ := r.arguments(next)
	if !method && r.byTable(name, next, args) {
		r.act(Unknown, full)
	}
	r.meaning(i, full, next, method)
	return next
}

// isMember reports whether the token joins the pieces of a name.
func (r *reader) isMember(t token) bool {
	return t.kind == mark && slices.Contains(strings.Fields(r.lang.members), t.text)
}

// name returns the name at i, its pieces joined by dots, and the token after it.
func (r *reader) name(i int) (string, int) {
	name := strings.TrimLeft(r.at[i].text, "&")
	next := i + 1
	for next+1 < len(r.at) && r.isMember(r.at[next]) && r.at[next+1].kind == word {
		name += "." + r.at[next+1].text
		next += 2
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
	switch t := r.at[next]; r.lang.name {
	case "perl":
		return t.is("=>") || prev.is("{") && prev.glued && t.is("}") && i > 1 &&
			r.subscriptable(r.at[i-2])
	case "python":
		return t.is("=") && next+1 < len(r.at) && (prev.is("(") || prev.is(","))
	case "node", "ruby":
		return t.is(":") && t.glued && (prev.is("{") || prev.is(",") || prev.is("("))
	}
	return false
}

// subscriptable reports whether a brace after the token picks an element.
func (r *reader) subscriptable(t token) bool {
	return t.is("}") || t.is("]") || t.is("->") || t.kind == word &&
		strings.IndexByte("$@%", t.text[0]) >= 0
}

// resolve replaces the first piece of the name by what an import has said of it.
func (r *reader) resolve(name string) string {
	first, rest, more := strings.Cut(name, ".")
	if to, ok := r.alias[first]; ok {
		name = to
		if more {
			name += "." + rest
		}
	}
	if r.lang.name == "python" {
		for strings.HasSuffix(name, ".__call__") { // a function's own name for being called
			name = strings.TrimSuffix(name, ".__call__")
		}
		name = throughModules(r.throughClass(name))
	}
	return r.canonical(name)
}

// throughClass returns a name without the class or object that a module was imported into:
// class A: import os as o; A.o.remove.
func (r *reader) throughClass(name string) string {
	pieces := strings.Split(name, ".")
	for i := len(pieces) - 2; i > 0; i-- {
		if to, ok := r.alias[pieces[i]]; ok && (r.names.armed(to) || strings.Contains(to, ".")) {
			return to + "." + strings.Join(pieces[i+1:], ".")
		}
	}
	return name
}

// throughModules returns a name without the modules through which another one is reached:
// shutil.os.remove is os.remove.
func throughModules(name string) string {
	pieces := strings.Split(name, ".")
	for i := len(pieces) - 2; i > 0; i-- {
		module := strings.TrimLeft(pieces[i], "_")
		for _, m := range []string{"os", "sys", "subprocess", "shutil", "posix", "builtins", "importlib",
			"socket", "ctypes", "pty"} {
			if module == m {
				return module + "." + strings.Join(pieces[i+1:], ".")
			}
		}
	}
	return name
}

// handsOn reports whether a module is a value at i: what is done with it is not seen then.
func (r *reader) handsOn(name, full string, next int) bool {
	_, imported := r.alias[name]
	own := r.lang.name != "python" && name == full && has(" require fs child_process "+
		"globalThis Kernel File System Code ", name)
	if !imported && !own || !r.names.armed(full) {
		return false
	}
	if r.lang.name == "python" && next < len(r.at) && r.at[next].is(":") && next > 1 &&
		r.at[next-2].text == "match" {
		return true // which another name may take up
	}
	if next >= len(r.at) {
		return true
	}
	t := r.at[next]
	return !r.isMember(t) && !t.is("[") && !t.is("(") && !t.is("=") && !t.is(":") && !t.is("::")
}

// canonical returns the name by which the lists have a module's member.
func (r *reader) canonical(name string) string {
	for _, prefix := range []string{"node:", "globalThis.", "global.", "window.", "builtins.",
		"__builtins__.", "Kernel.", "CORE.", "CORE.GLOBAL.", "base.", "_G.", "_ENV.", "Base."} {
		if r.lang.name == "python" && prefix == "global." {
			continue
		}
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}

// moduleCall returns the module of a call such as require("fs"), and the token after it.
func (r *reader) moduleCall(name string, next int) (string, int) {
	if r.names.kind(name) != "module" || next >= len(r.at) || !r.at[next].is("(") &&
		r.at[next].kind != str {
		return "", next
	}
	if r.at[next].kind == str {
		return r.imported(r.at[next].text), next + 1
	}
	end := r.closes(next)
	text := r.value(r.at[next+1 : min(end, len(r.at))])
	if text == "" || strings.Contains(text, Hole) {
		r.act(Unknown, name)
		return "", next
	}
	module := r.imported(text)
	end = min(end+1, len(r.at))
	used := end < len(r.at) && (r.isMember(r.at[end]) || r.at[end].is("["))
	if used && r.isMember(r.at[end]) && end+1 < len(r.at) && (r.at[end+1].text == "then" ||
		r.at[end+1].text == "catch") {
		used = false
	}
	if !used && !r.bound(next) && r.names.armed(module) && !(end < len(r.at) && r.at[end].is("(")) {
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
		if r.at[i-1].kind != mark && r.at[i].text != "await" && r.at[i-1].text != "await" {
			return r.at[i-1].kind == newline
		}
	}
	return i == 0 || r.at[i].kind == newline || r.at[i].is(";")
}

// takesAddress reports whether a function that reads files also reads from addresses.
func takesAddress(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return strings.HasPrefix(last, "read_") && last != "read_text" && last != "read_bytes" ||
		strings.HasPrefix(last, "load") || strings.HasPrefix(last, "gen") ||
		strings.HasPrefix(last, "imread")
}

// finish notes what only the whole text can tell. If a file of unknown name is read or
// written, each text may be its name.
func (r *reader) finish() {
	reads, writes, far := false, false, false
	for _, a := range r.acts {
		unsure := len(a.Args) == 0 || strings.Contains(a.Args[0], Hole)
		far = far || unsure && a.Kind == Read && takesAddress(a.Name)
		reads = reads || unsure && (a.Kind == Read || a.Kind == Write || a.Kind == Load)
		writes = writes || unsure && a.Kind == Write
	}
	for _, text := range r.texts {
		if strings.ContainsAny(text, " \n") || !far && strings.Contains(text, "://") {
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
