package classify

import (
	"strings"

	"ua/internal/common/verdict"
)

// readSed reads a sed script: its e and w commands and the files that it names.
// What it can't follow is destructive.
func readSed(a *argv, text string) (verdict.Level, string) {
	s := sedScript{a: a, text: text}
	for s.command() {
	}
	if s.bad != "" {
		return destructive, s.bad
	}
	if s.writes {
		return write, "the script writes a file"
	}
	return readOnly, ""
}

// A sedScript is a script of sed(1) while it is read.
type sedScript struct {
	a      *argv
	text   string
	pos    int
	bad    string // why it can't be followed, "" while it can
	writes bool
}

// fail notes why the rest of the script is not read. It returns false, for who called it to
// return.
func (s *sedScript) fail(why string) bool {
	s.bad = why
	return false
}

func (s *sedScript) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *sedScript) skip(chars string) {
	for s.pos < len(s.text) && strings.IndexByte(chars, s.text[s.pos]) >= 0 {
		s.pos++
	}
}

// line takes the rest of the line.
func (s *sedScript) line() string {
	rest := s.text[s.pos:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	s.pos += len(rest)
	return rest
}

// section takes text up to the delimiter.
func (s *sedScript) section(delim byte) bool {
	for class := false; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '\\':
			s.pos++
		case c == '[' && delim != '[' && !class:
			class = s.closes(delim)
			if class && strings.HasPrefix(s.text[s.pos+1:], "]") ||
				strings.HasPrefix(s.text[s.pos+1:], "^]") {
				s.pos += strings.IndexByte(s.text[s.pos:], ']')
			}
		case c == ']':
			class = false
		case c == delim && !class:
			s.pos++
			return true
		}
	}
	return s.fail("a sed script that does not end")
}

// closes reports whether a bracket expression that begins here ends before the
// line and the pattern do.
func (s *sedScript) closes(delim byte) bool {
	rest := s.text[s.pos+1:]
	end := strings.IndexByte(rest, ']')
	return end > 0 && strings.IndexByte(rest[end:], delim) > 0 &&
		!strings.Contains(rest[:end], "\n")
}

func (s *sedScript) address() bool {
	switch c := s.peek(); {
	case c >= '0' && c <= '9', c == '$', c == '+', c == '~':
		s.pos++
		s.skip("0123456789~")
	case c == '/' || c == '\\':
		if c == '\\' {
			s.pos++
		}
		delim := s.peek()
		s.pos++
		if !s.section(delim) {
			return false
		}
		s.skip("IM")
	}
	return true
}

// command takes one command and reports whether there may be more.
func (s *sedScript) command() bool {
	s.skip(" \t\n;{}")
	for {
		if !s.address() {
			return false
		}
		s.skip(" \t")
		if s.peek() != ',' {
			break
		}
		s.pos++
		s.skip(" \t")
	}
	s.skip(" \t!")
	c := s.peek()
	s.pos++
	switch c {
	case 0:
		return false
	case '{', '}', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F', '-':
		return true
	case 'l', 'L', 'q', 'Q':
		s.skip(" 0123456789")
		return true
	case '#':
		s.line()
		return true
	// The text goes on over lines that end in a backslash.
	case 'a', 'i', 'c':
		for strings.HasSuffix(s.line(), "\\") && s.pos < len(s.text) {
			s.pos++
		}
		return true
	case ':', 'b', 't', 'T', 'v':
		for s.pos < len(s.text) && strings.IndexByte("\n;}", s.text[s.pos]) < 0 {
			s.pos++
		}
		return true
	case 'r', 'R':
		s.a.w.read(s.a.p, lit(strings.TrimSpace(s.line())), s.a.sc)
		return true
	// Only these, s///w and e reach out of the stream.
	case 'w', 'W':
		s.file()
		return true
	case 'e':
		s.a.p.Unread = true
		return s.fail("the e command runs programs")
	case 's', 'y':
		return s.substitute(c)
	}
	return s.fail("a sed command that is not known")
}

func (s *sedScript) file() {
	name := strings.TrimSpace(s.line())
	if name != "/dev/stdout" && name != "/dev/stderr" {
		s.writes = true
		s.a.w.write(s.a.p, lit(name), s.a.sc)
		s.a.w.overwrites(s.a.p, lit(name), s.a.sc)
	}
}

func (s *sedScript) substitute(c byte) bool {
	delim := s.peek()
	s.pos++
	if delim == 0 || !s.section(delim) {
		return s.fail("a sed script that does not end")
	}
	for { // the replacement has no bracket expressions
		i := strings.IndexByte(s.text[s.pos:], delim)
		if i < 0 {
			return s.fail("a sed script that does not end")
		}
		escaped := s.text[s.pos : s.pos+i]
		s.pos += i + 1
		if (len(escaped)-len(strings.TrimRight(escaped, "\\")))%2 == 0 {
			break
		}
	}
	for c == 's' {
		switch f := s.peek(); {
		case f == 'e':
			s.a.p.Unread = true
			return s.fail("the e flag runs programs")
		case f == 'w':
			s.pos++
			s.file()
			return true
		case f != 0 && strings.IndexByte("gpiImM0123456789", f) >= 0:
			s.pos++
		default:
			return true
		}
	}
	return true
}

// sedScript is the rule for a script in a file. Its e commands are seen where the command
// itself has written the text, and no deny rule sees them where the text is not known.
func (a *argv) sedScript() {
	file, ok := a.value("-f", "--file")
	if !ok {
		return
	}
	text, known := a.w.textOf(file, a.sc)
	piped := file.text == "/dev/fd/"+hole
	switch {
	case piped:
		text, known = file.printed, file.printed != ""
	case a.stdinFile(file.text):
		text, known = a.in.text, a.in.known || a.in.here
	}
	if known && !strings.Contains(text, hole) {
		readSed(a, text)
	} else if piped || a.stdinFile(file.text) || a.mayHaveWritten(file) {
		a.p.Unread = true
	}
}

// sedFiles are sed's operands: with -i they are written.
func (a *argv) sedFiles() {
	a.sedScript()
	if !a.flagged("-i", "--in-place") {
		return
	}
	for i, o := range a.operands {
		if a.row.slot(a.slots, i, len(a.operands)).what == isRead {
			a.writes("sed -i", o)
			a.w.overwrites(a.p, o, a.sc)
		}
	}
}
