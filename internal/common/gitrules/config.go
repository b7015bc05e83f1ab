// Package gitrules says what may change in a git folder (gitrepository-layout(5)) on the
// word of a command that is not trusted: data of git, checked, but nothing by which git runs
// a program, obeys another folder or loses what it had. What is unknown may not. All that is
// read here is input from outside.
package gitrules

import (
	"bytes"
	"errors"
	"strings"
)

// A Setting is one variable of a git config file. Name includes the section, in lower
// case except for a quoted subsection. True says that the variable has no "=", which
// means true.
type Setting struct {
	Name, Value string
	True        bool
}

// errConfig is the error for text that git would refuse.
var errConfig = errors.New("not a git config")

// Settings returns the variables of a config file as git reads them (git-config(1),
// Syntax). At text that git would refuse it returns an error and the settings before
// that.
func Settings(text []byte) (list []Setting, err error) {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, errConfig // where git's strings end
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	r := &reader{text: bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))}
	section := "" // before the first one git reads variables, too
	for comment := false; !r.end(); {
		switch c := r.next(); {
		case c == '\n':
			comment = false
		case comment || space(c):
		case c == '#' || c == ';':
			comment = true
		case c == '[':
			if section, err = r.section(); err == nil && section == "" {
				err = errConfig
			}
			if err != nil {
				return list, err
			}
		case letter(c):
			s, err := r.variable(c)
			if err != nil {
				return list, err
			}
			if section != "" {
				s.Name = section + "." + s.Name
			}
			list = append(list, s)
		default:
			return list, errConfig
		}
	}
	return list, nil
}

// A reader returns the bytes of a config, with one newline added at the end.
type reader struct {
	text []byte
	at   int
}

// end reports whether that newline was read.
func (r *reader) end() bool { return r.at > len(r.text) }

// next returns the next byte.
func (r *reader) next() byte {
	r.at++
	if r.at > len(r.text) {
		return '\n'
	}
	return r.text[r.at-1]
}

// section reads a section header after its "[".
func (r *reader) section() (string, error) {
	var name []byte
	for {
		switch c := r.next(); {
		case c == ']':
			return string(name), nil
		case c == '\n':
			return "", errConfig
		case space(c):
			return r.subsection(name)
		case !key(c) && c != '.':
			return "", errConfig
		default:
			name = append(name, lower(c))
		}
	}
}

// subsection reads the quoted part of a header and the "]" after it.
func (r *reader) subsection(name []byte) (string, error) {
	c := r.next()
	for space(c) && c != '\n' {
		c = r.next()
	}
	if c != '"' {
		return "", errConfig
	}
	// The case of a subsection counts, unlike that of a section.
	name = append(name, '.')
	for c = r.next(); c != '"'; c = r.next() {
		if c == '\\' {
			c = r.next()
		}
		if c == '\n' {
			return "", errConfig
		}
		name = append(name, c)
	}
	if r.next() != ']' {
		return "", errConfig
	}
	return string(name), nil
}

// variable reads a name that begins with first, and its value.
func (r *reader) variable(first byte) (s Setting, err error) {
	b := []byte{lower(first)}
	c := r.next()
	for ; key(c); c = r.next() {
		b = append(b, lower(c))
	}
	for c == ' ' || c == '\t' {
		c = r.next()
	}
	switch c {
	case '\n':
		s.True = true
	case '=':
		s.Value, err = r.value()
	default:
		err = errConfig
	}
	s.Name = string(b)
	return s, err
}

// value reads to the end of the line, or of the last line that a backslash joins to it.
func (r *reader) value() (string, error) {
	var b []byte
	kept := 0 // without the spaces at the end
	for quoted, comment := false, false; ; {
		c := r.next()
		switch {
		case c == '\n' && quoted:
			return "", errConfig
		case c == '\n':
			return string(b[:kept]), nil
		case comment:
			continue
		case space(c) && !quoted:
			if len(b) > 0 {
				b = append(b, c)
			}
			continue
		case !quoted && (c == '#' || c == ';'):
			comment = true
			continue
		case c == '"':
			quoted = !quoted
		case c == '\\':
			c = r.next()
			at := strings.IndexByte("tbn\\\"\n", c)
			if at < 0 {
				return "", errConfig
			}
			if c == '\n' {
				continue
			}
			b = append(b, "\t\b\n\\\""[at])
		default:
			b = append(b, c)
		}
		kept = len(b)
	}
}

// The classes of bytes as git has them, independent of the locale.
func space(c byte) bool  { return strings.IndexByte(" \t\n\r", c) >= 0 }
func letter(c byte) bool { return lower(c) >= 'a' && lower(c) <= 'z' }
func key(c byte) bool    { return letter(c) || c >= '0' && c <= '9' || c == '-' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
