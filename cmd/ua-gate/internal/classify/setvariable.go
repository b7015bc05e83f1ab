package classify

import (
	"path"
	"slices"
	"strings"
)

// setting is the rule for a variable that is set, for the words if they are
// there, or for all that comes later.
func (w *walker) setting(p *Part, s setting, words []word) {
	text := s.val.text
	if w.unknownName(s.name) {
		p.add(runsHidden, "env:", "sets a variable whose name is not known")
		return
	}
	if strings.HasPrefix(text, "() {") {
		p.add(runsHidden, "env:"+s.name, s.name+" is a function that shells run")
		p.Unread = true
		return
	}
	// Where the shell takes the value for a number it evaluates a subscript in it.
	if subscripted(text) {
		p.add(runsHidden, "word:subscript",
			"the value of "+s.name+" has a subscript that runs a command")
		w.inSubscript(p, text)
	}
	w.prompts(p, s, words)
	// The settings in another home are read as if the user had made them.
	if s.name == "HOME" && w.o.Lasts && len(words) > 0 {
		p.add(runsHidden, "env:HOME", "a program reads the settings of another home")
		return
	}
	if w.o.Lasts && text != "" && inList(searched, s.name) {
		p.add(runsOwn, "env:"+s.name, s.name+" says where programs load code from")
	}
	// Without a command behind it the variable stays for all that the person does later.
	if len(words) == 0 && w.inLive() && (w.lastingVariable(s.name) || lastingPrompt(s)) {
		w.raiseLasting(p, s.name)
		return
	}
	switch kind, known := w.variable(s.name); {
	case s.name == "GOPROXY" && strings.Contains(text, "://") &&
		!strings.Contains(text, "://proxy.golang.org") &&
		!strings.Contains(text, "://localhost") && !strings.HasPrefix(text, "file:"):
		p.add(runsHidden, "env:"+s.name, s.name+" names where code is fetched from: "+show(text))
	case !known && namesProgram(s.name) && isUpper(s.name) && len(words) > 0 && !toolValue(text) &&
		strings.ContainsAny(text, "/ "):
		p.add(runsHidden, "env:"+s.name, s.name+" names a program: "+show(text))

	case !known && s.val.from == fromTemp && text == "/tmp/"+hole && !namesProgram(s.name):
		// an empty folder that mktemp has made

	case kind == varDanger && known && (text == "" && len(words) > 0 &&
		!strings.HasPrefix(s.name, "HIST") ||
		w.mildOptions(s.name, text)):
	// No table has the name. Only a value that can lead nowhere is let be.
	case !known:
		if len(words) > 0 && !plainValue(s.name, text) && !plainPlace(s.name, text) &&
			!(strings.HasPrefix(words[0].text, "./") && listOfWords(text)) {
			p.add(runsHidden, "env:"+s.name, "nobody knows what "+s.name+" makes a program do")
		}
	case kind == varHarmless && !(strings.HasPrefix(s.name, "PS") &&
		(substitutes(text) || octalLetter.match(text))):
	// A PATH may find what this command has written under the name of another program.
	case kind == varSearch && w.shadows(text) != "":
		p.add(runsHidden, "env:"+s.name, s.name+" finds the "+w.shadows(text)+
			" that this command has written before the system's")
	case kind == varSearch && searchPath(text) && !(w.o.Lasts && projectPath(text)):
	case kind == varPath && below(text):
	case kind == varPager && oneOf(text, "cat less more most head tail bat delta"):
	case kind == varEditor && oneOf(text, "true : cat vi vim nvim nano emacs ed code"):
	case kind == varTool && (toolValue(text) || len(w.written)+len(w.fetched) == 0 &&
		strings.HasPrefix(text, "./") && below(text) && !strings.ContainsAny(text, " $`")):
	case kind == varFlags && mildFlags(text):
	// What is left is known to make programs load or run what it names.
	default:
		p.add(runsHidden, "env:"+s.name, s.name+" may make a program run other code")
	}
}

// searched are the variables by which interpreters find modules before their own: each program
// that is written in such a language loads what is there, also one that else only reads. Inside
// a sandbox that can do no more than it.
const searched = " PYTHONPATH PERL5LIB PERLLIB RUBYLIB NODE_PATH LUA_PATH LUA_CPATH R_LIBS " +
	"ERL_LIBS VIRTUAL_ENV CONDA_PREFIX "

// isUpper reports whether the name is written as variables of the environment are.
func isUpper(name string) bool { return strings.ToUpper(name) == name }

// fills is the rule for a builtin that puts into a variable what nobody has read.
func (w *walker) fills(p *Part, name string) {
	name, _, _ = strings.Cut(name, "[")
	if w.unknownName(name) {
		p.add(runsHidden, "env:", "nobody knows which variable gets a value")
	}
	if w.inLive() && (w.lastingVariable(name) || lastingPrompt(setting{name, word{text: hole}})) {
		w.raiseLasting(p, name)
	}
	if kind, known := w.variable(name); known && kind != varHarmless {
		p.add(runsHidden, "env:"+name, "what comes into "+name+" may make a program run other code")
	}
	if inList(ranByShells, name) {
		p.add(runsHidden, "env:"+name, "the shell runs the commands in what comes into "+name)
		p.Unread = true
	}
}

// variable returns what setting the variable means, by the user's rows or the
// embedded ones.
func (w *walker) variable(name string) (varKind, bool) {
	if w.o.Overlay != nil {
		if k, ok := w.o.Overlay.vars.kind(name); ok {
			return k, true
		}
	}
	return w.o.embedded().variables().kind(name)
}

// oneOf reports whether the text is one of the programs, perhaps with harmless
// flags.
func oneOf(text, programs string) bool {
	words := strings.Fields(text)
	if len(words) == 0 {
		return true
	}
	if strings.ContainsAny(text, ";|&$`<>()!\n"+hole) {
		return false
	}
	name := strings.TrimRight(strings.TrimPrefix(words[0], "/usr/bin/"), "-.0123456789")
	return slices.Contains(strings.Fields(programs), name) ||
		slices.Contains(strings.Fields(programs), words[0])
}

// mildFlags reports whether flags load no code.
func mildFlags(text string) bool {
	for _, bad := range []string{"exec", "require", "import", "loader", "preload", "agent",
		"plugin",
		"wrapper", "specs", "linker", "toolexec", "vettool", "overlay", "modfile", "inspect", "--eval",
		"-r ", "-e ", "-B", "OnError", "OnOutOf", "bootclasspath", "-fuse-ld=/", "-fuse-ld=.",
		"@", "command", "-p ", "$(", "${", "`", "file="} {
		if strings.Contains(text, bad) {
			return false
		}
	}
	for i := strings.IndexByte(text, '$'); i >= 0 && i+1 < len(text); i++ { // ^TestX$ is a pattern
		if text[i] == '$' && strings.IndexByte(" '\"|)", text[i+1]) < 0 {
			return false
		}
	}
	return true
}

// searchPath reports whether all folders of a PATH are the system's, the user's
// own or a project's tools.
func searchPath(text string) bool {
	dirs := strings.Split(text, ":")
	own := slices.Index(dirs, hole) // what stands behind it hides no program of the system
	if own < 0 {
		own = len(dirs)
	}
	for i, dir := range dirs {
		switch {
		case dir == "" || dir == hole || systemDir(dir) || projectDir(dir):
		case strings.HasPrefix(dir, "~/") && i < own && !toolHome(dir[2:]):
			return false
		case strings.HasPrefix(dir, "~/") || strings.HasPrefix(dir, "/opt/") ||
			strings.HasPrefix(dir, "/usr/"):
		case strings.HasPrefix(dir, hole+"/") && !strings.Contains(dir, "tmp"), strings.HasPrefix(dir,
			"./node_modules/.bin"), dir == "./bin":
		default:
			return false
		}
	}
	return true
}

// shadows returns the name of a program that the table knows where the command has written a file
// of that name into a folder of a PATH, or nothing.
func (w *walker) shadows(text string) string {
	for _, file := range w.written {
		dir, name := path.Split(file)
		for in := range strings.SplitSeq(text, ":") {
			in = strings.TrimPrefix(strings.TrimPrefix(in, hole+"/"), "./")
			if in != "" && in != hole && strings.HasSuffix(dir, "/"+strings.Trim(in, "/")+"/") &&
				w.row(name) != nil {
				return name
			}
		}
	}
	return ""
}

// toolHome reports whether a folder of the home is one where tools put programs, and not where
// anything may lie.
func toolHome(dir string) bool {
	top, _, _ := strings.Cut(dir, "/")
	return strings.HasPrefix(top, ".") || inList(" bin go gopath anaconda3 miniconda3 miniforge3 "+
		"mambaforge Library sdk flutter android-sdk Android "+
		"development google-cloud-sdk perl5 texlive homebrew n opt ", top)
}

// projectPath reports whether a folder of a PATH is a project's, where a program may have the
// name of one that only reads.
func projectPath(text string) bool {
	for dir := range strings.SplitSeq(text, ":") {
		if projectDir(dir) || strings.HasPrefix(dir, "./") {
			return true
		}
	}
	return false
}

// below reports whether all folders of a list are below the working directory.
func below(text string) bool {
	for _, dir := range strings.Split(text, ":") {
		if strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~") || strings.Contains(dir, "..") ||
			strings.Contains(dir, hole) && dir != hole {
			return false
		}
	}
	return true
}

// plainPlace reports whether the value of a variable that no row knows is a path and
// nothing else, which namesPlace judges, and its name is none of those of programs.
func plainPlace(name, text string) bool {
	puts, loads := placeWords(name)
	code := inList(" .so .dylib .dll .jar .js .mjs .cjs .ts .py .rb .pl .lua .sh .php .exe .wasm ",
		path.Ext(text))
	return !strings.ContainsAny(text, " ;|&`!$\n"+hole) && !namesProgram(name) &&
		plainValue(name, "x") && !code && (puts || !loads || below(text))
}

// listOfWords reports whether a value is several plain words, as a script of the project is told
// what to do by; none of them is a program that loses or starts something.
func listOfWords(text string) bool {
	unquoted := strings.NewReplacer("'", " ", `"`, " ", "=", " ").Replace(text)
	for word := range strings.FieldsSeq(unquoted) {
		if level, _ := taskLevel(word); level > readOnly || inList(losingPrograms, word) ||
			startsCommand(word) || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz"+
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,") != "" {
			return false
		}
	}
	return true
}

// plainValue reports whether the value of a variable that no row knows can be
// neither a program nor a file: a word, a number, an address of a name that
// says so.
func plainValue(name, text string) bool {
	for _, tail := range []string{"_DIR", "_FILE", "_URL", "_URI", "_HOST", "_PORT", "_NAME",
		"_VERSION", "_LEVEL", "_MODE", "_ENV", "_ID", "_KEY", "_TOKEN", "_DSN", "_ROOT", "_OUT",
		"_OUTPUT", "_TAG", "_COLORS"} {
		if strings.HasSuffix(name, tail) {
			return !substitutes(text)
		}
	}
	// Settings may say what is run, so they have to be the project's.
	if strings.HasSuffix(name, "_CONFIG") || strings.HasSuffix(name, "_CONF") ||
		strings.HasSuffix(name, "_SETTINGS") {
		return below(text) && !substitutes(text) && !strings.ContainsAny(text, " ;|&")
	}
	if strings.HasSuffix(name, "FLAGS") && name != "FLAGS" &&
		!strings.ContainsAny(text, "/;|&<>(){}") {
		return mildFlags(text)
	}
	if strings.HasSuffix(name, "ARGS") && name != "ARGS" {
		return mildFlags(text)
	}
	// Names that end so hold a program, or options that may load one.
	for _, tail := range []string{"PAGER", "EDITOR", "_COMMAND", "_CMD", "_WRAPPER", "_PRELOAD",
		"_HELPER", "_EXEC", "_HOOK", "_SHELL", "_BROWSER", "_LIBRARY_PATH", "_PLUGIN", "_PLUGINS",
		"_LOADER", "_OPTS", "_OPTIONS", "_STARTUP", "_PROGRAM"} {
		if strings.HasSuffix(name, tail) {
			return text == ""
		}
	}
	if scheme, rest, found := strings.Cut(text, "://"); found && scheme != "file" {
		text = strings.ReplaceAll(rest, "/", "")
	}
	return !strings.ContainsAny(text, "/ ;|&`!$\n")
}
