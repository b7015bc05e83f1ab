package code

import (
	"strconv"
	"strings"
)

// meaning notes what the name does that ends before token next.
func (r *reader) meaning(i int, full string, next int, method bool) {
	if method {
		full = "." + full
	}
	kind, listed := r.names.look(full)
	// All names of such a module stand alone.
	for _, m := range r.stars {
		k, l := r.names.look(m + "." + full)
		if kind == "" && k != "" {
			kind, listed = k, l
		}
	}
	args, called := r.arguments(next)
	if called && r.lang.name == "python" && r.trusts(args) {
		r.act(Unknown, full)
	}
	end := min(r.closes(next), len(r.at)-1)
	declared := end+1 < len(r.at) && r.at[end+1].is("{")
	if r.lang.name == "node" && called && !declared && (full == "constructor" ||
		strings.HasSuffix(full, ".constructor")) {
		r.act(Unknown, full)
		return
	}
	if (full == "setTimeout" || full == "setInterval") && len(args) > 0 && len(args[0]) == 1 &&
		args[0][0].kind == str {
		kind = "unknown"
	}
	if r.lang.name == "perl" && full == "do" && called && len(args) > 0 && !args[0][0].is("{") {
		kind = "load"
	}
	if i := strings.Index(full, ".$"); r.lang.name == "perl" && i >= 0 && i+2 < len(full) &&
		nameByte(full[i+2]) {
		r.act(Unknown, full) // a method that a variable names
		return
	}
	// No list has the name.
	if kind == "" {
		r.unlisted(i, next, full, args, called)
		return
	}
	at, _ := r.names.suffix(kind, listed)
	if !called && r.toldAbout(i, next) {
		return
	}
	switch kind {
	case "unknown":
		// With this flag it reads weights, and runs no pickled code.
		if full == "torch.load" && r.keyword(args, "weights_only") == "True" {
			r.act(Read, full, r.argument(args, 0))
			return
		}
		if full == "sys.modules" && r.onlyNames(i, next) ||
			full == "gc.get_objects" && i > 1 && r.at[i-2].text == "len" {
			return
		}
		block := r.lang.name == "perl" && full == "eval" && next < len(r.at) && r.at[next].is("{")
		if !block && !r.mildReflection(full, args) {
			r.act(Unknown, full)
		}
	case "code":
		r.code(full, args, called)
	case "net":
		if !toldOf(full) && !r.declares(full) && (called || !r.constant(full)) {
			r.act(Net, full, r.argument(args, 0))
		}
	case "shell":
		r.act(Shell, full, r.argument(args, 0))
	case "argv":
		r.argv(full, args)
	case "delete":
		r.act(Delete, full, r.paths(i, args, at)...)
	case "write":
		if full == ".rename" && len(args) > 0 && len(args[0]) > 0 &&
			(r.argumentIs(args[0], "columns", "index", "mapper") || args[0][0].is("{")) {
			return // of columns
		}
		r.act(Write, full, r.paths(i, args, at)...)
	case "read":
		r.act(Read, full, r.paths(i, args, at)...)
	case "load":
		r.act(Load, full, r.paths(i, args, at)...)
	case "open":
		r.open(i, full, args, at, called)
	case "sql":
		if len(args) > 0 {
			r.act(SQL, full, r.paths(i, args, at)...)
		}
	case "env":
		r.env(full, next, args)
	}
}

// keyword returns the word that an argument of that name has as its value, or "".
func (r *reader) keyword(args [][]token, name string) string {
	for _, arg := range args {
		if len(arg) == 3 && arg[0].text == name && arg[1].is("=") {
			return arg[2].text
		}
	}
	return ""
}

// code handles a call that runs its first argument as code of the language.
func (r *reader) code(full string, args [][]token, called bool) {
	text := r.argument(args, 0)
	switch {
	case !called:
		r.act(Unknown, full)
		return
	}
	// The text is in the same language, so it is read as part of the program.
	x := lexer{lang: r.lang, text: text, depth: r.depth}
	tokens, ok := x.all()
	if !ok || strings.Contains(text, Hole) {
		r.act(Unknown, full)
		return
	}
	r.read(tokens)
}

// mildReflection reports whether a call that could reach anything reaches by its text
// only a harmless name.
func (r *reader) mildReflection(full string, args [][]token) bool {
	switch {
	case strings.HasSuffix(full, ".__class__"):
		return false
	case full == "operator.attrgetter" && len(args) > 0:
		for n := range args {
			for piece := range strings.SplitSeq(r.argument(args, n), ".") {
				if strings.Contains(piece, Hole) || strings.HasPrefix(piece, "_") ||
					r.names.kind("."+piece) != "" {
					return false
				}
			}
		}
		return true
	case full == "do.call" && r.lang.name == "r" && len(args) > 1:
		name := r.argumentName(args[0])
		if len(args[0]) == 1 && args[0][0].kind == str {
			name = args[0][0].text
		}
		_, set := r.vars[name]
		return !set && has(" rbind cbind c list data.frame paste paste0 sum max min mapply Map merge "+
			"sprintf expand.grid order union intersect append ", name)
	}
	if full != "getattr" && full != "hasattr" || len(args) < 2 {
		return false
	}
	name := r.value(args[1])
	if toldOf("." + name) {
		return true
	}
	return !strings.Contains(name, Hole) && !strings.HasPrefix(name, "_") &&
		r.names.kind("."+name) == "" && !r.names.armed(r.resolve(r.argumentName(args[0]))) &&
		!r.reaches(r.argumentName(args[0]), name)
}

// argumentName returns the name that an argument consists of, or "".
func (r *reader) argumentName(arg []token) string {
	if len(arg) == 1 && arg[0].kind == word {
		return arg[0].text
	}
	return ""
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
	switch at {
	case "@*":
		for n, arg := range args {
			if len(arg) < 3 || arg[0].kind != word || !arg[1].is("=") {
				paths = append(paths, r.argument(args, n))
			}
		}
		return paths
	case "@0":
		return []string{r.receiver(i)}
	case "":
		at = "@1"
	}
	for n := range strings.SplitSeq(at[1:], ",") {
		k, _ := strconv.Atoi(n)
		paths = append(paths, r.argument(args, k-1))
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
		if n < 2 && len(arg) > 1 && (arg[0].is("[") || arg[0].is("(") || len(arg) > 2 &&
			arg[1].is("(") && arg[0].text == "c") {
			from := 1
			if arg[0].text == "c" {
				from = 2
			}
			for _, e := range split(arg[from : len(arg)-1]) {
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
func (r *reader) open(i int, full string, args [][]token, at string, called bool) {
	if r.lang.name == "perl" && full == "sysopen" {
		r.sysopen(full, args)
		return
	}
	if r.lang.name == "perl" {
		r.perlOpen(full, args)
		return
	}
	path, mode := 0, 1
	if at == "@0,1" {
		path, mode = -1, 0
	}
	file := Hole
	if path < 0 {
		file = r.receiver(i)
	} else {
		file = r.argument(args, path)
	}
	// A name that begins with | is a command to Ruby's open.
	if strings.HasPrefix(file, "|") {
		r.act(Shell, full, file[1:])
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
	}
	switch {
	case !called && r.lang.name != "ruby":
		r.act(Read, full, Hole)
	case strings.ContainsAny(how, "wax+"+Hole) && !strings.HasPrefix(how, "utf"),
		strings.Contains(how, "append"):
		r.act(Write, full, file)
	default:
		r.act(Read, full, file)
	}
}

// env handles a read of the environment: of the variable that is named, or of all.
func (r *reader) env(full string, next int, args [][]token) {
	name := Hole
	switch {
	case len(args) > 0 && next < len(r.at) && !r.at[next].is("[") && !r.at[next].is("{"):
		name = r.argument(args, 0)
	case next < len(r.at) && (r.at[next].is("[") || r.at[next].is("{")):
		key := r.at[next+1 : min(r.closes(next), len(r.at))]
		if name = r.value(key); len(key) == 1 && key[0].kind == word && r.at[next].is("{") {
			name = key[0].text // $ENV{NAME}
		}
	case strings.Contains(full, "env.") && !strings.HasSuffix(full, ".env"):
		name = full[strings.LastIndexByte(full, '.')+1:]
	}
	r.act(Env, full, name)
}
