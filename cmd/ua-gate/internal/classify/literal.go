package classify

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

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
			text, ok = escapes(text, echoText)
			return text + end, ok
		}
		return text + end, true
	}
	if len(vals) > 0 && vals[0] == "--" {
		vals = vals[1:]
	}
	if len(vals) == 0 || strings.HasPrefix(vals[0], "-") {
		return "", false
	}
	return format(vals[0], vals[1:])
}

// format returns printf's output for the verbs %s, %b, %d, %i, %c and %%, without
// widths.
func format(f string, args []string) (string, bool) {
	var out strings.Builder
	for first := true; first || len(args) > 0; first = false {
		before := len(args)
		for rest := f; rest != ""; {
			text, verb, found := strings.Cut(rest, "%")
			text, ok := escapes(text, formatText)
			out.WriteString(text)
			if !ok {
				return "", false
			}
			if !found {
				break
			}
			if verb == "" || !strings.ContainsRune("sbdic%", rune(verb[0])) {
				return "", false
			}
			rest = verb[1:]
			if verb[0] == '%' {
				out.WriteByte('%')
				continue
			}
			if len(args) == 0 {
				if verb[0] == 'd' || verb[0] == 'i' {
					out.WriteByte('0')
				}
				continue
			}
			switch {
			case verb[0] == 'c':
				_, n := utf8.DecodeRuneInString(args[0])
				out.WriteString(args[0][:n])
			case (verb[0] == 'd' || verb[0] == 'i') && !decimal(args[0]):
				return "", false
			case verb[0] == 'b':
				text, ok := escapes(args[0], valueText)
				out.WriteString(text)
				if !ok {
					return "", false
				}
			default:
				out.WriteString(args[0])
			}
			args = args[1:]
		}
		if len(args) == before || out.Len() > MaxBytes {
			break
		}
	}
	return out.String(), true
}

// decimal reports whether printf prints the number as it is written.
func decimal(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s == "0" || len(s) < 18 && strings.Trim(s, "0123456789") == "" &&
		strings.TrimLeft(s, "0") == s && s != ""
}
