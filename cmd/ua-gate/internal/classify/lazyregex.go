package classify

import (
	"regexp"
	"sync"
)

// A regex is a regular expression that is compiled when a command first needs it. Few
// commands need any, and a gate that starts for one command would compile them all.
type regex struct {
	text string // in the syntax of package regexp

	once     sync.Once
	compiled *regexp.Regexp
}

func (r *regex) get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.text) })
	return r.compiled
}

func (r *regex) match(text string) bool { return r.get().MatchString(text) }

// all returns each place where it matches: the whole text of it and its groups.
func (r *regex) all(text string) [][]string { return r.get().FindAllStringSubmatch(text, -1) }

// replace returns the text with what it matches replaced, in which $1 is its first group.
func (r *regex) replace(text, with string) string { return r.get().ReplaceAllString(text, with) }
