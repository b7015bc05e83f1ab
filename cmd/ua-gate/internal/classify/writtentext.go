package classify

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A fileText is a file of which the command itself has written all that is in it.
type fileText struct {
	file, text string
	reading    bool // its text is being read
}

// keepText notes what a statement that is cat > FILE << END writes, if it surely runs: what a
// later command runs of that file is read as if it stood in the command.
func (w *walker) keepText(s *syntax.Stmt, io *stdio, sc *scope) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 1 || call.Args[0].Lit() != "cat" || len(call.Assigns) > 0 ||
		sc.funcs["cat"] != nil || sc.aliases["cat"] != "" || s.Background || len(s.Redirs) != 2 ||
		!io.in.here || !io.in.known || io.in.text == "" ||
		sc.maybe+w.forks+len(w.calling)+len(w.links) > 0 || w.changed {
		return
	}
	for _, r := range s.Redirs {
		if (r.Op == syntax.RdrOut || r.Op == syntax.RdrClob) && r.N == nil {
			w.texts = append(w.texts, fileText{file: w.written[len(w.written)-1],
				text: io.in.text})
		}
	}
}

// textOf returns what is in a file that the command has written, if nothing else can have
// changed it since.
func (w *walker) textOf(file word, sc *scope) (string, bool) {
	if !file.plain() || w.changed || len(w.links)+len(w.fetched)+len(w.ran) > 0 ||
		w.unpacked != "" {
		return "", false
	}
	at := w.at(file.text, sc).abs
	i := slices.IndexFunc(w.texts, func(t fileText) bool { return t.file == at })
	if i < 0 {
		return "", false
	}
	return w.texts[i].text, true
}

// runsText judges a file that the command has written, of which it runs the text.
func (a *argv) runsText(text string) {
	switch {
	case a.row.reader == "shell":
		a.dialect(func() { a.w.text(text, stream{}, a.sc.sub(), &a.p.Parts) })
	default:
		a.code(a.name+" FILE", lit(text))
	}
	a.p.raise(buildTest, a.name+" FILE", a.name+" runs what this command has written")
}

// textLanguages are the programs by whose rows files are read that a test tool runs.
var textLanguages = map[string]string{".py": "python3", ".js": "node", ".mjs": "node",
	".cjs": "node", ".rb": "ruby", ".php": "php", ".lua": "lua", ".pl": "perl", ".t": "perl"}

// readsWritten judges by its text a file that the command has written and a tool runs. It
// reports false where that can't be done.
func (a *argv) readsWritten(file string) bool {
	text, ok := a.w.textOf(lit(file), a.sc)
	if !ok {
		return false
	}
	at := slices.IndexFunc(a.w.texts, func(t fileText) bool { return t.text == text })
	if a.w.texts[at].reading {
		return true // modules that import each other, or a makefile that runs make
	}
	a.w.texts[at].reading = true
	calm := a.readsText(file, text)
	if at < len(a.w.texts) {
		a.w.texts[at].reading = false
	}
	return calm
}

// readsText judges the text of a file of that name.
func (a *argv) readsText(file, text string) bool {
	switch base := path.Base(file); {
	case base == "Makefile" || base == "makefile" || base == "GNUmakefile":
		return a.readsMakefile(text)
	case base == "package.json":
		return a.readsPackage(text)
	case base == "CMakeLists.txt":
		return onlyDeclares(text)
	case inList(" setup.py noxfile.py sitecustomize.py usercustomize.py ", base):
		return false
	}
	switch path.Ext(file) {
	case ".go":
		return onlyComputes(text)
	case ".rs":
		return !rustLeaves.match(text)
	case ".c", ".h", ".cc", ".cpp", ".hpp":
		return !cLeaves.match(text)
	}
	r := a.w.row(textLanguages[path.Ext(file)])
	if r == nil {
		return false
	}
	b := argv{w: a.w, p: a.p, sc: a.sc, row: r, name: r.name, base: readOnly}
	b.code(a.name+" "+path.Base(file), lit(text))
	return true
}

// rustLeaves and cLeaves are what code of these languages leaves its computation by.
var (
	rustLeaves = regex{text: `\b(process|fs|net|env|os|ffi|Command|unsafe|extern|` +
		`include\w*|libc|nix|\w*asm|` +
		`proc_macro|build|path)\b|#!\[`}
	cLeaves = regex{text: `\b(system|popen|exec\w*|fork|vfork|spawn\w*|posix_\w+|remove|` +
		`rename|unlink\w*|rmdir|` +
		`f?open\w*|freopen|tmpfile|socket|connect|dl\w+|syscall|kill|getenv|setenv|putenv|` +
		`asm|__\w+|` +
		`ofstream|fstream|filesystem|pragma|constructor|std::process)\b|##|` +
		`#\s*include\s*[<"][^>"]*` +
		`(unistd|sys/|fcntl|spawn|dlfcn|net|arpa|windows|signal)|#\s*include\s*["<](/|\.\.)`}
)

// readsMakefile judges the recipes of a makefile as the shell's, where it has nothing but rules,
// variables and these.
func (a *argv) readsMakefile(text string) bool {
	vars := map[string]string{"CC": "cc", "CXX": "c++", "GO": "go", "PYTHON": "python3",
		"MAKE": "make",
		"RM":   "rm -f", "@": "out", "<": "in", "^": "in", "CARGO": "cargo", "NPM": "npm"}
	fill := func(line string) (string, bool) {
		known := true
		line = makeVariable.get().ReplaceAllStringFunc(line, func(name string) string {
			val, ok := vars[strings.Trim(name, "$(){}")]
			known = known && ok
			return val
		})
		return strings.ReplaceAll(line, "$$", "$"), known && !strings.Contains(line, "$(")
	}
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		recipe, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "\t")
		name, val, set := strings.Cut(line, "=")
		switch {
		case ok:
			if recipe, ok = fill(strings.TrimLeft(recipe, "@-+ ")); !ok {
				return false
			}
			a.w.text(recipe, stream{}, a.sc.sub(), &a.p.Parts)
		case strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
		case set && !strings.ContainsAny(name, "! \t"),
			set && strings.Trim(name, " :?+") != "" &&
				!strings.ContainsAny(strings.TrimRight(name, " :?+"), "!: "):
			name = strings.TrimRight(name, " :?+")
			if vars[name], ok = fill(strings.TrimSpace(val)); !ok ||
				inList(" SHELL .SHELLFLAGS MAKEFLAGS ", name) {
				return false
			}
		case strings.HasPrefix(line, "include"), strings.HasPrefix(line, "-include"),
			strings.Contains(line, "$"), !strings.Contains(line, ":"), strings.Contains(line,
				";"):
			return false
		}
	}
	return true
}

// onlyDeclares reports whether a CMakeLists.txt has nothing but commands that name what is built.
func onlyDeclares(text string) bool {
	for _, m := range cmakeCommand.all(text) {
		if !inList(cmakeDeclares, strings.ToLower(m[1])) {
			return false
		}
	}
	return !strings.Contains(text, "_LAUNCHER") && !strings.Contains(text, "_COMPILER ") &&
		!strings.Contains(text, "CODE")
}

var cmakeCommand = regex{text: `(\w+)\s*\(`}

const cmakeDeclares = " cmake_minimum_required project add_executable add_library " +
	"target_link_libraries " +
	"target_include_directories target_compile_features target_compile_options " +
	"target_compile_definitions " +
	"target_sources enable_testing set_target_properties find_package include_directories " +
	"option message " +
	"if else elseif endif set "

// makeVariable is a variable of make(1), automatic ones too.
var makeVariable = regex{text: `\$\(\w+\)|\$\{\w+\}|\$[@<^]`}

// readsPackage judges the scripts of a package.json, where nothing else in it runs.
func (a *argv) readsPackage(text string) bool {
	var doc map[string]json.RawMessage
	var scripts map[string]string
	if json.Unmarshal([]byte(text), &doc) != nil {
		return false
	}
	for key := range doc {
		if !inList(" name version type private description scripts dependencies "+
			"devDependencies license main "+
			"engines keywords author module exports files ", key) {
			return false
		}
	}
	if doc["scripts"] != nil && json.Unmarshal(doc["scripts"], &scripts) != nil {
		return false
	}
	for _, name := range sortedKeys(scripts) {
		a.w.text(scripts[name], stream{}, a.sc.sub(), &a.p.Parts)
	}
	return true
}

// onlyComputes reports whether a file of Go imports nothing of the language by which it could
// leave the computation. What it imports of the project runs in the project's own tests, too.
func onlyComputes(text string) bool {
	if strings.Contains(text, "//go:") || strings.Contains(text, "/*") ||
		hiddenImport.match(text) {
		return false
	}
	imports := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "import "), strings.HasPrefix(line, "import("):
			imports = !strings.Contains(line, `"`) || strings.Contains(line, "(")
		case line == ")":
			imports = false
		case strings.HasPrefix(line, "func "), strings.HasPrefix(line, "var "),
			strings.HasPrefix(line, "type "):
			imports = false
			continue
		case !imports:
			continue
		}
		quotes := func(c rune) bool { return c == '"' || c == '`' }
		for i, part := range strings.FieldsFunc(line, quotes) {
			if i%2 == 1 || i == 0 && strings.HasPrefix(line, `"`) {
				if !strings.Contains(part, ".") && !inList(computingImports, part) {
					return false
				}
			}
		}
	}
	return true
}

// hiddenImport is an import that does not begin its line, as gofmt(1) has them.
var hiddenImport = regex{text: `\S[ \t]*import\s*["(.\w]|import[^"\n]*"C"`}

// computingImports are packages of Go that only compute, or print.
const computingImports = " testing fmt strings strconv errors sort math math/rand math/big " +
	"math/bits math/cmplx " +
	"bytes time reflect regexp unicode unicode/utf8 unicode/utf16 encoding/json " +
	"encoding/hex encoding/base64 " +
	"encoding/binary encoding/csv container/heap container/list container/ring slices maps " +
	"cmp iter sync " +
	"sync/atomic context log io bufio path hash hash/fnv hash/crc32 crypto/sha256 " +
	"crypto/md5 text/tabwriter " +
	"math/rand/v2 testing/quick runtime "
