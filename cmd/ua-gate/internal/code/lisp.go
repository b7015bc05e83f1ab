package code

import "strings"

// lispMakes reports whether the name is one that the text itself makes with a structure or a
// record: make-pt, pt-x and pt? of (defstruct pt x).
func (r *reader) lispMakes(full string) bool {
	const makers = " defstruct define-struct struct defrecord deftype define-record-type defclass " +
		"define-class "
	for k := 1; k+1 < len(r.at); k++ {
		if !has(makers, r.at[k].text) || !r.at[k-1].is("(") {
			continue
		}
		made := r.at[k+1]
		if made.is("(") && k+2 < len(r.at) {
			made = r.at[k+2]
		}
		name := strings.Trim(made.text, "<>")
		if made.kind != word || r.names.kind(full) != "" {
			continue
		}
		for _, prefix := range []string{"make-", "->", "map->", "copy-"} {
			if full == prefix+name {
				return true
			}
		}
		if strings.HasPrefix(full, name+"-") || full == name || full == name+"?" || full == name+"." {
			return true
		}
	}
	return false
}

// qualified says of a name with a package, pkg:name, ns/name or Class/name, whether it is
// harmless, and whether it is such a name at all.
func (r *reader) qualified(full string) (harmless, known bool) {
	if strings.HasPrefix(full, ".") { // a method of Java
		return !r.grave(full) && !r.graveByWords(full), true
	}
	at := strings.IndexAny(full, "/:")
	if at <= 0 || at == len(full)-1 {
		if i := strings.LastIndexByte(strings.TrimSuffix(full, "."), '.'); i > 0 &&
			strings.Trim(full, ".") != "" {
			return r.javaClass(full), true
		}
		return false, false
	}
	space, name := full[:at], full[at+1:]
	if to, ok := r.alias[space]; ok {
		space = to
	}
	switch kind := r.names.kind(space + "/*"); {
	case kind == "pure":
		if r.names.kind(name) == "read" {
			r.act(Read, full, Hole)
		}
		return !r.grave(name) || name == "read-string" && strings.HasSuffix(space, "edn"), true
	case kind == "unknown":
		return false, true
	case full[at] == ':':
		return r.ownPackage(strings.ToLower(space), name), true
	case strings.ContainsAny(space, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
		return r.javaClass(space) && !r.grave(name), true
	case r.alias["\x00"+space] != "":
		return !r.graveByWords(name), true
	}
	return false, true
}

// javaClass reports whether the name is that of a class of Java that only computes.
func (r *reader) javaClass(full string) bool {
	full = strings.TrimSuffix(full, ".")
	last := full[strings.LastIndexByte(full, '.')+1:]
	if r.grave(last) || has(graveKinds, r.names.kind(full)) {
		return r.names.kind(last) == "read"
	}
	for _, space := range []string{"java.time.", "java.math.", "java.text.", "java.util.",
		"java.lang.", "java.io.File", "java.security.MessageDigest"} {
		if strings.HasPrefix(full, space) {
			return true
		}
	}
	return has(" Math Long Integer Double Character String Boolean Float Short Byte BigDecimal "+
		"BigInteger StringBuilder Thread Object Exception RuntimeException ArithmeticException "+
		"IllegalArgumentException ", full)
}

// ownPackage reports whether a package of Common Lisp is none of its systems' own, so that only
// the project or an installed library can have brought it in.
func (r *reader) ownPackage(space, name string) bool {
	for _, system := range []string{"sb-", "uiop", "asdf", "ql", "quicklisp", "ext", "ccl", "si",
		"sys", "system", "ffi", "cffi", "posix", "osicat", "usocket", "drakma", "dexador",
		"dex", "socket", "external-program", "inferior-shell", "trivial-", "iolib", "swank", "slynk",
		"hunchentoot",
		"clack", "woo", "legit", "cl-ssh", "excl", "lispworks", "mp", "hcl", "java", "jss", "abcl",
		"gray", "c", "clos", "compiler", "extensions", "unix", "alien", "lw", "win32", "ros",
		"roswell"} {
		if space == system || strings.HasSuffix(system, "-") && strings.HasPrefix(space, system) {
			return false
		}
	}
	if r.grave(name) || r.graveByWords(name) {
		return false
	}
	r.act(Load, space)
	return true
}

// lispRequires notes what (require …) brings in: namespaces of Clojure, with their short names,
// libraries of Racket, features of Emacs. It reports false where one may do anything.
func (r *reader) lispRequires(i int) (int, bool) {
	end, space := r.closes(max(r.around(i), 0)), ""
	for k := i + 1; k < end; k++ {
		switch t := r.at[k]; {
		case t.kind == str && strings.HasSuffix(t.text, ".rkt"):
			r.act(Load, "require", t.text)
		case t.kind == mark && strings.Contains("'`[]():", t.text):
		case t.kind != word:
			return 0, false
		case r.at[k-1].is(":") && has(" as as-alias ", t.text) && k+1 < end && space != "":
			k++
			r.alias[r.at[k].text] = space
			r.alias["\x00"+r.at[k].text] = r.alias["\x00"+space]
		case r.at[k-1].is(":") && has(" refer reload all only rename exclude verbose ", t.text):
			if t.text == "refer" && r.names.kind(space+"/*") != "pure" {
				continue
			}
		case has(" quote only-in prefix-in except-in for-syntax ", t.text):
		case r.lispLibrary(t.text):
			space = t.text
		case space != "" && !r.grave(t.text) && !r.graveByWords(t.text): // a name of the library
		default:
			return 0, false
		}
	}
	return end, true
}

// lispLibrary reports whether a library is harmless to load.
func (r *reader) lispLibrary(name string) bool {
	switch kind := r.names.kind(name + "/*"); {
	case kind == "pure":
		return true
	case kind == "unknown":
		return false
	case r.names.has("std", name):
		return true
	case r.lang.emacs:
		r.act(Load, name)
		return true
	}
	for _, family := range []string{"math/", "data/", "racket/", "srfi/", "json", "xml", "gregor",
		"threading", "rackunit", "csv-reading", "plot/"} {
		if strings.HasPrefix(name, family) {
			return !r.grave(name) && !r.graveByWords(strings.TrimPrefix(name, "racket/")) && !has(
				" racket/system racket/tcp racket/udp racket/unsafe racket/sandbox racket/gui "+
					"racket/rerequire racket/load racket/cmdline-ffi racket/runtime-path racket/lazy-require "+
					"racket/place "+
					"racket/enter racket/include racket/async-channel-io ", name)
		}
	}
	if strings.Contains(name, ".") && !r.grave(name) && !r.graveByWords(name) {
		top, _, _ := strings.Cut(name, ".")
		if has(" clojure babashka sci java javax org com cljs nrepl pod pods borkdude clj-http http "+
			"aleph ", top) {
			return false
		}
		r.act(Load, name) // of the project, or of a library that it has
		r.alias["\x00"+name] = name
		return true
	}
	return false
}

// lispKeyword reports whether the name at i is a keyword, and where to go on: :require of a
// namespace's head loads what it lists.
func (r *reader) lispKeyword(i int) (bool, int) {
	if r.lang.name != "lisp" || i == 0 || !r.at[i-1].is(":") || i > 1 && r.at[i-1].glued &&
		r.at[i-2].kind == word {
		return false, i
	}
	switch name := r.at[i].text; {
	case i < 2 || !r.at[i-2].is("(") || !has(" require use import load gen-class ", name):
	case name == "require":
		if end, ok := r.lispRequires(i); ok {
			return true, end
		}
		r.act(Unknown, name)
	default:
		r.act(Unknown, name)
	}
	return true, i + 1
}
