package classify

import (
	"strings"

	"ua/internal/common/verdict"
)

// readAwk reads an awk program for what leaves it: commands, files, the
// network. Only these matter, so it knows words, strings, patterns and
// brackets, and no grammar.
func readAwk(a *argv, text string) (verdict.Level, string) {
	if strings.Contains(text, "ENVIRON") {
		if unnamedVariable.match(text) {
			a.out |= fromSecret
			a.p.add(readsSecrets, "env:secret", a.name+" reads variables whose names are not known")
		}
		text = strings.ReplaceAll(homeVariable.replace(text, `"~`), `ENVIRON["HOME"]`, `"~"`)
	}
	s := awkScript{a: a, text: text}
	for s.pos < len(s.text) && s.level < destructive {
		s.token()
	}
	if v, ok := a.value("-v", "--assign"); ok && s.level >= write {
		_, file, _ := strings.Cut(v.text, "=")
		a.w.write(a.p, lit(file), a.sc)
	}
	return s.level, s.why
}

// unnamedVariable is a loop over all variables of the environment, or one whose name is no text.
var unnamedVariable = regex{text: `\bENVIRON\b(?:[^\[]|$)|\bENVIRON\s*\[\s*(?:[^"\s]|` +
	`"[^"]*"\s*[^\]\s])`}

// assigned is an element of an array of awk(1) that gets a value.
var assigned = regex{text: `^\s*\[[^\]]*\]\s*[-+*/%^]?=(?:[^=~]|$)`}

// homeVariable is the home as a program of awk(1) puts it before the rest of a path.
var homeVariable = regex{text: `ENVIRON\["HOME"\]\s*"`}

// An awkScript is an awk program while it is read from its start to its end. It keeps the
// highest level that anything in it has given, and why.
type awkScript struct {
	a      *argv
	text   string
	pos    int
	level  verdict.Level
	why    string
	print  bool // inside a print statement,
	depth  int  // with so many brackets open
	reads  bool // inside a getline
	value  bool // what came last is a value, so a slash divides
	last   string
	joined bool   // a bracket stands behind a value
	whole  string // the text in quotes that is all that came since a bracket or a statement began
}

// raise makes the program's level at least l; the first reason for the highest level stands.
func (s *awkScript) raise(l verdict.Level, why string) {
	if l > s.level {
		s.level, s.why = l, why
	}
}

func (s *awkScript) rest() string { return s.text[s.pos:] }

// token takes the next token: only words, texts, patterns and what may redirect or start a
// command count.
func (s *awkScript) token() {
	c := s.text[s.pos]
	s.pos++
	switch {
	case c == ' ' || c == '\t':
		return
	// A statement ends, and with it what was open in it.
	case c == '\n' || c == ';' || c == '{' || c == '}':
		s.print, s.depth, s.value, s.reads, s.joined = false, 0, false, false, false
	case c == '#':
		if i := strings.IndexByte(s.rest(), '\n'); i >= 0 {
			s.pos += i
		} else {
			s.pos = len(s.text)
		}
	case c == '"':
		alone := !s.value && !s.joined
		text := s.str()
		s.value, s.last, s.whole = true, "", ""
		if alone {
			s.whole = text
		}
		return
	// Behind a value a slash divides; elsewhere a pattern begins.
	case c == '/' && !s.value:
		s.pattern()
		s.value = true
	case c == '@':
		s.raise(destructive, "the program loads code, or calls by name")
		s.a.p.Unread = true
	case c == '(' || c == '[':
		s.depth++
		s.joined = s.joined || s.value && !inList(" while if for ", s.last)
		s.value = false
	case c == ')' || c == ']':
		s.depth--
		s.value, s.last = true, ""
		return
	case c == '|':
		s.pipe()
	// Behind print this is a file, unless parentheses make it a comparison.
	case c == '>' && s.print && s.depth <= 0:
		s.redirect()
	// getline <FILE reads one.
	case c == '<' && s.reads:
		s.file(false)
	case wordByte(c):
		s.word()
		s.whole = ""
		return
	default:
		s.value = false
	}
	s.last, s.whole = "", ""
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' &&
		c <= 'Z'
}

func (s *awkScript) word() {
	from := s.pos - 1
	for s.pos < len(s.text) && wordByte(s.text[s.pos]) && s.text[s.pos] != '$' {
		s.pos++
	}
	s.last = s.text[from:s.pos]
	s.value = true
	switch s.last {
	case "system":
		s.system()
	case "ENVIRON", "ARGV", "PROCINFO":
		// What is put there changes what programs do, and which files are read.
		if s.reads || assigned.match(s.rest()) {
			s.raise(destructive, "the program sets "+s.last)
			s.a.p.Unread = true
		}
	case "extension":
		s.raise(destructive, "the program loads code")
		s.a.p.Unread = true
	case "print", "printf":
		s.print, s.depth, s.value = true, 0, false
	case "getline":
		s.value, s.reads = false, true
		for _, file := range inQuotes(s.text) {
			if strings.ContainsAny(file[:1], "/~") {
				s.a.w.read(s.a.p, lit(file), s.a.sc)
			}
		}
		for _, u := range s.a.used {
			if _, file, ok := strings.Cut(u.val.text, "="); ok &&
				(u.name == "-v" || u.name == "--assign") {
				s.a.w.read(s.a.p, lit(file), s.a.sc)
			}
		}
	case "return", "in", "else", "do", "case":
		s.value = false
	}
}

// str takes a string and gives back what stands in it.
func (s *awkScript) str() string {
	from := s.pos
	for s.pos < len(s.text) && s.text[s.pos] != '"' {
		if s.text[s.pos] == '\\' {
			s.pos++
		}
		s.pos++
	}
	to := min(s.pos, len(s.text))
	s.pos = min(s.pos+1, len(s.text))
	text, _ := escapes(s.text[from:to], true)
	if strings.HasPrefix(text, "/inet") {
		s.raise(network, "the program talks to other machines")
	}
	return text
}

func (s *awkScript) pattern() {
	class := false
	for ; s.pos < len(s.text) && s.text[s.pos] != '\n'; s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '\\':
			s.pos++
		case c == '[' && strings.Contains(s.rest(), "]"):
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			s.pos++
			return
		}
	}
}

// literal returns the string that comes next, if it is all of an expression.
func (s *awkScript) literal() (string, bool) {
	s.pos += len(s.rest()) - len(strings.TrimLeft(s.rest(), " \t("))
	if !strings.HasPrefix(s.rest(), `"`) {
		return "", false
	}
	s.pos++
	text := s.str()
	after := strings.TrimLeft(s.rest(), " \t")
	return text, after == "" || strings.ContainsRune(";})\n", rune(after[0]))
}

func (s *awkScript) system() {
	if !strings.HasPrefix(strings.TrimLeft(s.rest(), " "), "(") {
		return
	}
	s.shell("system()")
}

func (s *awkScript) shell(what string) {
	s.a.base = max(s.a.base, buildTest)
	text, known := s.literal()
	if !known {
		s.raise(destructive, what+" runs a command that is not known")
		s.begins(text)
		return
	}
	s.a.w.text(text, stream{}, &scope{cwd: s.a.sc.cwd}, &s.a.p.Parts)
}

// begins judges a command of which only the text that it begins with is known. No rule can tell
// what runs where that has no program's name.
func (s *awkScript) begins(text string) {
	quoted := ""
	if i := strings.IndexAny(text, "'\"\\`$"); i >= 0 {
		text, quoted = text[:i], text[i:]
	}
	last := text[strings.LastIndexAny(text, ";|&(\n")+1:]
	if !strings.Contains(strings.TrimLeft(last, " "), " ") || quoted != "" &&
		(!strings.HasSuffix(text, " ") || strings.ContainsAny(quoted, "`$;|&\n")) {
		s.a.p.Unread = true
		return
	}
	s.a.w.text(text, stream{}, &scope{cwd: s.a.sc.cwd}, &s.a.p.Parts)
}

// pipe is | but not ||.
func (s *awkScript) pipe() {
	s.value = false
	if strings.HasPrefix(s.rest(), "|") {
		s.pos++
		return
	}
	if strings.HasPrefix(s.rest(), "&") || strings.HasPrefix(strings.TrimLeft(s.rest(), " \t"),
		"getline") {
		if s.whole != "" && !strings.HasPrefix(s.rest(), "&") {
			out := s.a.w.text(s.whole, stream{}, &scope{cwd: s.a.sc.cwd}, &s.a.p.Parts)
			s.a.fromVariable(out.bits)
			if out.bits&fromSecret != 0 {
				s.a.p.add(readsSecrets, "env:secret", "the program reads all variables")
			}
			return
		}
		s.raise(destructive, "the program reads a command's output")
		s.a.p.Unread = true
		return
	}
	s.shell("|")
}

func (s *awkScript) redirect() {
	if strings.HasPrefix(s.rest(), ">") {
		s.pos++
	}
	s.file(true)
}

// file is the file that the program writes or reads by a name in a string.
func (s *awkScript) file(written bool) {
	name, whole := s.literal()
	if !whole && written {
		line, _, _ := strings.Cut(s.rest(), "\n")
		for i, piece := range strings.Split(name+"\""+line, "\"") {
			if i%2 == 0 && strings.Contains(piece, "/") || i == 0 {
				s.a.w.write(s.a.p, lit(piece), s.a.sc)
			}
		}
		for i, piece := range strings.Split(line, "\"") {
			if i%2 == 1 {
				s.a.w.write(s.a.p, lit(piece), s.a.sc)
			}
		}
	}
	if !whole && written {
		for _, file := range inQuotes(s.text) {
			if strings.ContainsAny(file[:1], "/~") {
				s.a.stray(lit(file), false)
			}
		}
	}
	if strings.HasPrefix(name, "/dev/std") || name == "-" {
		return
	}
	if !written {
		s.a.w.read(s.a.p, lit(name), s.a.sc)
		return
	}
	s.raise(write, "the program writes a file")
	s.a.w.write(s.a.p, lit(name), s.a.sc)
	s.a.w.overwrites(s.a.p, lit(name), s.a.sc)
}

// awkFile is the program that -f names: one on standard input is read if it stands in
// the command.
func (a *argv) awkFile() {
	if option, ok := a.value("-W"); ok &&
		!inList(" version interactive posix traditional lint help "+
			"usage random sprintf dump ", option.text) {
		a.p.add(runsHidden, a.name+" -W", a.name+" -W "+show(option.text)+" may run code")
	}
	file, ok := a.value("-f", "--file")
	switch {
	case !ok:
	case a.stdinFile(file.text) && (a.in.known || a.in.here):
		a.code(a.name+" -f", word{text: a.in.text, from: a.in.bits})
	default:
		a.scriptFile(file)
	}
}
