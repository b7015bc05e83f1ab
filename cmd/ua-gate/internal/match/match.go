// Package match holds texts, of which pieces may not be known, against lists of words, patterns
// and regular expressions.
package match

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Hole stands in a word's text for a piece whose value is not known. A command
// holds no NUL byte, so nothing else can be one.
const Hole = "\x00"

// Show returns text for a reason, with the holes as dots.
func Show(text string) string {
	text = strings.ReplaceAll(text, Hole, "…")
	if len(text) > 60 {
		text = text[:57] + "…"
	}
	return text
}

// Named returns the place that something is done to, for a reason.
func Named(text string) string {
	if text == Hole {
		return "something known only when it runs"
	}
	return Show(text)
}

// InList reports whether a word stands in a list that blanks part.
func InList(list, word string) bool {
	if word == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(list[from:], word)
		if i < 0 {
			return false
		}
		i += from
		if end := i + len(word); i > 0 && list[i-1] == ' ' && end < len(list) &&
			(list[end] == ' ' || list[end] == '\n') {
			return true
		}
		from = i + 1
	}
}

// InAny reports whether one of the words stands in a list.
func InAny(list string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return InList(list, w) })
}

// KeyWords returns the words of a name such as CMAKE_C_COMPILER_LAUNCHER,
// exec.executable or PreBuildEvent, in lower case.
func KeyWords(key string) []string {
	var words []string
	var cur strings.Builder
	flush := func() {
		if cur.Len() > 0 {
			words = append(words, strings.ToLower(cur.String()))
			cur.Reset()
		}
	}
	before := 'A'
	for _, c := range key {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			flush()
			before = 'A'
			continue
		}
		if unicode.IsUpper(c) && unicode.IsLower(before) {
			flush()
		}
		cur.WriteRune(c)
		before = c
	}
	flush()
	return words
}

// Lettered reports whether a text has letters or digits, by which a pattern leaves names out.
func Lettered(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r > 'z' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	})
}

// Patterned reports whether the shell would look for files that the text matches.
func Patterned(s string) bool {
	return strings.ContainsAny(s, "*?") || strings.IndexByte(s, '[') >= 0 &&
		strings.IndexByte(s, ']') > strings.IndexByte(s, '[')
}

// EveryName reports whether a name of a path is a pattern that matches all or nearly all names:
// *, .*, **, ?*, *.*.
func EveryName(name string) bool {
	return strings.Contains(name, "*") &&
		strings.Trim(exceptLetter.Replace(name, ""), "*?.[]!^") == ""
}

// exceptLetter finds a letter of a pattern that may be any but one or two.
var exceptLetter = Regex{Text: `\[[!^][\w.-]{1,2}\]`}

// Glob matches text by pattern, in which * stands for any bytes.
func Glob(pattern, text string) bool {
	head, tail, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	last := pattern[len(pattern)-1]
	if !strings.HasPrefix(text, head) || last != '*' &&
		!strings.HasSuffix(text, pattern[len(pattern)-1:]) {
		return false
	}
	text = text[len(head):]
	for {
		var mid string
		if mid, tail, star = strings.Cut(tail, "*"); !star {
			return strings.HasSuffix(text, mid)
		}
		i := strings.Index(text, mid)
		if i < 0 {
			return false
		}
		text = text[i+len(mid):]
	}
}

// A Regex is a regular expression that is compiled when a command first needs it. Few
// commands need any, and a gate that starts for one command would compile them all.
type Regex struct {
	Text string // in the syntax of package regexp

	once     sync.Once
	compiled *regexp.Regexp
}

// Get returns the compiled expression.
func (r *Regex) Get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.Text) })
	return r.compiled
}

// Match reports whether it matches somewhere in the text.
func (r *Regex) Match(text string) bool { return r.Get().MatchString(text) }

// All returns each place where it matches: the whole text of it and its groups.
func (r *Regex) All(text string) [][]string { return r.Get().FindAllStringSubmatch(text, -1) }

// Replace returns the text with what it matches replaced, in which $1 is its first group.
func (r *Regex) Replace(text, with string) string { return r.Get().ReplaceAllString(text, with) }
