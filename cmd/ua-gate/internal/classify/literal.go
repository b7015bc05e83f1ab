package classify

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraces bounds what a brace expansion may become.
const maxBraces = 64

// braces expands the brace expressions of a word that SplitBraces has been
// over. It reports false if there would be too many words.
func braces(src *syntax.Word) ([]*syntax.Word, bool) {
	words := []*syntax.Word{{}}
	for _, p := range src.Parts {
		var alts [][]syntax.WordPart
		if b, ok := p.(*syntax.BraceExp); ok {
			elems, ok := braceElems(b)
			if !ok {
				return nil, false
			}
			alts = elems
		} else {
			alts = [][]syntax.WordPart{{p}}
		}
		if len(words)*len(alts) > maxBraces {
			return nil, false
		}
		next := make([]*syntax.Word, 0, len(words)*len(alts))
		for _, w := range words {
			for _, a := range alts {
				parts := append(append([]syntax.WordPart(nil), w.Parts...), a...)
				next = append(next, &syntax.Word{Parts: parts})
			}
		}
		words = next
	}
	return words, true
}

func braceElems(b *syntax.BraceExp) (alts [][]syntax.WordPart, ok bool) {
	if b.Sequence {
		// What counts of a sequence is where it begins and ends: the values
		// between are numbers or letters.
		for _, e := range b.Elems[:min(2, len(b.Elems))] {
			alts = append(alts, e.Parts)
		}
		return alts, true
	}
	for _, e := range b.Elems {
		words, ok := braces(e)
		if !ok {
			return nil, false
		}
		for _, w := range words {
			alts = append(alts, w.Parts)
		}
	}
	return alts, len(alts) <= maxBraces
}

// printed returns what echo or printf writes, if that is known.
func printed(name, shell string, args []word) (text string, ok bool) {
	var vals []string
	for _, a := range args {
		if !a.known() {
			return "", false
		}
		vals = append(vals, a.text)
	}
	if name == "echo" {
		decode, end := shell == "zsh", "\n" // zsh decodes without -e
		for len(vals) > 0 && len(vals[0]) > 1 && strings.Trim(vals[0][1:], "neE") == "" &&
			vals[0][0] == '-' {
			if k := strings.LastIndexAny(vals[0], "eE"); k > 0 {
				decode = vals[0][k] == 'e'
			}
			if strings.Contains(vals[0], "n") {
				end = ""
			}
			vals = vals[1:]
		}
		if text = strings.Join(vals, " "); decode {
			text, ok = escapes(text, false)
			return text + end, ok && !strings.Contains(text, `\`)
		}
		return text + end, true
	}
	if len(vals) == 0 || strings.HasPrefix(vals[0], "-") {
		return "", false
	}
	return format(vals[0], vals[1:])
}

// format returns printf's output for the verb %s.
func format(f string, args []string) (string, bool) {
	f, ok := escapes(f, true)
	if pieces := strings.Split(f, "%s"); !strings.Contains(strings.Join(pieces, ""), "%") {
		var out strings.Builder
		for n := 0; (n == 0 || len(args) > 0 && len(pieces) > 1) && out.Len() < MaxBytes; n++ {
			for i, piece := range pieces {
				if i > 0 && len(args) > 0 {
					out.WriteString(args[0])
					args = args[1:]
				}
				out.WriteString(piece)
			}
		}
		return out.String(), ok
	}
	return "", false
}

// everyMatch reports whether an extended pattern matches all names: one of its alternatives does,
// or what !(.git|.env) leaves out are names that no pattern matches without a dot.
func everyMatch(p *syntax.ExtGlob) bool {
	list := strings.Split(p.Pattern.Value, "|")
	if p.Op == syntax.GlobExcept {
		return !slices.ContainsFunc(list, func(name string) bool {
			return name != "" && name[0] != '.'
		})
	}
	return slices.ContainsFunc(list, everyName)
}

// plainPattern reports whether a pattern expands variables at most, and ends where the
// parser says.
func plainPattern(text string) bool {
	return !substitutes(text) && !strings.ContainsAny(text, "<>\\'\"") &&
		!strings.Contains(text, "${")
}

const simpleEscapes = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v\\\\"

// escapes decodes the backslashes of $'…', of echo -e, of printf's format and of strings of awk,
// as far as all of them agree: a character by its number is a hole. Only some take the backslash
// away before a quote. It reports whether bash decodes the text so (TestEscapesAgainstBash).
func escapes(s string, quotes bool) (string, bool) {
	if !strings.Contains(s, "\\") {
		return s, true
	}
	var out strings.Builder
	sure := true
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			continue
		}
		i++
		switch k := strings.IndexByte(simpleEscapes, s[i]); {
		case strings.IndexByte("01234567xuUc", s[i]) >= 0:
			for sure = false; i+1 < len(s) && strings.IndexByte("0123456789abcdefABCDEF{}",
				s[i+1]) >= 0; i++ {
			}
			out.WriteString(hole)
		case k >= 0 && k%2 == 0:
			out.WriteByte(simpleEscapes[k+1])
		case strings.IndexByte(`'"?`, s[i]) >= 0:
			sure = sure && quotes
			out.WriteByte(s[i])
		default:
			out.WriteString(s[i-1 : i+1])
		}
	}
	return out.String(), sure
}
