package classify

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/internal/common/verdict"
)

// A setting is a variable set for one command.
type setting struct {
	name string
	val  word
}

// call classifies a simple command as written: its assignments, its words, what
// runs inside them, and what it does.
func (w *walker) call(c *syntax.CallExpr, io *stdio, sc *scope, parts *[]Part) stream {
	var p Part
	w.mark(&p, c)
	if len(c.Args) == 0 {
		return w.assignments(c, &p, sc, parts)
	}
	var words []word
	for _, arg := range c.Args {
		words = append(words, w.fields(arg, sc, &p.Parts)...)
	}
	inner := sc
	var env []setting
	if len(c.Assigns) > 0 {
		inner = sc.sub()
		for _, a := range c.Assigns {
			v := w.assign(a, inner, &p)
			if a.Name != nil {
				env = append(env, setting{a.Name.Value, v})
			}
		}
		if len(words) > 0 && changesShell(words[0].text) {
			inner = sc
		}
	}
	w.direct = true
	out := w.command(&p, words, io.in, inner)
	for _, s := range env {
		w.setting(&p, s, words)
		w.namesPlace(&p, s, words, inner)
		out.bits |= s.val.from &^ passing
	}
	if io.net && readsScript(&p) {
		p.raise(denied, "pipe:net", "a shell on a network connection")
	}
	*parts = append(*parts, p)
	w.again(c, words, io, inner, parts)
	return out
}

// readsScript reports whether the part is a shell that runs its input, or runs one.
func readsScript(p *Part) bool {
	for i := range p.Parts {
		if readsScript(&p.Parts[i]) {
			return true
		}
	}
	return p.Row == "pipe:shell"
}

// again classifies the command for each of the other values that its variables
// may have.
func (w *walker) again(c *syntax.CallExpr, words []word, io *stdio, sc *scope, parts *[]Part) {
	if !slices.ContainsFunc(words, func(wd word) bool { return wd.maybe }) {
		return
	}
	for _, name := range sortedKeys(sc.vars) {
		for _, v := range sc.vars[name].others() {
			other := sc.sub()
			other.vars[name] = v
			var p Part
			var list []word
			for _, arg := range c.Args {
				list = append(list, w.fields(arg, other, &p.Parts)...)
			}
			w.command(&p, list, io.in, other)
			if w.mark(&p, c); p.Level > (*parts)[len(*parts)-1].Level {
				*parts = append(*parts, p)
			}
		}
	}
}

// changesShell names the builtins that change the scope in which they stand.
func changesShell(name string) bool {
	switch name {
	case "cd", "pushd", "popd", "eval", "read", "printf", "unset", "export", "set", "mapfile",
		"readarray",
		"exec", "command", "builtin", "alias", "unalias", "trap":
		return true
	}
	return false
}

// assignments returns a command of nothing but assignments.
func (w *walker) assignments(c *syntax.CallExpr, p *Part, sc *scope, parts *[]Part) (out stream) {
	for _, a := range c.Assigns {
		v := w.assign(a, sc, p)
		if a.Name != nil {
			w.setting(p, setting{a.Name.Value, v}, nil)
		}
		out.bits |= v.from
	}
	if p.Level > readOnly || len(p.Parts) > 0 {
		if p.Row == "" {
			p.Row, p.Reason = "assignment", "sets variables"
		}
		*parts = append(*parts, *p)
	}
	return out
}

// run classifies a command that another one starts.
func (w *walker) run(words []word, in stream, sc *scope, parts *[]Part) stream {
	var p Part
	out := w.command(&p, words, in, sc)
	if len(words) > 0 && words[0].src != nil && w.source != "" {
		w.mark(&p, words[0].src)
	}
	p.Text = join(words)
	*parts = append(*parts, p)
	return out
}

// join returns the words as a line, for people.
func join(words []word) string {
	var b strings.Builder
	for i, wd := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		text := show(wd.text)
		if strings.ContainsAny(text, " \n\t;|&'\"$") {
			text = "'" + text + "'"
		}
		b.WriteString(text)
	}
	return b.String()
}

// command classifies words as the shell runs them, into p. It gives back what
// the command's output carries.
func (w *walker) command(p *Part, words []word, in stream, sc *scope) stream {
	direct := w.direct
	w.direct = false
	if w.simple++; w.simple > MaxSimple || len(words) == 0 {
		return in
	}
	if w.depth++; w.depth > MaxDepth {
		w.depth--
		p.raise(destructive, "limit:depth", "too many commands inside commands")
		p.Unread = true
		return in
	}
	defer func() { w.depth-- }()
	out := stream{bits: (in.bits | p.setWords(words)) &^ passing, open: true}
	if words[0].text == "" && len(words) == 1 {
		return out
	}
	if !words[0].known() {
		if w.builtHere(words[0], sc) {
			p.raise(buildTest, "program:built", show(words[0].text)+" is what this command has built")
			return out
		}
		w.scriptWord(p, words[0])
		return out
	}
	name := words[0].text
	r, level := w.program(name)
	if r == nil && sc.funcs[name] == nil {
		r = w.byName(name, words[1:])
	}
	if inList(fishWords, name) && w.shell() != "fish" {
		r = nil
	}
	a := argv{w: w, p: p, sc: sc, in: in, row: r, name: path.Base(name), base: level,
		words: words[1:]}
	p.Name = a.name
	if text, ok := sc.aliases[name]; ok && w.depth < MaxDepth {
		inner := sc.sub()
		inner.aliases = nil
		w.text(text+" "+join(words[1:]), in, inner, &p.Parts)
	}
	if name == "unset" || name == "unfunction" || name == "functions" {
		sc.doubtFunctions(words[1:])
	}
	if f := sc.funcs[name]; f != nil {
		called := w.called(p, f, words[1:], in, sc)
		if r == nil || direct && f.sure && !inList(specialBuiltins, name) {
			called.bits |= out.bits
			return called
		}
	}
	if r == nil {
		a.unknownProgram(name)
		return out
	}
	if r.facts&factUa != 0 {
		w.delegates = true
	}
	a.base = max(a.base, r.level)
	a.do()
	w.lasts(&a)
	out.bits |= a.out
	if a.known {
		out.text, out.known = a.printed, true
	}
	if p.Level == network {
		w.leak(p, out.bits)
		out.bits |= fromNet
	}
	return out
}

// specialBuiltins are the builtins that sh looks for before functions, and those that look
// for a program past them or take one away.
const specialBuiltins = " . : break continue eval exec exit export readonly return set shift " +
	"times trap unset source " +
	"command builtin env "

// setWords notes what is known of the words, and gives back what they carry.
func (p *Part) setWords(words []word) (carried flow) {
	p.Words = make([]Word, len(words))
	for i, wd := range words {
		text := strings.ReplaceAll(wd.text, hole, "")
		p.Words[i] = Word{Text: text, Known: wd.known(), Multi: wd.multi}
		carried |= wd.from
	}
	return carried
}

// called judges a call of a function of this command.
func (w *walker) called(p *Part, f *function, args []word, in stream, sc *scope) stream {
	for _, wd := range args {
		if subscripted(wd.text) {
			p.raise(destructive, "word:subscript",
				"an argument with a subscript that runs a command")
		}
	}
	out := w.invoke(f, args, in, sc, &p.Parts)
	p.raise(readOnly, "function", "a function of this command")
	return out
}

// scriptWord is the rule for a program whose name is not known.
func (w *walker) scriptWord(p *Part, name word) {
	if name.from&(fromNet|fromDecode) != 0 {
		w.scriptFrom(p, name.from, "the shell")
		return
	}
	p.raise(destructive, "word:command", "the program's name, "+show(name.text)+", is not known")
}

// program returns the row of a program by the word that names it, and the least
// level that its place gives it.
func (w *walker) program(name string) (*row, verdict.Level) {
	dir, base := path.Split(name)
	if dir == "" {
		if r := w.row(base); r != nil {
			return r, readOnly
		}
		return w.versioned(base), readOnly
	}
	r := w.row(base)
	if r == nil {
		r = w.versioned(base)
	}
	switch dir = strings.TrimSuffix(dir, "/"); {
	case r == nil && projectDir(path.Clean(dir)) &&
		!strings.HasPrefix(path.Clean(dir), "target/") &&
		!w.hasWritten(lit(name), &scope{cwd: w.o.Cwd}):
		return projectTool(base), buildTest
	case r == nil:
		return nil, destructive
	case systemDir(path.Clean(dir)):
		return r, readOnly
	case buildDir(path.Clean(dir)) && r.level < destructive && !inList(losingPrograms, base) &&
		(!w.hasWritten(lit(name), &scope{cwd: w.o.Cwd}) ||
			slices.Contains(w.built, w.at(name, &scope{cwd: w.o.Cwd}).abs)):
		return projectTool(base), buildTest // what is built there only shares the name
	case projectDir(path.Clean(dir)), path.Clean(dir) == "bin" &&
		inList(" rails rake rspec rubocop bundle brakeman artisan phpunit ", base),
		inList(projectCopies, base) && (!strings.ContainsRune("/~", rune(name[0])) ||
			w.inWorkspace(w.at(name, &scope{}))):
		return r, buildTest
	}
	return nil, destructive
}

// versioned returns the row of a program whose name ends in a version:
// python3.12, gcc-13, clang-format-18.
func (w *walker) versioned(base string) *row {
	short := strings.TrimRight(base, "0123456789.")
	if short = strings.TrimSuffix(short, "-"); short != base && short != "" {
		if r := w.row(short); r != nil {
			return r
		}
	}
	return w.cross(short)
}

// cross returns the row of a tool that builds for another machine, whose name begins with
// that machine's: riscv64-unknown-elf-gcc, x86_64-w64-mingw32-objdump.
func (w *walker) cross(name string) *row {
	i := strings.LastIndexByte(name, '-')
	if i < 0 || !inList(" gcc g++ c++ cc cpp clang clang++ gfortran ld as ar nm objdump objcopy "+
		"readelf size strip strings "+
		"ranlib addr2line c++filt gcov gdb elfedit windres pkg-config ", name[i+1:]) {
		return nil
	}
	for _, machine := range []string{"x86_64", "i386", "i486", "i586", "i686", "aarch64", "arm",
		"riscv", "mips", "powerpc",
		"ppc", "sparc", "s390", "alpha", "hppa", "m68k", "sh4", "avr", "xtensa", "msp430", "or1k",
		"loongarch", "nios2",
		"microblaze", "wasm32", "arc", "ia64", "tricore", "rx", "v850", "bpf", "llvm", "amdgcn", "nvptx",
		"lm32", "h8300"} {
		if rest, ok := strings.CutPrefix(name[:i], machine); ok &&
			(rest == "" || strings.Contains(rest, "-") ||
				strings.Trim(rest, "0123456789abelhfmux_") == "") {
			return w.row(name[i+1:])
		}
	}
	return nil
}

func systemDir(dir string) bool {
	switch dir {
	case "/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin",
		"/opt/homebrew/bin", "/usr/local/go/bin", "/run/current-system/sw/bin":
		return true
	}
	return false
}

// projectCopies are the programs that a project has a copy of its own of, to build with.
const projectCopies = " configure autogen.sh bootstrap gradlew mvnw mill sbt rebar3 waf bazel " +
	"bazelisk amper "

// buildDir reports whether the folder is one in which builds put the project's programs.
func buildDir(dir string) bool {
	top, _, _ := strings.Cut(dir, "/")
	return projectDir(dir) && inList(" target build builddir _build zig-out bazel-bin .build ", top)
}

// projectDir reports whether the folder is one that a project's package manager
// fills with its tools.
func projectDir(dir string) bool {
	for _, tail := range []string{"node_modules/.bin", "venv/bin", ".venv/bin", "env/bin",
		"vendor/bin", "target/debug", "target/release", ".tox/bin", "build", "builddir", "_build",
		"build/bin", "build/test",
		"build/tests", "zig-out/bin", "bazel-bin", ".build/debug", ".build/release"} {
		if dir == tail || strings.HasSuffix(dir, "/"+tail) && !strings.HasPrefix(dir, "/") {
			return true
		}
	}
	return false
}

// unknownProgram is the rule for a program without a row.
func (a *argv) unknownProgram(name string) {
	if n := len(a.words); n > 0 && n < 4 && !strings.Contains(name, "/") &&
		versionFlag(a.words[n-1].text) && plainWords(a.words[:n-1]) {
		a.p.raise(readOnly, "version", "prints a version or help")
		return
	}
	for _, wd := range a.words {
		a.w.read(a.p, wd, a.sc)
	}
	if strings.Contains(name, "/") && (a.fetched(lit(name)) || a.runsItself(lit(name))) {
		return
	}
	if strings.Contains(name, "/") {
		if !a.w.changed && slices.Contains(a.w.built, a.w.at(name, a.sc).abs) {
			a.p.raise(buildTest, "program:built", name+" is what this command has built")
			return
		}
		if a.ownProgram(lit(name)) || a.projectTest(lit(name)) {
			a.p.raise(buildTest, "program:own", name+" is a program of the project")
			return
		}
		a.p.raise(destructive, "program:file", name+" is a program of its own")
		return
	}
	a.p.raise(destructive, "program:unknown", a.name+" is not in the table")
}

func versionFlag(text string) bool {
	return text == "--version" || text == "--help" || text == "-version" || text == "-help"
}
