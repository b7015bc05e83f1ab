package policy

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// A word of a command line is the path of a file, perhaps, that the command line runs or
// reads.
type word struct {
	text string
	role role
}

// A role says what a word is in its command.
type role int

const (
	argument  role = iota
	command        // found on PATH if it has no slash
	script         // the first operand of an interpreter
	perhaps        // the same, or the value of the option before it
	directory      // to which the command changes
)

// interpreters run the file that is their first operand. Digits at the end do not count.
var interpreters = [...]string{
	"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "busybox", "python", "pypy",
	"node", "nodejs", "deno", "bun", "tsx", "ts-node", "ruby", "perl", "php", "lua", "luajit",
	"java", "dotnet", "pwsh", "tclsh", "expect", "Rscript", "julia", "guile", "racket",
	"groovy", "elixir", "escript", "swift", "scala", "osascript", "runghc", "runhaskell",
}

// wrappers are words after which a command follows: those of the shell's grammar, and
// programs that run their operands.
var wrappers = [...]string{
	"then", "do", "else", "elif", "if", "while", "until", "exec", "eval", "env", "command",
	"builtin", "time", "nice", "ionice", "nohup", "sudo", "doas", "xargs", "setsid", "stdbuf",
	"timeout", "npx", "bunx", "pnpx", "uv", "poetry", "pipenv", "pdm", "hatch",
}

// starters are words after which a command follows wherever they stand: of find(1),
// git-bisect(1), git-submodule(1), git-rebase(1), git-difftool(1), git-fetch(1).
var starters = [...]string{
	"run", "foreach", "-exec", "-execdir", "-ok", "--exec", "-x", "--extcmd", "-O",
	"--open-files-in-pager", "--upload-pack", "--receive-pack",
}

// splitCommand splits a command line of sh(1) into its words, those of commands within it
// too, as far as that can be done without running it. What a variable or another command
// would add stands as "./": most often it is the top of the working tree.
func splitCommand(line string) []word {
	line = strings.NewReplacer("${HOME}", home(), "$HOME", home()).Replace(line)
	s := splitter{line: line, next: command}
	for s.at < len(line) && len(s.words) < maxWords {
		c := line[s.at]
		s.at++
		switch c {
		case ' ', '\t', ',', '<':
			s.end()
		case '\n', ';', '|', '&', '(', '{', '!':
			s.end()
			s.next = command
		case ')', '}', '`':
			s.end()
			s.next = command
			if strings.HasPrefix(strings.TrimLeft(line[s.at:], `"`), "/") {
				s.text = append(s.text, "./"...)
			}
		case '>':
			s.end()
			s.file = true
		case '\'', '"':
			s.quote(c)
		case '\\':
			if s.at < len(line) && line[s.at] != '"' && line[s.at] != '\'' {
				s.text = append(s.text, line[s.at])
			}
			s.at++
		case '$':
			s.variable()
		case '%':
			s.at++ // git's own, as in %f
		case '=':
			s.value()
		default:
			s.text = append(s.text, c)
		}
	}
	s.end()
	return s.words
}

// A splitter is the state of splitCommand.
type splitter struct {
	line  string
	at    int
	words []word
	text  []byte // of the word that is read
	next  role   // of that word
	last  string // the word before
	// The word that is read is the file of a ">", or a value after a "=".
	file, isValue bool
	// The quote that is open, and the role that its text has, if that is several words.
	open  byte
	texts bool
	outer role
}

// end ends the word that is read.
func (s *splitter) end() {
	text := string(s.text)
	s.text = s.text[:0]
	switch {
	case text == "":
		return
	case s.file:
	case s.isValue:
		w := word{text, argument}
		if s.next == command || s.last == "-c" || slices.Contains(starters[:], s.last) {
			w.role = command
		}
		s.words = append(s.words, w)
	default:
		if text[0] != '-' && text[0] != '+' {
			s.words = append(s.words, word{text, s.next})
		}
		s.next, s.last = s.after(text), text
	}
	s.file, s.isValue = false, false
}

// after returns the role of the word that follows this one.
func (s *splitter) after(text string) role {
	name := strings.TrimRight(filepath.Base(text), "0123456789.")
	switch {
	case s.next == script && (text[0] == '-' || text[0] == '+'):
		return perhaps
	case s.next == script && text == "run": // as in deno run
		return script
	case slices.Contains(starters[:], text):
		return command
	case text == "-C":
		return directory
	case text[0] == '-' || text[0] == '+':
		return s.next
	case slices.Contains(interpreters[:], name):
		return script
	case s.next == perhaps:
		return script
	case s.next != command:
		return argument
	case slices.Contains(wrappers[:], text) || unicode.IsDigit(rune(text[0])):
		return command
	case text == "." || text == "source":
		return script
	case text == "cd" || text == "pushd":
		return directory
	}
	return argument
}

// quote reads a quotation mark. Several words in quotes are one path with spaces, or a
// command line of their own.
func (s *splitter) quote(c byte) {
	if s.open == c {
		s.open = 0
		if s.texts {
			s.end()
			if s.texts, s.next = false, argument; strings.HasPrefix(s.line[s.at:], "/") {
				s.text, s.next = append(s.text, "./"...), s.outer
			}
		}
		return
	}
	inner, _, closed := strings.Cut(s.line[s.at:], string(c))
	if s.open == 0 {
		s.open = c
	}
	if closed && len(s.text) == 0 && strings.ContainsAny(inner, " \t\n") {
		w := word{inner, argument}
		if spaced(inner) && s.next != perhaps {
			w.role = s.next
		}
		s.words = append(s.words, w)
		if s.open == c && !s.file {
			s.texts, s.outer, s.next = true, s.next, command
		}
	}
}

// spaced reports whether a text can be the path of a program, with a space in it.
func spaced(text string) bool {
	first, _, found := strings.Cut(text, " ")
	return found && strings.Contains(first, "/") && !strings.ContainsAny(text, "$`;|&()<>")
}

// variable reads the name of a variable after its "$".
func (s *splitter) variable() {
	rest := s.line[s.at:]
	if strings.HasPrefix(rest, "(") {
		return
	}
	name := strings.TrimPrefix(rest, "{")
	after := strings.TrimLeftFunc(name, func(r rune) bool {
		return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
	})
	if len(after) == len(name) && name != "" {
		after = name[1:] // as in $@
	}
	if len(name) < len(rest) {
		if !strings.HasPrefix(after, "}") { // ${NAME:-WORD}
			s.at = len(s.line) - len(strings.TrimLeft(after, ":-=+?#%/*@^,"))
			return
		}
		after = after[1:]
	}
	if len(s.text) == 0 {
		s.text = append(s.text, "./"...)
	}
	s.at = len(s.line) - len(after)
}

// value reads the "=" after the name of a variable, an option or a setting.
func (s *splitter) value() {
	if name := string(s.text); name != "" {
		s.text = s.text[:0]
		s.isValue = true
		if slices.Contains(starters[:], name) {
			s.last = name
		}
	}
}
