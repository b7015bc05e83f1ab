package code

import (
	"slices"
	"strings"
)

// unlisted handles a name that no list has. The beginning of its chain, its verb and its
// arguments tell what a package's function does.
func (r *reader) unlisted(i, next int, full string, args [][]token, called bool) {
	handed := !called && next < len(r.at) && (r.at[next].is(",") || r.at[next].is(")")) &&
		r.foreign(full)
	if !called && !handed && !(r.lang.bare && strings.Contains(full, ".")) {
		return
	}
	if r.losesByName(full) {
		r.act(Unknown, full)
		return
	}
	if called {
		r.byArgument(full, args)
	}
	path := full
	first := strings.TrimLeft(r.at[i].text, "&")
	if strings.HasPrefix(full, ".") {
		path = r.comesFrom(i) + full
	} else if from := r.from[first]; from != "" &&
		(full == first || strings.HasPrefix(full, first+".")) {
		path = from + full[len(first):]
	}
	if r.bySource(path, full, args) || !called && !handed {
		return
	}
	top, _, _ := strings.Cut(path, ".")
	if !r.installed(top) && !r.unqualified(i, path) {
		return
	}
	c := call{full: full, path: path, args: args, direct: r.foreign(full) ||
		!strings.Contains(full, "."),
		words: nameWords(path[strings.LastIndexByte(path, '.')+1:])}
	if path != full {
		c.direct = false
	}
	if len(c.words) > 0 {
		r.byName(&c)
	}
	if slices.ContainsFunc(c.words, func(w string) bool { return has(textVerbs, w) }) {
		return
	}
	// Whatever its name, a call that is given an address may talk to it.
	for n := 0; n < len(args) && n < 4; n++ {
		address := r.argument(args, n)
		for _, scheme := range []string{"http://", "https://", "ftp://", "ws://", "wss://", "s3://",
			"gs://", "tcp://", "ssh://"} {
			if strings.HasPrefix(address, scheme) {
				r.act(Net, full, address)
			}
		}
	}
}

// byArgument sees what a call does by what it is given, whatever it is called on: a statement
// for a database, or an address to which it sends.
func (r *reader) byArgument(full string, args [][]token) {
	words := nameWords(full[strings.LastIndexByte(full, '.')+1:])
	if len(args) == 0 || len(words) == 0 {
		return
	}
	text := r.argument(args, 0)
	if slices.ContainsFunc(words, func(w string) bool { return has(statementVerbs, w) }) {
		first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), " ")
		if has(" drop delete truncate alter insert update create replace attach vacuum ", first) {
			r.act(SQL, full, text)
		}
	}
	if slices.ContainsFunc(words, func(w string) bool { return has(addressVerbs, w) }) &&
		strings.Contains(text, "://") {
		r.act(Net, full, text)
	}
}

// statementVerbs are words of functions that give a database a statement.
const statementVerbs = " exec execute query run raw prepare do sql all get each batch statement "

// addressVerbs are words of functions that talk to the address that they are given.
const addressVerbs = " send beacon fetch post put request connect dial download upload navigate " +
	"goto visit "

// textVerbs are words of functions for which an address is a text like any other.
const textVerbs = " str string replace sub split detect quote unquote encode decode join format " +
	"validate normalize match escape is count " +
	"trim tokenize print echo log info debug url uri startswith slugify "

// bySource handles a member of what a module returns: git>reset is any reset whose chain
// begins with git. It reports whether a list has it.
func (r *reader) bySource(path, full string, args [][]token) bool {
	pieces := strings.Split(path, ".")
	last := pieces[len(pieces)-1]
	for _, piece := range pieces[:len(pieces)-1] {
		// Any piece of the chain may be the one that a list names.
		switch r.names.kind(piece + ">" + last) {
		case "unknown":
			r.act(Unknown, full)
		case "net":
			r.act(Net, full, r.argument(args, 0))
		case "sql":
			r.act(SQL, full, r.argument(args, 0))
		case "argv":
			r.argv(full, args)
		case "code":
			r.code(full, args, true)
		case "write":
			r.act(Write, full, r.argument(args, 0))
		case "load":
			r.act(Load, full, r.argument(args, 0))
		case "pure":
		default:
			continue
		}
		return true
	}
	return false
}

// unqualified reports whether the name at i, without a module, may come from a package
// and is not defined by the text itself.
func (r *reader) unqualified(i int, path string) bool {
	if strings.Contains(path, ".") {
		return false
	}
	switch r.lang.name {
	// In these a package puts its names beside those of the text.
	case "perl", "ruby":
		if !r.packages || strings.HasPrefix(path, "$") {
			return false
		}
	default:
		if !slices.ContainsFunc(r.stars, func(m string) bool {
			top, _, _ := strings.Cut(m, ".")
			return r.installed(top)
		}) {
			return false
		}
	}
	for k, t := range r.at {
		if t.kind != word || t.text != path {
			continue
		}
		// A name that the text defines hides the package's one.
		if k > 0 && has(" sub function def defp ", r.at[k-1].text) || k+1 < len(r.at) &&
			(r.at[k+1].is("=") ||
				r.at[k+1].is("<") && k+2 < len(r.at) && r.at[k+2].is("-")) {
			return false
		}
	}
	return true
}

// trusts reports whether an argument lifts a limit on code in what is loaded.
func (r *reader) trusts(args [][]token) bool {
	for _, arg := range args {
		if r.argumentIs(arg, "allow_pickle", "eval_str", "allow_dangerous_deserialization") &&
			arg[2].text == "True" ||
			r.argumentIs(arg, "safe_mode", "weights_only") && arg[2].text == "False" {
			return true
		}
	}
	return false
}

// reaches reports whether the module's member of that name does anything or is unknown.
func (r *reader) reaches(module, name string) bool {
	if _, imported := r.alias[module]; !imported || toldOf("."+name) {
		return false
	}
	kind := r.names.find(r.resolve(module) + "." + name)
	return strings.Contains(name, Hole) || kind != "" && kind != "pure" && kind != "join"
}

// byTable reports whether a name that does anything is picked from the table of a
// module's names: x.__dict__["remove"], vars(x)["remove"].
func (r *reader) byTable(name string, next int, args [][]token) bool {
	if r.lang.name != "python" {
		return false
	}
	module, ok := strings.CutSuffix(name, ".__dict__")
	// As in vars(x)["remove"].
	if name == "vars" && len(args) == 1 && next < len(r.at) && r.at[next].is("(") {
		module, ok, next = r.argumentName(args[0]), true, r.closes(next)+1
	}
	if !ok || next+1 >= len(r.at) {
		return false
	}
	from := next
	if r.isMember(r.at[next]) && has(" get pop __getitem__ ", r.at[next+1].text) {
		from = next + 2
	} else if !r.at[next].is("[") {
		return false
	}
	if from >= len(r.at) {
		return false
	}
	key := r.value(r.at[from+1 : max(from+1, min(r.closes(from), len(r.at)))])
	return key == "" || r.reaches(module, key)
}

// onlyNames reports whether a table of modules is used only for its names: "x" in
// sys.modules.
func (r *reader) onlyNames(i, next int) bool {
	if next < len(r.at) && (r.at[next].is("[") || r.isMember(r.at[next])) {
		return false
	}
	if i > 0 && r.at[i-1].text == "in" {
		for k := i - 2; k >= 0 && r.at[k].kind != newline && !r.at[k].is(";"); k-- {
			if r.at[k].text == "for" {
				return true // the names of the modules
			}
		}
		return true
	}
	return i > 1 && r.at[i-1].is("(") && has(" len sorted list set ", r.at[i-2].text)
}

// toldOf reports whether a name is what a module says of itself: requests.__version__.
func toldOf(full string) bool {
	return has(" __version__ __file__ __name__ __doc__ __path__ __all__ __author__ VERSION ",
		full[strings.LastIndexByte(full, '.')+1:])
}
