package code

import (
	"cmp"
	"strconv"
	"strings"
)

// meaning notes what the name does that ends before token next. A name with a dot in front is a
// member of a value. What no list has is Unknown if it is one of the language or of its modules,
// and else code of the project, of a package or of the text.
func (r *reader) meaning(i int, full string, next int) {
	kind, listed := r.names.look(full)
	first, rest, more := strings.Cut(full, ".")
	own := r.own[strings.TrimLeft(first, "$@%&")] || first != "" &&
		strings.IndexByte(r.lang.sigils, first[0]) >= 0 && kind != "env"
	_, imported := r.alias[first]
	if _, renamed := r.alias[r.at[i].text]; own && !imported && !renamed && more {
		// A variable's member.
		kind, listed = r.names.look("." + rest)
		full = "." + rest
	} else if own && !imported && !renamed && kind == "" {
		kind = "pure"
	}
	if r.lang.name == "perl" && strings.HasSuffix(full, "ARGV") &&
		(i == 0 || !has(" shift pop scalar print , ", r.at[i-1].text)) {
		r.act(Load, full) // what <> opens, which may be a command
	}
	if r.lang.name == "ruby" && !own && strings.HasPrefix(listed, ".") && first != "" &&
		first[0] >= 'A' && first[0] <= 'Z' {
		kind = "" // a class of which nothing is known
	}
	args, called := r.arguments(next)
	if kind == "" {
		if act, mild := r.unlisted(full, called); !mild {
			r.act(act, full)
		}
		return
	}
	// A text is replaced by two arguments, and a file by one.
	if listed == ".replace" && called && len(args) == 1 && r.lang.name == "python" {
		kind, listed = "write", ".rename"
	}
	if !called && r.told(i, next) {
		return
	}
	if !called && has(" open read write ", kind) && r.lang.name != "perl" {
		kind = "unknown" // what is done with it is not seen
	}
	at, _ := r.names.suffix(kind, listed)
	switch kind {
	case "unknown", "module":
		// A block runs only what stands in it.
		if r.lang.name != "perl" || full != "eval" && full != "do" || next >= len(r.at) ||
			!r.at[next].is("{") {
			r.act(Unknown, full)
		}
	case "net":
		r.act(Net, full, r.argument(args, 0))
	case "shell":
		r.otherwise(full, args)
		r.act(Shell, full, r.argument(args, 0))
	case "argv":
		r.otherwise(full, args)
		r.argv(full, args)
	case "delete":
		r.act(Delete, full, r.paths(i, args, at)...)
	case "write":
		r.act(Write, full, r.paths(i, args, at)...)
	case "read":
		r.act(Read, full, r.paths(i, args, at)...)
	case "load":
		r.act(Load, full, r.paths(i, args, at)...)
	case "open":
		r.open(i, full, args, at)
	case "sql":
		r.act(SQL, full, r.paths(i, args, at)...)
	case "env":
		r.env(full, next, args)
	}
}

// unlisted returns what a name may do that no list has, and whether that is nothing: what is not
// called, and a member that the text has made itself.
func (r *reader) unlisted(full string, called bool) (k Kind, mild bool) {
	first, rest, member := strings.Cut(full, ".")
	own := member && (first == "" || r.own[first])
	for piece := range strings.SplitSeq(rest, ".") {
		own = own && (r.own[piece] || r.names.kind("."+piece) == "pure")
		if strings.HasPrefix(piece, "_") && !own || strings.HasPrefix(piece, "$") {
			return Unknown, false
		}
	}
	switch {
	case strings.Contains(full, ".class."), r.names.has("std", first),
		r.names.has("armed", first), r.underModule(full):
		return Unknown, false
	case own, !called && !r.lang.bare:
		return Load, true
	case first == "" && member, r.packages, r.own[first]:
		return Load, false
	case r.lang.name == "perl" && !member && strings.ToUpper(first) == first:
		return Load, false // the handle of a file
	}
	return Unknown, false
}

// underModule reports whether the name is below one of a module of several pieces: IO.File.new.
func (r *reader) underModule(full string) bool {
	for i := range full {
		if full[i] == '.' && r.names.has("std", full[:i]) {
			return true
		}
	}
	return false
}

// told reports whether the name, which is not called, is all that a function gets that tells
// about a function: inspect.getsource(requests.get).
func (r *reader) told(i, next int) bool {
	return i > 1 && next < len(r.at) && r.at[i-1].is("(") && r.at[next].is(")") &&
		!r.own[r.at[i-2].text] && has(" dir getsource getsourcefile getsourcelines "+
		"getfile getdoc getmodule ", r.at[i-2].text)
}

// argument returns the value of the argument with index n, or a Hole.
func (r *reader) argument(args [][]token, n int) string {
	if n >= len(args) || len(args[n]) == 0 {
		return Hole
	}
	arg := args[n]
	if len(arg) > 2 && arg[0].kind == word && arg[1].is("=") {
		arg = arg[2:]
	}
	return r.value(arg)
}

// paths returns the arguments that a list says are paths: "@1" is the first, "@0" what
// the method is called on, "@*" all of them. By default it is the first.
func (r *reader) paths(i int, args [][]token, at string) (paths []string) {
	if at == "@*" {
		for n, arg := range args {
			if len(arg) < 3 || arg[0].kind != word || !arg[1].is("=") {
				paths = append(paths, r.argument(args, n))
			}
		}
		return paths
	}
	for n := range strings.SplitSeq(cmp.Or(at, "@1")[1:], ",") {
		if k, _ := strconv.Atoi(n); k > 0 {
			paths = append(paths, r.argument(args, k-1))
		} else {
			paths = append(paths, r.receiver(i))
		}
	}
	return paths
}

// receiver returns the value of what the method named at token i is called on.
func (r *reader) receiver(i int) string {
	if i > 1 && r.isMember(r.at[i-1]) {
		from := i - 2
		for r.at[from].is(")") || r.at[from].is("]") {
			open := r.opening(from)
			if open <= 0 {
				break
			}
			from = open
			for from > 0 && (r.at[from-1].kind == word || r.isMember(r.at[from-1])) {
				from--
			}
		}
		return r.value(r.at[from : i-1])
	}
	first, _, _ := strings.Cut(r.at[i].text, ".")
	if text, ok := r.vars[first]; ok {
		return text
	}
	return Hole
}

// otherwise notes an option of a call that runs a program by which another one may run.
func (r *reader) otherwise(full string, args [][]token) {
	for _, arg := range args {
		for i, t := range arg {
			if i+1 < len(arg) && (arg[i+1].is("=") || arg[i+1].is(":")) &&
				has(" env cwd executable preexec_fn argv0 execPath chdir ", t.text) {
				r.act(Unknown, full)
			}
		}
	}
}

// argv handles a call that runs a program.
func (r *reader) argv(full string, args [][]token) {
	var words []string
	whole := false // one text that a shell reads
	for n, arg := range args {
		if len(arg) > 2 && arg[0].kind == word && (arg[1].is("=") || arg[1].is(":")) {
			whole = whole || arg[0].text == "shell" && arg[2].text != "False" &&
				arg[2].text != "false"
			continue
		}
		if n < 2 && len(arg) > 1 && (arg[0].is("[") || arg[0].is("(")) {
			for _, e := range split(arg[1 : len(arg)-1]) {
				words = append(words, r.value(e))
			}
			continue
		}
		if len(arg) > 0 && !arg[0].is("{") {
			words = append(words, r.value(arg))
		}
	}
	switch {
	case len(words) == 0 || strings.Contains(words[0], Hole):
		r.act(Unknown, full)
	// Python alone takes one text as a program's name, unless shell is true.
	case len(words) == 1 && (whole || r.lang.name != "python"):
		r.act(Shell, full, words[0])
	default:
		r.act(Argv, full, words...)
	}
}

// open handles a call that opens a file, where the mode decides. The list says the places
// of the path and of the mode: "@1,2".
func (r *reader) open(i int, full string, args [][]token, at string) {
	if r.lang.name == "perl" {
		r.perlOpen(full, args)
		return
	}
	file, mode := r.argument(args, 0), 1
	if at == "@0,1" {
		file, mode = r.receiver(i), 0
	}
	// A name that begins with | is a command to Ruby's open.
	if r.lang.name == "ruby" && full == "open" && (strings.HasPrefix(file, "|") ||
		strings.HasPrefix(file, Hole)) {
		r.act(Shell, full, strings.TrimPrefix(file, "|"))
		return
	}
	how := ""
	if mode < len(args) && !(len(args[mode]) > 2 && args[mode][0].kind == word &&
		args[mode][1].is("=")) {
		how = r.argument(args, mode)
	}
	for _, arg := range args {
		if len(arg) > 2 && arg[0].text == "mode" {
			how = r.value(arg[2:])
		}
		if len(arg) > 0 && (arg[0].is("*") || arg[0].is("**")) {
			how = Hole
		}
		if len(arg) > 2 && arg[0].text == "opener" {
			r.act(Unknown, full)
		}
	}
	kind := Read
	if strings.ContainsAny(how, "wax+123456789"+Hole) && !strings.HasPrefix(how, "utf") {
		kind = Write
	}
	r.act(kind, full, file)
}

// env handles a read of the environment: of the variable that is named, or of all.
func (r *reader) env(full string, next int, args [][]token) {
	name := Hole
	switch {
	case r.lang.name == "ruby" && strings.HasPrefix(full, "ENV.") && full != "ENV.fetch":
	case len(args) > 0 && next < len(r.at) && !r.at[next].is("[") && !r.at[next].is("{"):
		name = r.argument(args, 0)
	case next < len(r.at) && (r.at[next].is("[") || r.at[next].is("{")):
		key := r.at[next+1 : min(r.closes(next), len(r.at))]
		if name = r.value(key); len(key) == 1 && key[0].kind == word && r.at[next].is("{") {
			name = key[0].text // $ENV{NAME}
		}
		if end := r.closes(next); end+1 < len(r.at) && r.at[end+1].is("=") {
			r.act(Unknown, full) // which changes what programs do
		}
	case next < len(r.at) && has(" = += ??= ||= ", r.at[next].text):
		r.act(Unknown, full) // which changes what programs do
	case strings.Contains(full, ".env.") && len(args) == 0 && !strings.HasSuffix(full, "toObject"):
		name = full[strings.LastIndexByte(full, '.')+1:]
	}
	r.act(Env, full, name)
}
