package code

import (
	"slices"
	"strings"
)

// trusted reports whether a name that no list has is harmless in a language whose lists are
// closed: they have all functions of the language by which a text changes files, starts
// programs, talks to others or finds a function by a text.
func (r *reader) trusted(i int, full string, method bool) bool {
	switch r.lang.name {
	case "haskell", "ocaml":
		if !r.knownModule(i, full) {
			return false
		}
	case "tcl":
		if i > 0 && r.at[i-1].is("$") && r.at[i].glued && !r.tclVariable(i) {
			return false // the value of a variable is the command
		}
	case "lisp":
		if r.lispMakes(full) {
			return true
		}
		if ok, known := r.qualified(full); known {
			return ok
		}
	}
	if r.grave(full) || r.graveByWords(full) {
		return false
	}
	for piece := range strings.SplitSeq(full, ".") {
		if r.names.kind(piece) == "read" || r.names.kind("."+piece) == "read" {
			r.act(Read, full, Hole)
		}
	}
	return true
}

// graveKinds are the kinds of names that a text may not have at all, whatever it does with them.
const graveKinds = " unknown code shell argv net delete write open load env "

// grave reports whether a piece of the name has a kind that is not harmless.
func (r *reader) grave(full string) bool {
	for piece := range strings.SplitSeq(strings.TrimPrefix(full, "."), ".") {
		if has(graveKinds, r.names.kind(piece)) || has(graveKinds, r.names.kind("."+piece)) {
			return true
		}
	}
	return false
}

// graveWords are words of names by which any language calls what starts programs, reaches
// other machines, loads machine code or deletes files.
const graveWords = " exec execute execv execvp execl execlp spawn shell popen " +
	"system fork socket " +
	"http https url ftp tcp udp ssh smtp download downloader upload unlink rmdir " +
	"mkdir rmtree dlopen ffi foreign native syscall getenv setenv putenv environ " +
	"unsafe jni jna eval evaluate subprocess reflect reflection classloader " +
	"deserialize unmarshal pickle "

// graveByWords reports whether one of the words of a name says that it is not harmless.
func (r *reader) graveByWords(full string) bool {
	if r.names.kind(full) == "pure" {
		return false
	}
	if r.lang.name == "haskell" || r.lang.name == "ocaml" {
		full = full[strings.LastIndexByte(full, '.')+1:] // of a module that is known
	}
	words := nameWords(full)
	grave := func(w string) bool { return has(graveWords, w) }
	if r.lang.name == "lisp" {
		grave = func(w string) bool { return has(graveWords, w) || has(lispWords, w) }
	}
	return slices.ContainsFunc(words, grave)
}

// lispWords are words that make a name of a Lisp grave: the many dialects name their functions
// alike, and no list has all of them.
const lispWords = " process command run load require compile delete remove kill rename copy " +
	"write save open create make directory install fetch request connect send mail browse " +
	"intern symbol namespace module resolve import environment env dynamic alien pointer " +
	"alloc free lib library dribble trace advise hook reader macro dispatch " +
	"output append replace update publish sh spit serve listen "

// codeInText reports whether a text that stands in quotes may be code which the lexer took for
// a text, or that a function evaluates: it calls a name that is not harmless.
func (r *reader) codeInText(text string) bool {
	lines := strings.ContainsAny(text, "\n;")
	for i := 0; i < len(text); {
		if !r.nameByte(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && r.nameByte(text[i]) {
			i++
		}
		called := r.lang.name == "lisp" && from > 0 && text[from-1] == '(' ||
			r.lang.name != "lisp" && strings.HasPrefix(strings.TrimLeft(text[i:], " "), "(")
		if (called || lines) && r.grave(text[from:i]) && r.names.kind(text[from:i]) != "pure" {
			return true
		}
	}
	return false
}

func (r *reader) nameByte(c byte) bool {
	return nameByte(c) || strings.IndexByte(r.lang.inside, c) >= 0
}

// knownModule reports whether the module that the name begins with, in OCaml or Haskell, is
// one that is listed as harmless, or one of the text's own.
func (r *reader) knownModule(i int, full string) bool {
	first, rest, more := strings.Cut(full, ".")
	if full == "" || full[0] < 'A' || full[0] > 'Z' {
		return true
	}
	loads := i > 0 && has(" open include import qualified ", r.at[i-1].text) ||
		i > 1 && r.at[i-1].is("=") && r.lang.name == "ocaml" && i > 2 && r.at[i-3].text == "module"
	if !more && !loads {
		return true // a constructor
	}
	if r.lang.name == "ocaml" {
		if slices.ContainsFunc(indexes(r.at, first),
			func(k int) bool { return k > 0 && r.at[k-1].text == "module" }) && !loads {
			return true
		}
		return r.names.has("std", first) && !(loads && has(" Sys Stdlib ", first))
	}
	module := full
	if !loads {
		for rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' && strings.Contains(rest, ".") {
			var piece string
			piece, rest, _ = strings.Cut(rest, ".")
			first += "." + piece
		}
		module = first
	}
	if !loads && slices.ContainsFunc(indexes(r.at, module),
		func(k int) bool { return k > 0 && r.at[k-1].text == "as" }) {
		return true
	}
	for m := module; m != ""; {
		if r.names.has("std", m) {
			return true
		}
		k := strings.LastIndexByte(m, '.')
		if k < 0 {
			return false
		}
		m = m[:k]
	}
	return false
}

// jvmPackages are the names that the packages of a language of the JVM begin with whose classes
// the lists know by their own names.
func jvmPackages(language string) string {
	switch language {
	case "java", "groovy", "scala", "kotlin":
		return " java groovy kotlin scala "
	}
	return ""
}

// className returns the name that begins at i without the packages before the class:
// java.nio.file.Files.delete is Files.delete.
func (r *reader) className(i int) (string, int) {
	next := i + 1
	for next+1 < len(r.at) && r.isMember(r.at[next]) && r.at[next+1].kind == word {
		i, next = next+1, next+2
		if c := r.at[i].text[0]; c >= 'A' && c <= 'Z' {
			break
		}
	}
	name := r.at[i].text
	for next+1 < len(r.at) && r.isMember(r.at[next]) && r.at[next+1].kind == word {
		name, next = name+"."+r.at[next+1].text, next+2
	}
	return name, next
}

// lispOpen is open of a Lisp, which reads unless one of its words says otherwise.
func (r *reader) lispOpen(i int, full string) {
	open := max(r.around(i), 0)
	for k := open; k < len(r.at) && k <= r.closes(open); k++ {
		word := strings.ToLower(r.at[k].text)
		reads := k+2 < len(r.at) && strings.EqualFold(r.at[k+2].text, "input")
		if has(" output io if-exists create append ", word) || word == "direction" && !reads ||
			strings.HasPrefix(word, "o_") && word != "o_rdonly" {
			r.act(Write, full, Hole)
			return
		}
	}
	r.act(Read, full, Hole)
}

// plainName reports whether a call of R that finds a function by its name finds one that is
// written there and is harmless: do.call(rbind, …), match.fun("sum").
func (r *reader) plainName(full string, args [][]token) bool {
	if !has(" do.call match.fun get mget ", full) || len(args) == 0 {
		return false
	}
	names := args[0]
	if full == "mget" && len(names) > 3 && names[0].text == "c" {
		names = names[2 : len(names)-1]
	}
	for _, t := range names {
		_, set := r.vars[t.text]
		switch {
		case t.is(","):
		case t.kind == str || t.kind == word && !set && !r.parameterOf(t.text):
			if k := r.names.kind(t.text); k != "" && k != "pure" || strings.Contains(t.text, Hole) {
				return false
			}
		default:
			return false
		}
	}
	return len(names) == 1 || full == "mget"
}

// parameterOf reports whether a function that the text defines is given something of that name.
func (r *reader) parameterOf(name string) bool {
	for _, k := range indexes(r.at, name) {
		open := r.around(k)
		if open > 0 && has(" function for ", r.at[open-1].text) || open > 0 && r.at[open-1].is(`\`) {
			return true
		}
	}
	return false
}
