package finding

import (
	"errors"
	"strings"

	"ua/cmd/ua-gate/internal/match"
)

// A Pattern is a policy rule's pattern over the words of one simple command.
// Words are parted by spaces. The first matches the program, by its base name
// when the pattern has no slash. In a word `*` stands for any bytes. A last
// word `*` stands for any further words, none included; without it, further
// words are no match. Words that start with `-` may stand anywhere among the
// command's words: "git push --force *" matches `git push origin --force`.
type Pattern struct {
	text  string
	words []string
	flags []string
	rest  bool
}

// ParsePattern reads a pattern.
func ParsePattern(text string) (*Pattern, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, errors.New("empty pattern")
	}
	p := &Pattern{text: text}
	if n := len(words); n > 1 && words[n-1] == "*" {
		p.rest, words = true, words[:n-1]
	}
	for i, w := range words {
		if i > 0 && strings.HasPrefix(w, "-") {
			p.flags = append(p.flags, w)
		} else {
			p.words = append(p.words, w)
		}
	}
	return p, nil
}

// String returns the pattern as it is written in the policy.
func (p *Pattern) String() string { return p.text }

// Match reports whether the part is a simple command that the pattern describes.
// A word of unknown value may be anything: it matches if maybe is set, as a
// deny or ask rule wants it, and doesn't otherwise, as an allow rule does. One
// that may be several words may be all that the pattern still lacks.
func (p *Pattern) Match(part *Part, maybe bool) bool {
	if len(part.Words) == 0 {
		return false
	}
	left := p.words
	flags := append([]string(nil), p.flags...)
	for i, w := range part.Words {
		text := w.Text
		if maybe && !w.Known && w.Multi {
			return true
		}
		// A pattern without a slash is for the program in whatever folder.
		if i == 0 && !strings.Contains(left[0], "/") {
			text = text[strings.LastIndexByte(text, '/')+1:]
		}
		// Flags of the pattern may stand anywhere among the words.
		if k := matchFlag(flags, w, maybe); i > 0 && k >= 0 {
			flags = append(flags[:k], flags[k+1:]...)
			continue
		}
		switch {
		case len(left) > 0 && (!w.Known && maybe || w.Known && match.Glob(left[0], text)):
			left = left[1:]
		case i == 0 || !p.rest:
			return false
		case len(left) > 0 && !strings.HasPrefix(text, "-"):
			return false
		}
	}
	return len(left) == 0 && len(flags) == 0
}

func matchFlag(flags []string, w Word, maybe bool) int {
	for k, f := range flags {
		if w.Known && match.Glob(f, w.Text) || !w.Known && maybe && w.Text == "" {
			return k
		}
	}
	return -1
}
